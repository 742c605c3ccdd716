import { type FormEvent, useState } from 'react';
import { LIMITS } from '../../../contract/limits.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Time } from '../../ui/time.tsx';
import { ErrorNotice } from '../frame/loaded.tsx';
import { useServiceMutation } from '../requests.ts';
import { useMe } from '../session/session.ts';
import { ADD_NOTE, DELETE_NOTE } from './documents.ts';

interface Props {
  /** The ID of the conversation. */
  readonly id: string;
  readonly notes: {
    readonly nodes: readonly Note[];
    readonly pageInfo: { readonly hasPreviousPage: boolean };
  };
}

interface Note {
  readonly conversationNoteId: string;
  readonly text: string;
  readonly isMine: boolean;
  readonly createdAt: string;
  readonly author: { readonly displayName: string };
}

/** Notes of the team about a conversation. Its user and the model never read them. */
export function Notes({ id, notes }: Props) {
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-muted">Only your team reads notes. The user and the assistant do not.</p>
      {notes.pageInfo.hasPreviousPage && <p className="text-sm text-muted">The newest 50 are shown.</p>}
      {notes.nodes.length > 0 && (
        <ul aria-label="Notes" className="flex flex-col gap-3">
          {notes.nodes.map((note) => (
            <NoteItem key={note.conversationNoteId} note={note} />
          ))}
        </ul>
      )}
      <AddNote id={id} />
    </div>
  );
}

function NoteItem({ note }: { readonly note: Note }) {
  const { role } = useMe();
  const { mutate, busy, error } = useServiceMutation(DELETE_NOTE);
  const mayDelete = note.isMine || role === 'OWNER' || role === 'ADMIN';
  return (
    <li className="rounded-lg bg-warn-soft px-3 py-2 text-warn">
      <div className="flex items-center justify-between gap-3 text-sm">
        <span className="min-w-0 truncate">
          {note.author.displayName} · <Time at={note.createdAt} />
        </span>
        {mayDelete && (
          <Button
            look="quiet"
            small
            busy={busy}
            aria-label={`Delete the note of ${note.author.displayName}`}
            onClick={() => mutate({ id: note.conversationNoteId })}
          >
            {!busy && <Icon name="close" className="size-4" />}
          </Button>
        )}
      </div>
      <p className="break-words whitespace-pre-wrap text-ink">{note.text}</p>
      <ErrorNotice error={error} />
    </li>
  );
}

/** Without the library of forms, which would be a fifth of the page's script. */
function AddNote({ id }: { readonly id: string }) {
  const { mutate, busy, error } = useServiceMutation(ADD_NOTE);
  const [text, setText] = useState('');
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (await mutate({ input: { conversationId: id, text } })) setText('');
  };
  return (
    <form onSubmit={add} className="flex flex-col gap-2">
      <TextArea
        label="New note"
        rows={2}
        maxLength={LIMITS.noteLength}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <ErrorNotice error={error} />
      <Button type="submit" small busy={busy} disabled={text.trim() === ''} className="self-start">
        Add note
      </Button>
    </form>
  );
}

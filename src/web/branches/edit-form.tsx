import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { MessageContent } from '../../sdk/index.ts';
import { MessageParts } from '../messages/message-parts.tsx';
import { texts } from '../texts/current.ts';
import { Button, Spinner } from '../ui/button.tsx';
import { useBranches } from './branch-context.ts';
import type { Editing } from './use-editing.ts';

interface Props {
  readonly id: string;
  readonly content: MessageContent;
  readonly editing: Pick<Editing, 'cancel' | 'finish'>;
}

const BY_USER = { role: 'user' } as const;

/** Edits the text of a message and sends it as a new turn. Its files stay. Enter sends, Escape cancels. */
export function EditForm({ id, content, editing: { cancel, finish } }: Props) {
  const t = texts();
  const branches = useBranches();
  const [text, setText] = useState(() => textOf(content));
  const [error, setError] = useState<unknown>();
  const field = useRef<HTMLTextAreaElement>(null);
  const files = content.filter(({ type }) => type !== 'text');
  const isEmpty = text.trim() === '' && files.length === 0;
  const isSending = branches?.sending === `edit ${id}`;
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
  }, []);
  const send = async () => {
    if (!branches || isEmpty || branches.sending !== undefined) return;
    setError(undefined);
    const parts = [...(text.trim() ? [{ type: 'text', text } as const] : []), ...files];
    try {
      if (await branches.edit(id, parts)) finish();
    } catch (thrown) {
      setError(thrown);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // In an input method, Enter accepts the composed word, and Escape cancels it.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      // The page would stop a reply or close the widget.
      event.stopPropagation();
      if (!isSending) cancel();
    }
    if (event.key === 'Enter' && !event.shiftKey && event.target === field.current) {
      event.preventDefault();
      void send();
    }
  };
  return (
    <form
      aria-label={t.branches.editTitle}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void send();
      }}
      onKeyDown={onKeyDown}
      className="flex w-full min-w-0 flex-col gap-2 rounded-2xl border border-edge bg-surface p-2 focus-within:border-accent"
    >
      <textarea
        ref={field}
        dir="auto"
        aria-label={t.branches.edited}
        value={text}
        readOnly={isSending}
        onChange={(event) => setText(event.target.value)}
        className="field-sizing-content max-h-80 min-h-10 w-full resize-none bg-transparent px-2 py-2 outline-none"
      />
      {files.length > 0 && (
        <div className="px-2 text-sm">
          <MessageParts {...BY_USER} content={files} />
        </div>
      )}
      {error !== undefined && (
        <p role="alert" className="px-2 text-sm text-danger">
          {branches?.errorText(error)}
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button small onClick={() => !isSending && cancel()}>
          {t.page.cancel}
        </Button>
        {/* Not disabled while it is busy: a dialog could not return the focus to it. */}
        <Button type="submit" look="primary" small aria-busy={isSending || undefined} disabled={isEmpty}>
          {isSending && <Spinner />} {t.composer.send}
        </Button>
      </div>
    </form>
  );
}

const textOf = (content: MessageContent) =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');

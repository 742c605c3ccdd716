import { memo } from 'react';
import type { MessageAuthor, MessageContent, MessageRating, MessageRole } from '../../sdk/index.ts';
import { BranchActions } from '../branches/branch-actions.tsx';
import { EditForm } from '../branches/edit-form.tsx';
import { useEditing } from '../branches/use-editing.ts';
import { ReplyFeedback } from '../feedback/reply-feedback.tsx';
import { Markdown } from '../messages/markdown.tsx';
import { MessageActions } from '../messages/message-actions.tsx';
import { MessageParts } from '../messages/message-parts.tsx';
import { texts } from '../texts/current.ts';
import { formatted } from './structured-reply.ts';

interface Props {
  /** The author. */
  readonly by: MessageRole;
  /** The person who wrote it for the assistant. */
  readonly person?: MessageAuthor | undefined;
  readonly content: MessageContent;
  /** ISO 8601. Undefined for a message that is not stored yet. */
  readonly at?: string | undefined;
  /** The ID of a stored message. Only those can be rated, edited and forked from. */
  readonly id?: number;
  readonly rating?: MessageRating | undefined;
}

/** One message: a user message on the right, a reply over the full width. */
export const MessageRow = memo(function MessageRow({ by, person, content, at, id, rating }: Props) {
  const t = texts().message;
  const editing = useEditing();
  const itemId = id === undefined ? undefined : String(id);
  const actions = at && (
    <MessageActions {...{ content, at }} isUser={by === 'user'} isHosted>
      {itemId !== undefined && !editing.isOpen && <BranchActions id={itemId} role={by} editing={editing} />}
    </MessageActions>
  );
  if (by === 'user') {
    return (
      <div className="group/reply flex flex-col items-end">
        <p className="sr-only">{t.youSaid}</p>
        {editing.isOpen && itemId !== undefined ? (
          <EditForm id={itemId} {...{ content, editing }} />
        ) : (
          <div className="own-message max-w-[85%] px-4 py-2.5">
            <MessageParts role={by} content={content} />
          </div>
        )}
        {actions}
      </div>
    );
  }
  return (
    // The page announces messages of persons with its own status.
    <div aria-live={person && 'off'} className="group/reply min-w-0">
      {person ? (
        <p className="text-sm font-medium break-words">{person.displayName}</p>
      ) : (
        <p className="sr-only">{t.assistantSaid}</p>
      )}
      <MessageParts role={by} content={content.map(formatted)} />
      <div className="flex flex-wrap items-center">
        {actions}
        {id !== undefined && <ReplyFeedback messageId={id} rating={rating} />}
      </div>
    </div>
  );
});

/** The reply that is streaming. */
export function LiveRow({ text }: { readonly text: string }) {
  if (text !== '') return <Markdown text={text} />;
  return (
    <div className="flex h-6 items-center gap-1" role="status">
      <span className="sr-only">{texts().turn.writingNow}</span>
      {[0, 1, 2].map((dot) => (
        <span
          key={dot}
          aria-hidden="true"
          style={{ animationDelay: `${dot * 200}ms` }}
          className="size-2 animate-pulse rounded-full bg-edge"
        />
      ))}
    </div>
  );
}

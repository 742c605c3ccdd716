import type { ReactNode } from 'react';
import type { MessageAuthor, MessageContent, MessageRating, MessageRole } from '../../sdk/index.ts';
import { BranchActions } from '../branches/branch-actions.tsx';
import { EditForm } from '../branches/edit-form.tsx';
import { useEditing } from '../branches/use-editing.ts';
import { useRateReply } from '../feedback/rating-context.ts';
import { ReplyFeedback } from '../feedback/reply-feedback.tsx';
import { MessageActions } from '../messages/message-actions.tsx';
import { MessageParts } from '../messages/message-parts.tsx';
import { texts } from '../texts/current.ts';

interface Props {
  readonly role: MessageRole;
  /** The person who wrote it for the assistant. */
  readonly author?: MessageAuthor | undefined;
  readonly content: MessageContent;
  /** The ID of a stored message. Only those can be rated, edited and forked from. */
  readonly id?: string;
  readonly rating?: MessageRating | undefined;
  /** ISO 8601. */
  readonly at?: string;
  /** Shown instead of the time. */
  readonly note?: ReactNode;
}

/** One message: a user message on the right, a reply on the left. */
export function MessageRow({ role, author, content, id, rating, at, note }: Props) {
  const isUser = role === 'user';
  const isHosted = useRateReply() !== undefined;
  const editing = useEditing();
  const actions = id !== undefined && !editing.isOpen && <BranchActions {...{ id, role, editing }} />;
  return (
    // The page announces messages of persons with its own status.
    <article
      aria-live={author && 'off'}
      className={`group/reply relative flex min-w-0 flex-col gap-1 ${isUser ? 'items-end' : 'items-start'}`}
    >
      <Heading {...{ role, author }} />
      {editing.isOpen && id !== undefined ? (
        <EditForm {...{ id, content, editing }} />
      ) : (
        <div className={isUser ? 'own-message max-w-[85%] min-w-0 px-4 py-2' : 'w-full min-w-0 py-1'}>
          <MessageParts {...{ role, content }} />
        </div>
      )}
      <div className={`flex flex-wrap items-center ${isUser ? 'justify-end' : 'w-full'}`}>
        {at ? (
          <MessageActions {...{ content, at, isUser, isHosted }}>{actions}</MessageActions>
        ) : (
          actions || (note && <p className="flex min-h-8 items-center text-xs text-muted">{note}</p>)
        )}
        {id !== undefined && !isUser && <ReplyFeedback messageId={id} rating={rating} />}
      </div>
    </article>
  );
}

function Heading({ role, author }: Pick<Props, 'role' | 'author'>) {
  const t = texts().message;
  if (author) return <h3 className="max-w-full text-sm font-medium break-words">{author.displayName}</h3>;
  return <h3 className="sr-only">{role === 'user' ? t.user : t.assistant}</h3>;
}

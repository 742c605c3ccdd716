import type { ReactNode } from 'react';
import type { MessageContent, MessageRole } from '../../sdk/index.ts';
import { MessageParts } from '../messages/message-parts.tsx';
import { Time } from '../ui/time.tsx';

interface Props {
  readonly role: MessageRole;
  readonly content: MessageContent;
  /** ISO 8601. */
  readonly at?: string;
  /** Shown instead of the time. */
  readonly note?: ReactNode;
}

/** One message: a user message on the right, a reply on the left. */
export function MessageRow({ role, content, at, note }: Props) {
  const isUser = role === 'user';
  return (
    <article className={`relative flex min-w-0 flex-col gap-1 ${isUser ? 'items-end' : 'items-start'}`}>
      <h3 className="sr-only">{isUser ? 'User' : 'Assistant'}</h3>
      <div
        className={
          isUser ? 'max-w-[85%] min-w-0 rounded-2xl rounded-br-md bg-accent-soft px-4 py-2' : 'w-full min-w-0 py-1'
        }
      >
        <MessageParts {...{ role, content }} />
      </div>
      <p className="text-xs text-muted">{at ? <Time at={at} /> : note}</p>
    </article>
  );
}

import { memo } from 'react';
import type { MessageContent, MessageRole } from '../../sdk/index.ts';
import { Markdown } from '../messages/markdown.tsx';
import { MessageParts } from '../messages/message-parts.tsx';
import { formatted } from './structured-reply.ts';

interface Props {
  /** The author. */
  readonly by: MessageRole;
  readonly content: MessageContent;
}

/** One message: a user message on the right, a reply over the full width. */
export const MessageRow = memo(function MessageRow({ by, content }: Props) {
  if (by === 'user') {
    return (
      <div className="flex flex-col items-end">
        <p className="sr-only">You said</p>
        <div className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5">
          <MessageParts role={by} content={content} />
        </div>
      </div>
    );
  }
  return (
    <div className="min-w-0">
      <p className="sr-only">The assistant said</p>
      <MessageParts role={by} content={content.map(formatted)} />
    </div>
  );
});

/** The reply that is streaming. */
export function LiveRow({ text }: { readonly text: string }) {
  if (text !== '') return <Markdown text={text} />;
  return (
    <div className="flex h-6 items-center gap-1" role="status">
      <span className="sr-only">The assistant is writing</span>
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

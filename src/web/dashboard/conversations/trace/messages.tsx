import { Fragment } from 'react';
import { formatCount } from '../../../ui/numbers.ts';
import { Fold } from './fold.tsx';
import { LongText } from './long-text.tsx';
import { CallFold, ResultFold, Value } from './message-calls.tsx';
import { type MessagePart, type PromptMessage, promptMessage } from './prompt-messages.ts';

/** The latest messages that are visible at once. They explain the answer. */
const VISIBLE = 6;

interface Props {
  readonly messages: readonly unknown[];
  /** The number of messages before them that the trace does not have. */
  readonly leftOut: number;
}

/** The messages of a prompt in the order of reading. Earlier ones open on demand. */
export function Messages({ messages, leftOut }: Props) {
  const all = messages.map(promptMessage);
  const earlier = all.slice(0, -VISIBLE);
  return (
    <>
      {leftOut > 0 && <p className="text-muted">{`${earlierMessages(leftOut)} not in the trace.`}</p>}
      {earlier.length > 0 && (
        <Fold summary={counted(earlier.length)}>
          <MessageList label="Earlier messages" messages={earlier} />
        </Fold>
      )}
      <MessageList label="Messages" messages={all.slice(-VISIBLE)} />
    </>
  );
}

const counted = (count: number) => `${formatCount(count)} earlier message${count === 1 ? '' : 's'}`;

const earlierMessages = (count: number) => `${counted(count)} ${count === 1 ? 'is' : 'are'}`;

interface ListProps {
  readonly label: string;
  readonly messages: readonly PromptMessage[];
}

export function MessageList({ label, messages }: ListProps) {
  return (
    <ol aria-label={label} className="flex flex-col gap-3">
      {messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a prompt never change
        <Message key={index} {...message} />
      ))}
    </ol>
  );
}

const ROLES: Readonly<Record<string, string>> = {
  instructions: 'Instructions',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Results of calls',
  answer: 'Answer',
};

function Message({ role, parts }: PromptMessage) {
  return (
    <li
      className={`flex min-w-0 flex-col gap-2 border-s-3 ps-3 ${role === 'answer' ? 'border-accent' : role === 'user' ? 'border-edge' : 'border-line'}`}
    >
      <span className="text-sm font-medium text-muted">{ROLES[role] ?? role}</span>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never change
        <Fragment key={index}>
          <Part part={part} />
        </Fragment>
      ))}
    </li>
  );
}

function Part({ part }: { readonly part: MessagePart }) {
  switch (part.kind) {
    case 'text':
      return <LongText text={part.text} />;
    case 'cut':
      return <LongText text={`${part.text}…`} />;
    case 'file':
      return <p className="break-words text-muted">{`File: ${part.text}`}</p>;
    case 'call':
      return <CallFold {...part} />;
    case 'result':
      return <ResultFold {...part} />;
    default:
      return <Value label="Content" value={part.value} />;
  }
}

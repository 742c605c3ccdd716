import { type ReactNode, useState } from 'react';
import type { MessageContent } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { exactTime, Time } from '../ui/time.tsx';
import { ON_HOVER } from './on-hover.ts';
import { ReadAloudButton } from './read-aloud-button.tsx';

interface Props {
  readonly content: MessageContent;
  /** ISO 8601. */
  readonly at: string;
  readonly isUser: boolean;
  /** Other actions of the message. */
  readonly children?: ReactNode;
  /** On the pages of users it appears on hover, and can read a reply aloud. */
  readonly isHosted: boolean;
}

/** The line below a message: when it was sent, and what the user can do with it. */
export function MessageActions({ content, at, isUser, isHosted, children }: Props) {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  return (
    <div className={`flex min-h-8 items-center text-xs text-muted ${isHosted ? ON_HOVER : ''}`}>
      <MessageTime at={at} />
      {text !== '' && <CopyButton text={text} isIcon />}
      {text !== '' && isHosted && !isUser && <ReadAloudButton text={text} />}
      {children}
    </div>
  );
}

/** A relative time. A click or tap shows the exact one, because touch screens show no tooltips. */
function MessageTime({ at }: { readonly at: string }) {
  const [isExact, setExact] = useState(false);
  return (
    <button
      type="button"
      aria-pressed={isExact}
      aria-description={texts().message.showExact}
      onClick={() => setExact(!isExact)}
      className="min-h-8 cursor-pointer rounded-lg px-1 hover:text-ink"
    >
      {isExact ? <time dateTime={at}>{exactTime(at)}</time> : <Time at={at} />}
    </button>
  );
}

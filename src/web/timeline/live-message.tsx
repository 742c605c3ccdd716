import { Fragment, useDeferredValue } from 'react';
import type { LiveText } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { Icon } from '../ui/icon.tsx';
import { MessageRow } from './message-row.tsx';

/**
 * The message that the assistant is writing. It has the place and the size of the stored message that replaces it. It is
 * no live region: a screen reader would read every word.
 */
export function LiveMessage({ live }: { readonly live: LiveText | null }) {
  // The key keeps the deferred text of an earlier message out of the next one.
  if (!live) return null;
  return (
    <Fragment key={live.messageKey}>
      {live.reasoning && <Reasoning text={live.reasoning} isThinking={live.text === ''} />}
      {live.text && <Growing text={live.text} />}
    </Fragment>
  );
}

/** The reasoning of the model, collapsed. It disappears with the stored message. */
function Reasoning({ text, isThinking }: { readonly text: string; readonly isThinking: boolean }) {
  const deferred = useDeferredValue(text);
  return (
    <details className="group rounded-lg border border-line bg-surface">
      <summary className="flex min-h-10 cursor-pointer list-none items-center gap-2 rounded-lg px-3 py-1.5 text-sm text-muted hover:bg-sunken [&::-webkit-details-marker]:hidden">
        <Icon name="chevron" className="size-4 transition group-open:rotate-90 rtl:not-group-open:rotate-180" />
        {texts().turn.thinking}
        {isThinking && <Dot />}
      </summary>
      <p className="border-t border-line p-3 text-sm break-words whitespace-pre-wrap text-muted">{deferred}</p>
    </details>
  );
}

function Dot() {
  return <span aria-hidden="true" className="size-1.5 animate-pulse rounded-full bg-accent" />;
}

const BY_ASSISTANT = { role: 'assistant' } as const;

function Growing({ text }: { readonly text: string }) {
  // Rendering a long text as Markdown takes longer than the pause between two words. Input takes precedence.
  const deferred = useDeferredValue(text);
  return <MessageRow {...BY_ASSISTANT} content={[{ type: 'text', text: deferred }]} note={<Writing />} />;
}

function Writing() {
  return (
    <span className="inline-flex items-center gap-1.5">
      <Dot />
      {texts().turn.writingShort}
    </span>
  );
}

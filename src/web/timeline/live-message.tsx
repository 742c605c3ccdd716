import { useDeferredValue } from 'react';
import type { LiveText } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { MessageRow } from './message-row.tsx';

/**
 * The message that the assistant is writing. It has the place and the size of the stored message that replaces it. It is
 * no live region: a screen reader would read every word.
 */
export function LiveMessage({ live }: { readonly live: LiveText | null }) {
  // The key keeps the deferred text of an earlier message out of the next one.
  return live?.text ? <Growing key={live.messageKey} text={live.text} /> : null;
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
      <span aria-hidden="true" className="size-1.5 animate-pulse rounded-full bg-accent" />
      {texts().turn.writingShort}
    </span>
  );
}

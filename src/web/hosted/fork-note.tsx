import { useEffect, useRef, useState } from 'react';
import { texts } from '../texts/current.ts';
import { Notice } from '../ui/notice.tsx';

export type ForkReason = 'fork' | 'select';

/** The forks that this page has opened, until it is reloaded. */
const reasons = new Map<string, ForkReason>();

export const noteFork = (conversationId: string, reason: ForkReason): void => void reasons.set(conversationId, reason);

interface Props {
  readonly conversationId: string | null;
  readonly lastMessageId: string | undefined;
}

/** Says that the open conversation is a fork that an action on this page created, until it continues. */
export function ForkNote({ conversationId, lastMessageId }: Props) {
  const reason = reasons.get(conversationId ?? '');
  if (!reason || lastMessageId === undefined) return null;
  return <Note key={conversationId} {...{ reason, lastMessageId }} />;
}

/** The button that created the fork has disappeared, so the note gets the focus. Screen readers then read it. */
function Note({ reason, lastMessageId }: { readonly reason: ForkReason; readonly lastMessageId: string }) {
  const t = texts().branches;
  const note = useRef<HTMLDivElement>(null);
  const [last] = useState(lastMessageId);
  useEffect(() => note.current?.focus(), []);
  if (last !== lastMessageId) return null;
  return (
    <div ref={note} tabIndex={-1} className="rounded-lg">
      <Notice>{reason === 'fork' ? t.forked : t.inFork}</Notice>
    </div>
  );
}

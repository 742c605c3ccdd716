import { useEffect, useState } from 'react';
import type { ChatState } from '../../sdk/index.ts';
import { useFollowEnd } from '../hosted/follow-end.ts';
import { ScrollRegion } from '../hosted/scroll-region.tsx';
import { Button } from '../ui/button.tsx';
import { MessageRow } from './message-row.tsx';
import { OutgoingRow } from './outgoing-row.tsx';
import type { Thread } from './thread.ts';
import type { ThreadState } from './thread-state.ts';

interface Props {
  readonly chat: ChatState;
  readonly state: ThreadState;
  readonly thread: Thread;
  /** What a conversation that has no messages yet shows. */
  readonly greeting: string;
}

/** The messages of the open conversation, down to the one that is being written. */
export function ThreadView({ chat: { messages, live }, state, thread, greeting }: Props) {
  const { outgoing, unsent, earlier } = state;
  const follow = useFollowEnd();
  const { toEnd, holdPlace } = follow;
  // Replies are read out when they are whole; what is loaded is not read out.
  const [isHeard, setHeard] = useState(false);
  const sending = outgoing?.phase === 'sending' ? outgoing.key : undefined;
  useEffect(() => {
    if (sending === undefined) return;
    setHeard(true);
    toEnd();
  }, [sending, toEnd]);
  const isEmpty = messages.length === 0 && !outgoing && unsent.length === 0;
  return (
    <ScrollRegion follow={follow} label="Conversation">
      {earlier !== 'none' && (
        <div className="text-center">
          <Button
            small
            busy={earlier === 'loading'}
            onClick={() => {
              setHeard(false);
              holdPlace();
              thread.loadEarlier();
            }}
          >
            Load earlier messages
          </Button>
        </div>
      )}
      {isEmpty && <p className="py-16 text-center text-lg text-muted">{greeting}</p>}
      <div role="log" aria-label="Messages" aria-live={isHeard ? 'polite' : 'off'} className="flex flex-col gap-4">
        {messages.map(({ id, role, content }) => (
          <MessageRow key={id} by={role} content={content} />
        ))}
      </div>
      {[...unsent, ...(outgoing ? [outgoing] : [])].map((message) => (
        <OutgoingRow key={message.key} message={message} live={message === outgoing ? live : null} thread={thread} />
      ))}
    </ScrollRegion>
  );
}

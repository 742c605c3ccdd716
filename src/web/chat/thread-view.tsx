import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { numberOfItem } from '../../contract/ids.ts';
import type { ChatState, HandlingChange } from '../../sdk/index.ts';
import { BranchContext } from '../branches/branch-context.ts';
import type { Replacing } from '../branches/use-replacing.ts';
import { useFollowEnd } from '../hosted/follow-end.ts';
import { ForkNote } from '../hosted/fork-note.tsx';
import { HandlingStatus } from '../hosted/handling-status.tsx';
import { ScrollRegion } from '../hosted/scroll-region.tsx';
import { StopNotice } from '../hosted/stop-notice.tsx';
import { TypingLine } from '../hosted/typing-line.tsx';
import type { Stop } from '../hosted/use-stop.ts';
import { errorText } from '../messages/error-text.ts';
import { texts } from '../texts/current.ts';
import { BranchNotices } from '../timeline/branch-notices.tsx';
import { HandlingLine } from '../timeline/handling-line.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { LiveRow, MessageRow } from './message-row.tsx';
import { OutgoingRow } from './outgoing-row.tsx';
import type { Thread } from './thread.ts';
import { type Outgoing, type ThreadState, withStored } from './thread-state.ts';

interface Props {
  readonly chat: ChatState;
  readonly state: ThreadState;
  readonly thread: Thread;
  readonly stop: Stop;
  /** The name of the person who types. Null: nobody does. */
  readonly typist: string | null;
  /** Undefined if the deployment does not allow its users to edit. */
  readonly replacing: Replacing | undefined;
  /** Shown in a conversation without messages. */
  readonly children: ReactNode;
}

/** The messages of the open conversation, including the one that is streaming. */
export function ThreadView({ chat, state, thread, stop, typist, replacing, children }: Props) {
  const { messages, live, handling, handlingChanges } = chat;
  const { outgoing, unsent, earlier } = state;
  const follow = useFollowEnd();
  const { toEnd, holdPlace } = follow;
  // Screen readers announce complete replies, but not messages that were loaded.
  const [isAnnounced, setAnnounced] = useState(false);
  const sending = outgoing?.phase === 'sending' ? outgoing.key : undefined;
  useEffect(() => {
    if (sending === undefined) return;
    setAnnounced(true);
    toEnd();
  }, [sending, toEnd]);
  const isOwn = outgoing?.phase === 'sending' || outgoing?.phase === 'stopping';
  const items = useMemo(() => inOrder({ messages, handlingChanges }), [messages, handlingChanges]);
  const isEmpty = messages.length === 0 && !outgoing && unsent.length === 0;
  return (
    <ScrollRegion follow={follow} label={texts().page.conversation}>
      {earlier !== 'none' && (
        <div className="text-center">
          <Button
            small
            busy={earlier === 'loading'}
            onClick={() => {
              setAnnounced(false);
              holdPlace();
              thread.loadEarlier();
            }}
          >
            {texts().chat.loadEarlier}
          </Button>
        </div>
      )}
      {isEmpty && children}
      <div
        role="log"
        aria-label={texts().page.messages}
        aria-live={isAnnounced ? 'polite' : 'off'}
        aria-relevant="additions"
        className="flex flex-col gap-4"
      >
        <BranchContext value={replacing?.branches}>
          {items.map((item) =>
            'type' in item ? (
              <HandlingLine key={item.id} {...item} />
            ) : (
              <MessageRow
                key={item.id}
                by={item.role}
                person={item.author}
                {...{ id: item.id, content: item.content, rating: item.rating }}
                at={item.createdAt}
              />
            ),
          )}
        </BranchContext>
      </div>
      <HandlingStatus conversationId={chat.id} isLoaded={chat.conversationStatus !== null} items={items} />
      {replacing && <BranchNotices {...replacing} />}
      {replacing && <ForkNote conversationId={chat.id} lastMessageId={replacing.branches.lastId} />}
      {unsent.map((message) => (
        <OutgoingRow key={message.key} message={message} live={null} thread={thread} />
      ))}
      {outgoing && (
        <OutgoingRow
          key={outgoing.key}
          message={current(outgoing, messages)}
          live={live}
          thread={thread}
          isForPerson={handling !== null}
        />
      )}
      {!isOwn && chat.status === 'running' && (live || !handling) && <LiveRow text={live ?? ''} />}
      <TypingLine name={typist} />
      {chat.error?.code === 'run_failed' && <Notice tone="warn">{errorText(chat.error)}</Notice>}
      <StopNotice error={stop.error} />
    </ScrollRegion>
  );
}

type Item = ChatState['messages'][number] | HandlingChange;

/** The messages with the changes between them, by the numbers in their IDs. */
function inOrder({ messages, handlingChanges }: Pick<ChatState, 'messages' | 'handlingChanges'>): readonly Item[] {
  return [...messages, ...handlingChanges].sort((one, other) => numberOfItem(one.id) - numberOfItem(other.id));
}

/** The SDK may have loaded the stored copy of a stopped message already: then it must not appear twice. */
function current(outgoing: Outgoing, messages: ChatState['messages']): Outgoing {
  return outgoing.phase === 'sending' ? outgoing : withStored(outgoing, messages);
}

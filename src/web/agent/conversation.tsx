import { useEffect, useState } from 'react';
import { CLIENT_TOOL_NAMES } from '../../contract/client-tools.ts';
import type { ParleyClient } from '../../sdk/index.ts';
import { type UseAgent, useAgent } from '../../sdk/react/index.ts';
import { setAddress, useAddress } from '../hosted/address.ts';
import { useEscape } from '../hosted/escape.ts';
import { type FollowEnd, useFollowEnd } from '../hosted/follow-end.ts';
import { PageFrame } from '../hosted/page-frame.tsx';
import { ScrollRegion } from '../hosted/scroll-region.tsx';
import { useStop } from '../hosted/use-stop.ts';
import { MessageRow } from '../timeline/message-row.tsx';
import { Timeline } from '../timeline/timeline.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import type { WatchedConnection } from './connection.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { CurrentActivity } from './current-activity.tsx';
import { entryState } from './entry.tsx';
import { Foot } from './foot.tsx';
import { type Round, useRound } from './use-round.ts';
import { useTriggerStart } from './use-trigger-start.ts';
import { type Turns, useTurns } from './use-turns.ts';

/** The data that the service puts into the page. */
export interface AgentPageData {
  readonly deploymentId: string;
  readonly name: string;
  readonly triggerRequired: boolean;
}

interface Props {
  readonly client: ParleyClient;
  readonly connection: WatchedConnection;
  readonly data: AgentPageData;
  /** Starts another conversation. Undefined if this deployment requires a link. */
  readonly onNew: (() => void) | undefined;
}

/** The tools with a form on this page. For other tools that the deployment always offers, the user enters JSON. */
const OPTIONS = { clientCapabilities: CLIENT_TOOL_NAMES };

const BY_USER = { role: 'user' } as const;

/** The conversation in the address, or a new one. */
export function Conversation({ client, connection, data, onNew }: Props) {
  const address = useAddress();
  const agent = useAgent(client, address.cid, OPTIONS);
  const { conversationId } = agent;
  const [trigger, retryStart] = useTriggerStart(client, agent, address);
  const turns = useTurns(agent, data.deploymentId, !address.cid && !address.tid);
  const round = useRound(agent);
  const stop = useStop(agent);
  const follow = useFollowEnd();
  const [isAnnounced, setAnnounced] = useAnnounced(agent);
  useEscape(() => {
    stop.stop?.();
    return stop.stop !== undefined;
  });
  useEffect(() => {
    // With the ID in the address, a reload or another visitor opens the same conversation.
    if (conversationId) setAddress({ cid: conversationId }, 'replace');
  }, [conversationId]);

  const sending =
    turns.sending ?? (trigger.kind === 'starting' && agent.messages.length === 0 ? trigger.content : null);
  const onReopen = () => void agent.open(conversationId ?? '', OPTIONS).catch(() => {});
  const isStarting = conversationId === null && (sending !== null || trigger.kind === 'reading');
  // An empty conversation needs no button for a new one.
  const onNewClick = conversationId !== null || isStarting ? onNew : undefined;
  const entry = entryState({ agent, trigger, ...data, onRetryStart: retryStart, onReopen, onNew });
  return (
    <PageFrame name={data.name} actions={onNewClick && <NewButton onClick={onNewClick} disabled={isStarting} />}>
      {entry ?? (
        <>
          <ScrollRegion follow={round.calls.length > 0 ? withoutEndButton(follow) : follow} label="Conversation">
            <LoadEarlier {...{ agent, follow }} onLoad={() => setAnnounced(false)} />
            {agent.history.length === 0 && !sending && agent.status === 'idle' && trigger.kind === 'none' && (
              <Welcome />
            )}
            <div role="log" aria-label="Messages" aria-live={isAnnounced ? 'polite' : 'off'} aria-relevant="additions">
              <Timeline items={agent.history.filter((item) => !isPending(item, round))} />
            </div>
            {sending && <MessageRow {...BY_USER} content={sending} note="Sending…" />}
            <CurrentActivity {...{ agent, round, turns, stop }} isReading={trigger.kind === 'reading'} />
          </ScrollRegion>
          <div className="mx-auto w-full max-w-3xl shrink-0 px-3 pb-3 empty:hidden sm:px-4">
            <ConnectionNotice connection={connection} />
          </div>
          <Foot
            {...{ agent, stop, onNew }}
            isBusy={sending !== null || trigger.kind === 'reading'}
            onSend={sendOf(turns, round, follow)}
          />
        </>
      )}
    </PageFrame>
  );
}

/** Whether screen readers announce new items: those of a turn, but not those that were loaded. */
function useAnnounced({ status }: UseAgent) {
  const [isAnnounced, setAnnounced] = useState(false);
  const isRunning = status === 'running';
  useEffect(() => {
    if (isRunning) setAnnounced(true);
  }, [isRunning]);
  return [isAnnounced, setAnnounced] as const;
}

/** Hides the button that goes to the end: it would cover the fields of the form, which reaches to the end. */
const withoutEndButton = (follow: FollowEnd): FollowEnd => ({ ...follow, isAtEnd: true });

/** A pending call is shown as a form instead of a row. */
function isPending(item: UseAgent['history'][number], { calls }: Round): boolean {
  return item.type === 'client_tool' && calls.some(({ callId }) => callId === item.callId);
}

function sendOf(turns: Turns, round: Round, follow: FollowEnd): Turns['send'] {
  return (content) => {
    round.clearNote();
    follow.toEnd();
    return turns.send(content);
  };
}

function NewButton({ onClick, disabled }: { readonly onClick: () => void; readonly disabled: boolean }) {
  return (
    <Button small aria-label="New conversation" {...{ onClick, disabled }}>
      <Icon name="plus" className="size-4" />
      <span className="max-sm:hidden">New conversation</span>
    </Button>
  );
}

interface LoadEarlierProps {
  readonly agent: UseAgent;
  readonly follow: FollowEnd;
  readonly onLoad: () => void;
}

function LoadEarlier({ agent, follow, onLoad }: LoadEarlierProps) {
  if (!agent.historyPageInfo?.hasMore) return null;
  const load = () => {
    onLoad();
    follow.holdPlace();
    agent.loadMoreHistory().catch(() => {});
  };
  return (
    <Button small className="self-center" onClick={load}>
      Load earlier
    </Button>
  );
}

function Welcome() {
  return (
    <div className="flex flex-col items-center gap-2 py-16 text-center">
      <h2 className="text-2xl font-semibold">How can I help?</h2>
      <p className="text-muted">Write a message to start. To come back later, open this page’s address again.</p>
    </div>
  );
}

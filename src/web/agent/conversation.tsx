import { useEffect } from 'react';
import type { ParleyClient } from '../../sdk/index.ts';
import { type UseAgent, useAgent } from '../../sdk/react/index.ts';
import { setAddress, useAddress } from '../hosted/address.ts';
import { wordsOf } from '../hosted/error-words.ts';
import { type FollowEnd, useFollowEnd } from '../hosted/follow-end.ts';
import { PageFrame } from '../hosted/page-frame.tsx';
import { ScrollRegion } from '../hosted/scroll-region.tsx';
import { MessageRow } from '../timeline/message-row.tsx';
import { Timeline } from '../timeline/timeline.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import type { WatchedConnection } from './connection.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { entryState } from './entry.tsx';
import { Foot } from './foot.tsx';
import { PendingRound } from './pending-round.tsx';
import { isOfForm, RunNotice } from './run-notice.tsx';
import { type Round, useRound } from './use-round.ts';
import { useTriggerStart } from './use-trigger-start.ts';
import { type Turns, useTurns } from './use-turns.ts';
import { WorkStatus } from './work-status.tsx';

/** What the service fills this page in with. */
export interface AgentPageData {
  readonly deploymentId: string;
  readonly name: string;
  readonly triggerRequired: boolean;
}

interface Props {
  readonly client: ParleyClient;
  readonly connection: WatchedConnection;
  readonly data: AgentPageData;
  /** Begins another conversation; undefined where that takes a link. */
  readonly onNew: (() => void) | undefined;
}

/** Tools that this page has a form of its own for. Others that the deployment offers always are asked for as JSON. */
const OPTIONS = { clientCapabilities: ['ask_user', 'upload_document'] } as const;

const OWN = { role: 'user' } as const;

/** One conversation, from the address that it is opened by. */
export function Conversation({ client, connection, data, onNew }: Props) {
  const address = useAddress();
  const agent = useAgent(client, address.cid, OPTIONS);
  const { conversationId } = agent;
  const [trigger, startAgain] = useTriggerStart(client, agent, address);
  const turns = useTurns(agent, data.deploymentId, !address.cid && !address.tid);
  const round = useRound(agent);
  const follow = useFollowEnd();
  useEffect(() => {
    // A reload, and whoever is given this address, opens it again.
    if (conversationId) setAddress({ cid: conversationId }, 'replace');
  }, [conversationId]);

  const sending =
    turns.sending ?? (trigger.kind === 'starting' && agent.messages.length === 0 ? trigger.content : null);
  const onOpenAgain = () => void agent.open(conversationId ?? '', OPTIONS).catch(() => {});
  const isStarting = conversationId === null && (sending !== null || trigger.kind === 'reading');
  // There is nothing to leave before the first word.
  const begin = conversationId !== null || isStarting ? onNew : undefined;
  const entry = entryState({ agent, trigger, ...data, onTriggerAgain: startAgain, onOpenAgain, onNew });
  return (
    <PageFrame name={data.name} actions={begin && <NewButton onClick={begin} disabled={isStarting} />}>
      {entry ?? (
        <>
          <ScrollRegion follow={round.calls.length > 0 ? withoutWayDown(follow) : follow} label="Conversation">
            <Earlier agent={agent} follow={follow} />
            {agent.history.length === 0 && !sending && agent.status === 'idle' && trigger.kind === 'none' && (
              <Welcome />
            )}
            <Timeline items={agent.history.filter((item) => !isWaiting(item, round))} />
            {sending && <MessageRow {...OWN} content={sending} note="Sending…" />}
            <Rest {...{ agent, round, turns }} isReading={trigger.kind === 'reading'} />
          </ScrollRegion>
          <div className="mx-auto w-full max-w-3xl shrink-0 px-3 pb-3 empty:hidden sm:px-4">
            <ConnectionNotice connection={connection} />
          </div>
          <Foot
            {...{ agent, onNew }}
            isBusy={sending !== null || trigger.kind === 'reading'}
            onSend={sendOf(turns, round, follow)}
          />
        </>
      )}
    </PageFrame>
  );
}

/** What is behind the beginning of a form is the rest of it, and the way there would cover its fields. */
const withoutWayDown = (follow: FollowEnd): FollowEnd => ({ ...follow, isAtEnd: true });

/** Calls that wait are shown by their forms. */
function isWaiting(item: UseAgent['history'][number], { calls }: Round): boolean {
  return item.type === 'client_tool' && calls.some(({ callId }) => callId === item.callId);
}

function sendOf(turns: Turns, round: Round, follow: FollowEnd): Turns['say'] {
  return (content) => {
    round.dropNote();
    follow.toEnd();
    return turns.say(content);
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

function Earlier({ agent, follow }: { readonly agent: UseAgent; readonly follow: FollowEnd }) {
  if (!agent.historyPageInfo?.hasMore) return null;
  const load = () => {
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
      <p className="text-muted">
        Write a message to begin. You can leave and come back: this page’s address opens the conversation again.
      </p>
    </div>
  );
}

interface RestProps {
  readonly agent: UseAgent;
  readonly round: Round;
  readonly turns: Turns;
  readonly isReading: boolean;
}

/** What stands behind the timeline: what is going on now, and what has gone wrong. */
function Rest({ agent, round, turns, isReading }: RestProps) {
  const { conversationId, error, status } = agent;
  const isWhole = round.calls.length > 0 && round.calls.every(({ callId }) => round.given.has(callId));
  const onContinue = () => {
    round.dropNote();
    turns.goOn();
  };
  return (
    <>
      {round.note && <Notice>{round.note}</Notice>}
      {conversationId && round.calls.length > 0 && (
        <PendingRound {...{ round, conversationId }} isSending={isWhole && status === 'running'} />
      )}
      <WorkStatus status={isReading ? 'loading' : status} waiting={round.calls.length} />
      {turns.refusal && <Notice tone="warn">{wordsOf(turns.refusal)}</Notice>}
      {error && !isOfForm(error) && (
        <RunNotice {...{ error, onContinue }} onRetry={isWhole ? round.retry : undefined} />
      )}
    </>
  );
}

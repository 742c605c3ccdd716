import { useEffect, useRef, useState } from 'react';
import type { PageBranding } from '../../contract/branding/branding.ts';
import { OFFERED_CLIENT_TOOLS } from '../../contract/client-tools.ts';
import type { MessageContent, ParleyClient } from '../../sdk/index.ts';
import { type UseAgent, useAgent } from '../../sdk/react/index.ts';
import { BranchContext } from '../branches/branch-context.ts';
import { type Round, useRound } from '../calls/use-round.ts';
import { ConversationAside, ConversationDrawer } from '../conversations/conversation-panels.tsx';
import type { SavedConversations } from '../conversations/saved-conversations.ts';
import { useConversationList } from '../conversations/use-conversation-list.tsx';
import { RatingContext } from '../feedback/rating-context.ts';
import { setAddress, useAddress } from '../hosted/address.ts';
import { type HostedData, nameOf } from '../hosted/branding.ts';
import { EmptyConversation } from '../hosted/empty-conversation.tsx';
import { useEscape } from '../hosted/escape.ts';
import { type FollowEnd, useFollowEnd } from '../hosted/follow-end.ts';
import { ForkNote } from '../hosted/fork-note.tsx';
import { HandlingStatus } from '../hosted/handling-status.tsx';
import { PageFrame } from '../hosted/page-frame.tsx';
import { ScrollRegion } from '../hosted/scroll-region.tsx';
import { TypingLine } from '../hosted/typing-line.tsx';
import { usePageFiles } from '../hosted/use-page-files.ts';
import { usePresence } from '../hosted/use-presence.ts';
import { usePrompts } from '../hosted/use-prompts.ts';
import { useStop } from '../hosted/use-stop.ts';
import type { UserSession } from '../hosted/user-session.ts';
import { useWidgetReport } from '../hosted/widget-report.ts';
import { FilesContext } from '../messages/page-files.ts';
import { texts } from '../texts/current.ts';
import { BranchNotices } from '../timeline/branch-notices.tsx';
import { MessageRow } from '../timeline/message-row.tsx';
import { Timeline } from '../timeline/timeline.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import type { WatchedConnection } from './connection.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { CurrentActivity } from './current-activity.tsx';
import { entryState } from './entry.tsx';
import { Foot } from './foot.tsx';
import { useAgentBranches } from './use-agent-branches.ts';
import { useSaved } from './use-saved.ts';
import { type Skip, useSkip } from './use-skip.ts';
import { type TriggerStart, useTriggerStart } from './use-trigger-start.ts';
import { type Turns, useTurns } from './use-turns.ts';

interface Props {
  readonly client: ParleyClient;
  readonly connection: WatchedConnection;
  readonly data: HostedData;
  /** Undefined for a visitor. */
  readonly user: UserSession | undefined;
  readonly saved: SavedConversations;
  /** Shows a conversation, or with null a new one. */
  readonly onOpen: (conversationId: string | null) => void;
  /** Starts another conversation. Undefined if this deployment requires a link. */
  readonly onNew: (() => void) | undefined;
}

/** The tools with a form on this page. For other tools that the deployment always offers, the user enters JSON. */
const OPTIONS = { clientCapabilities: OFFERED_CLIENT_TOOLS };

const BY_USER = { role: 'user' } as const;

/** The conversation in the address, or a new one. */
export function Conversation(props: Props) {
  const { client, connection, data, saved, onNew } = props;
  const t = texts();
  const address = useAddress();
  const agent = useAgent(client, address.cid, OPTIONS);
  const { conversationId } = agent;
  const [trigger, retryStart] = useTriggerStart(client, agent, address);
  const turns = useTurns(agent, data.deploymentId, !address.cid && !address.tid);
  const round = useRound(agent);
  const skip = useSkip(agent, turns.send);
  const stop = useStop(agent);
  const field = useRef<HTMLTextAreaElement>(null);
  const replacing = useAgentBranches(agent, { saved, onOpen: props.onOpen, field, isSending: turns.sending !== null });
  const follow = useFollowEnd();
  const [isAnnounced, setAnnounced] = useAnnounced(agent);
  useSaved(saved, agent);
  useEscape(() => {
    stop.stop?.();
    return stop.stop !== undefined;
  });
  useAgentReport(agent, address.cid);
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
  const send = sendOf({ turns, skip, round, follow });
  const prompts = usePrompts(field, send);
  const files = usePageFiles(client, conversationId, data.maxFileBytes);
  const { typist, onType } = usePresence({ ...props, ...data, conversationId, handling: agent.handling });
  const { list, dialog } = useConversationList(props);
  return (
    <PageFrame
      name={nameOf(data)}
      logoUrl={data.branding.logoUrl}
      leading={<ConversationDrawer {...list} />}
      aside={<ConversationAside {...list} />}
      actions={onNewClick && <NewButton onClick={onNewClick} disabled={isStarting} />}
    >
      {entry ?? (
        <FilesContext value={files}>
          <ScrollRegion follow={followOf(follow, round)} label={t.page.conversation}>
            <LoadEarlier {...{ agent, follow }} onLoad={() => setAnnounced(false)} />
            {isEmpty(agent, sending, trigger) && <Welcome branding={data.branding} onPrompt={prompts.choose} />}
            <div
              role="log"
              aria-label={t.page.messages}
              aria-live={isAnnounced ? 'polite' : 'off'}
              aria-relevant="additions"
            >
              <RatingContext value={agent.rateMessage}>
                <BranchContext value={data.allowEditing ? replacing.branches : undefined}>
                  <Timeline items={agent.history.filter((item) => !isPending(item, round))} />
                </BranchContext>
              </RatingContext>
            </div>
            <HandlingStatus
              conversationId={address.cid}
              isLoaded={agent.historyPageInfo !== null}
              items={agent.history}
            />
            <BranchNotices {...replacing} />
            <ForkNote conversationId={conversationId} lastMessageId={replacing.branches.lastId} />
            {sending && <MessageRow {...BY_USER} content={sending} note={t.turn.sending} />}
            <CurrentActivity {...{ agent, round, turns, skip, stop }} isReading={trigger.kind === 'reading'} />
            <TypingLine name={typist} />
          </ScrollRegion>
          <div className="mx-auto w-full max-w-3xl shrink-0 px-3 pb-3 empty:hidden sm:px-4">
            <ConnectionNotice connection={connection} />
          </div>
          <Foot
            {...{ agent, stop, onNew, field, onType }}
            beginning={prompts.beginning}
            isBusy={sending !== null || skip.isSkipping || trigger.kind === 'reading'}
            onSend={send}
          />
        </FilesContext>
      )}
      {dialog}
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

/** Hides the button that goes to the end while a form is shown: it would cover the fields of the form, which reaches to the end. */
const followOf = (follow: FollowEnd, { calls }: Round): FollowEnd =>
  calls.length > 0 ? { ...follow, isAtEnd: true } : follow;

/** A pending call is shown as a form instead of a row. */
function isPending(item: UseAgent['history'][number], { calls }: Round): boolean {
  return item.type === 'client_tool' && calls.some(({ callId }) => callId === item.callId);
}

interface Sending {
  readonly turns: Turns;
  readonly skip: Skip;
  readonly round: Round;
  readonly follow: FollowEnd;
}

function sendOf({ turns, skip, round, follow }: Sending): Turns['send'] {
  return (content) => {
    round.clearNote();
    follow.toEnd();
    return round.calls.length > 0 ? skip.send(content) : turns.send(content);
  };
}

/** Reports the conversation to the widget, unless it does not exist. */
function useAgentReport({ error, history }: UseAgent, conversation: string | null): void {
  useWidgetReport(error?.status === 404 ? null : conversation, history.flatMap(replyNumbers));
}

/** The number of an item that is for the user to read or to answer. */
function replyNumbers(item: UseAgent['history'][number]): number[] {
  const isReply = item.type === 'message' && item.role === 'assistant';
  const isQuestion = item.type === 'client_tool' && item.status === 'pending';
  return isReply || isQuestion ? [Number(item.id.replace(/^\D+/, ''))] : [];
}

function NewButton({ onClick, disabled }: { readonly onClick: () => void; readonly disabled: boolean }) {
  return (
    <Button small aria-label={texts().page.newConversation} className="md:hidden" {...{ onClick, disabled }}>
      <Icon name="plus" className="size-4" />
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
      {texts().agent.loadEarlier}
    </Button>
  );
}

interface WelcomeProps {
  readonly branding: PageBranding;
  readonly onPrompt: (prompt: string) => void;
}

function Welcome({ branding, onPrompt }: WelcomeProps) {
  const t = texts().agent;
  return (
    <EmptyConversation {...{ branding, onPrompt }}>
      <h2 className="max-w-prose text-2xl font-semibold text-balance whitespace-pre-wrap">
        {branding.greeting ?? t.greeting}
      </h2>
      {!branding.greeting && <p className="text-muted">{t.greetingAdvice}</p>}
    </EmptyConversation>
  );
}

function isEmpty({ history, status }: UseAgent, sending: MessageContent | null, trigger: TriggerStart): boolean {
  return history.length === 0 && !sending && status === 'idle' && trigger.kind === 'none';
}

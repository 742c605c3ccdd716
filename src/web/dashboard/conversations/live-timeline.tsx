import type { ResultOf } from 'gql.tada';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { HistoryItem } from '../../../sdk/index.ts';
import type { UseAgent } from '../../../sdk/react/index.ts';
import { BranchContext } from '../../branches/branch-context.ts';
import { BranchNotices } from '../../timeline/branch-notices.tsx';
import { LiveMessage } from '../../timeline/live-message.tsx';
import { Timeline } from '../../timeline/timeline.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { CONVERSATION } from './documents.ts';
import { ratingsOf, withRatings } from './message-ratings.ts';
import { RunningTurn } from './stop-turn.tsx';
import { SummaryLine, summariesOf } from './summary-line.tsx';
import { lastItems, TurnLine } from './turn-line.tsx';
import { useConversationBranches } from './use-conversation-branches.ts';

interface Props {
  readonly conversation: Conversation;
  readonly agent: UseAgent;
  readonly canWrite: boolean;
}

type Conversation = NonNullable<ResultOf<typeof CONVERSATION>['conversation']>;

/** The items of a conversation, updated live. It starts with the latest page. */
export function LiveTimeline({ conversation, agent, canWrite }: Props) {
  const { conversationId: id } = conversation;
  const { history, historyPageInfo, live, status, error, loadMoreHistory, open } = agent;
  const { answeredBy, ratings, summaries, last } = useMemo(
    () => factsOf(conversation, history),
    [conversation, history],
  );
  const timeline = useRef<HTMLDivElement>(null);
  const replacing = useConversationBranches({ conversation, agent, canWrite, timeline });
  const end = useEnd(status !== 'loading' && history.length > 0);
  const after = ({ id: itemId }: HistoryItem) => {
    const turn = last.get(itemId);
    const summary = summaries.get(itemId);
    return (
      <>
        {turn && turn.status !== 'RUNNING' && <TurnLine conversationId={id} turn={turn} />}
        {summary !== undefined && <SummaryLine text={summary} />}
      </>
    );
  };
  const [isOlderFailed, setOlderFailed] = useState(false);
  const showOlder = () =>
    loadMoreHistory().then(
      () => setOlderFailed(false),
      () => setOlderFailed(true),
    );
  // The error may also be that of the latest turn, which the details show.
  const isLoadError = error && historyPageInfo === null;
  if (isLoadError) {
    const again = (
      <Button small onClick={() => open(id).catch(() => {})}>
        Try again
      </Button>
    );
    return (
      <Notice tone="danger" action={again}>
        {error.message}
      </Notice>
    );
  }
  return (
    <div className="flex flex-col gap-4" aria-busy={status === 'loading' || undefined}>
      {historyPageInfo?.hasMore && (
        <Button small className="self-center" onClick={showOlder}>
          Show older
        </Button>
      )}
      {isOlderFailed && <Notice tone="danger">Older items could not be loaded. Try again.</Notice>}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be announced as a form */}
      <div ref={timeline} role="group" aria-label="Messages" tabIndex={-1} className="outline-none">
        <BranchContext value={replacing.branches}>
          <Timeline items={withRatings(history, ratings)} raw {...{ answeredBy, after }} />
        </BranchContext>
      </div>
      <BranchNotices {...replacing} />
      <LiveMessage live={live} />
      {status === 'running' && <RunningTurn {...{ id, canWrite }} />}
      {status === 'loading' && <Skeleton rows={6} />}
      <div ref={end} />
    </div>
  );
}

/** What the items of the timeline show in addition to the feed of turns. */
function factsOf({ history: { nodes }, runs }: Conversation, history: readonly HistoryItem[]) {
  const answers = nodes.flatMap((item) =>
    'answeredBy' in item && item.answeredBy !== null ? [[item.callId, item.answeredBy] as const] : [],
  );
  const runIds = nodes.flatMap(({ itemId, run }) => (run ? [[itemId, run.runId] as const] : []));
  return {
    answeredBy: new Map(answers),
    ratings: ratingsOf(nodes),
    summaries: summariesOf(nodes),
    last: lastItems(history, runs.nodes, new Map(runIds)),
  };
}

/** Scrolls to the newest item once, when the items have loaded. A short conversation stays under its title. */
function useEnd(isLoaded: boolean) {
  const end = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const height = end.current?.parentElement?.offsetHeight ?? 0;
    if (isLoaded && height > window.innerHeight) end.current?.scrollIntoView({ block: 'end' });
  }, [isLoaded]);
  return end;
}

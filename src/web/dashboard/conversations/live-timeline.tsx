import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { HistoryItem } from '../../../sdk/index.ts';
import type { UseAgent } from '../../../sdk/react/index.ts';
import { LiveMessage } from '../../timeline/live-message.tsx';
import { Timeline } from '../../timeline/timeline.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { type Ratings, withRatings } from './message-ratings.ts';
import { RunningTurn } from './stop-turn.tsx';
import { type Summaries, SummaryLine } from './summary-line.tsx';
import { lastItems, type Turn, TurnLine } from './turn-line.tsx';

interface Props {
  readonly id: string;
  readonly agent: UseAgent;
  readonly canWrite: boolean;
  /** The names of the members who answered calls, by call ID. */
  readonly answeredBy: ReadonlyMap<string, string>;
  /** Newest first. */
  readonly turns: readonly Turn[];
  /** The current ratings of the latest messages. */
  readonly ratings: Ratings;
  readonly summaries: Summaries;
}

/** The items of a conversation, updated live. It starts with the latest page. */
export function LiveTimeline({ id, agent, canWrite, answeredBy, turns, ratings, summaries }: Props) {
  const { history, historyPageInfo, live, status, error, loadMoreHistory, open } = agent;
  const last = useMemo(() => lastItems(history, turns), [history, turns]);
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
      <Timeline items={withRatings(history, ratings)} raw {...{ answeredBy, after }} />
      <LiveMessage live={live} />
      {status === 'running' && <RunningTurn {...{ id, canWrite }} />}
      {status === 'loading' && <Skeleton rows={6} />}
      <div ref={end} />
    </div>
  );
}

/** Scrolls to the newest item once, when the items have loaded. */
function useEnd(isLoaded: boolean) {
  const end = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isLoaded) end.current?.scrollIntoView({ block: 'end' });
  }, [isLoaded]);
  return end;
}

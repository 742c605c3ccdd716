import type { ResultOf } from 'gql.tada';
import { Link } from 'wouter';
import type { HistoryItem } from '../../../sdk/index.ts';
import { RunBadge } from '../frame/run-badge.tsx';
import { useHref } from '../location.ts';
import { usePermission } from '../session/session.ts';
import { TryTurnWithDraft } from '../workflows/playground/open-in-playground.tsx';
import type { CONVERSATION } from './documents.ts';
import { FailureNotice } from './failure-notice.tsx';

export type Turn = NonNullable<ResultOf<typeof CONVERSATION>['conversation']>['runs']['nodes'][number];

/**
 * The last item of each turn with its turn. `runIds` has the turns of the latest items: a message whose turn runs again
 * belongs to a later turn. A conversation has one turn at a time, so any other item belongs to the latest turn that began
 * before it.
 */
export function lastItems(
  items: readonly HistoryItem[],
  turns: readonly Turn[],
  runIds: ReadonlyMap<string, string>,
): ReadonlyMap<string, Turn> {
  const last = new Map<Turn, string>();
  for (const { id, createdAt } of items) {
    const runId = runIds.get(id);
    // Newest first. Both times have the same format.
    const turn = turns.find((one) => (runId ? one.runId === runId : one.createdAt <= createdAt));
    if (turn) last.set(turn, id);
  }
  return new Map([...last].map(([turn, id]) => [id, turn]));
}

interface Props {
  readonly conversationId: string;
  readonly turn: Turn;
}

/** The end of a turn in the timeline: its failure, if any, and the link to its trace. */
export function TurnLine({ conversationId, turn: { runId, status, failure, requestId } }: Props) {
  const href = useHref();
  const canTrace = usePermission('traces:read');
  const trace = canTrace && (
    <Link
      to={href(`/conversations/${conversationId}/runs/${runId}`)}
      className="inline-flex min-h-6 items-center text-accent hover:underline"
    >
      Trace of this turn
    </Link>
  );
  if (failure) {
    return (
      <div className="mt-3">
        <FailureNotice {...{ failure, requestId }}>
          {trace}
          <TryTurnWithDraft {...{ conversationId, runId }} />
        </FailureNotice>
      </div>
    );
  }
  if (!canTrace) return null;
  return (
    <div className="mt-1 flex flex-wrap items-center gap-3 text-sm">
      {(status === 'INTERRUPTED' || status === 'EXPIRED') && <RunBadge status={status} />}
      {trace}
    </div>
  );
}

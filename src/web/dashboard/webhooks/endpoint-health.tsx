import type { ResultOf } from 'gql.tada';
import { formatCount, formatPercent } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import type { ENDPOINTS } from './documents.ts';

type Health = ResultOf<typeof ENDPOINTS>['webhookEndpoints']['nodes'][number]['health'];

/** The attempts of the last 24 hours: the share that was delivered, the median duration and the last failure. */
export function EndpointHealth({ health }: { readonly health: Health }) {
  const { attemptCount, deliveredCount, medianDurationMs, lastFailure } = health;
  if (attemptCount === 0) return <span className="text-sm text-muted">No attempts in 24 hours</span>;
  const isPerfect = deliveredCount === attemptCount;
  return (
    <span className="flex flex-col gap-0.5 text-sm">
      <span className={`tabular-nums ${isPerfect ? '' : 'font-medium text-danger'}`}>
        {formatPercent(deliveredCount, attemptCount)} of {formatCount(attemptCount)} delivered
      </span>
      {medianDurationMs !== null && <span className="text-muted">Median {formatCount(medianDurationMs)} ms</span>}
      {lastFailure && (
        <span className="text-muted">
          Last failure <Time at={lastFailure.at} />: {lastFailure.error}
        </span>
      )}
    </span>
  );
}

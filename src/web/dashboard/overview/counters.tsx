import { Badge } from '../../ui/notice.tsx';
import { useLive } from '../live/live-activity.tsx';
import { countOf } from '../numbers.ts';

/** Whether what is shown moves by itself. Losing the connection is no fault of the reader's, and mends itself. */
export function LiveSign() {
  const { connected } = useLive();
  return (
    <span role="status">
      <Badge tone={connected ? 'ok' : 'neutral'}>{connected ? 'Up to date' : 'Connecting…'}</Badge>
    </span>
  );
}

const COUNTERS = [
  ['running', 'Running now', 'Turns that are at work'],
  ['waiting', 'Waiting now', 'Turns that wait for their client'],
  ['turns', 'Turns', 'In the last hour'],
  ['failures', 'Failures', 'In the last hour'],
] as const;

/** What is going on at this moment. */
export function LiveCounters() {
  const { counters } = useLive();
  return (
    <dl aria-label="Right now" className="grid grid-cols-2 gap-3 lg:grid-cols-4 lg:gap-4">
      {COUNTERS.map(([name, title, what]) => (
        <div key={name} className="flex flex-col rounded-xl border border-line bg-surface p-4 lg:p-5">
          <dt className="text-sm font-medium text-muted">{title}</dt>
          <dd
            className={`text-3xl font-semibold tabular-nums ${name === 'failures' && counters?.failures ? 'text-danger' : ''}`}
          >
            {counters ? countOf(counters[name]) : '–'}
          </dd>
          <dd className="text-sm text-muted">{what}</dd>
        </div>
      ))}
    </dl>
  );
}

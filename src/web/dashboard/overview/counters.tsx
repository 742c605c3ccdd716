import { Badge } from '../../ui/notice.tsx';
import { formatCount } from '../../ui/numbers.ts';
import { useLive } from '../live/live-activity.tsx';

/** Whether the page updates live. A lost connection reconnects automatically, so it is not shown as an error. */
export function LiveBadge() {
  const { connected } = useLive();
  return (
    <span role="status">
      <Badge tone={connected ? 'ok' : 'neutral'}>{connected ? 'Updates live' : 'Connecting…'}</Badge>
    </span>
  );
}

const COUNTERS = [
  ['running', 'Running', 'Turns in progress'],
  ['waiting', 'Waiting', 'Turns that wait for the client'],
  ['turns', 'Turns', 'In the last hour'],
  ['failures', 'Failures', 'In the last hour'],
] as const;

/** The counters of the environment. They update live. */
export function LiveCounters() {
  const { counters } = useLive();
  return (
    <dl aria-label="Current activity" className="grid grid-cols-2 gap-3 lg:grid-cols-4 lg:gap-4">
      {COUNTERS.map(([name, title, description]) => (
        <div key={name} className="flex flex-col rounded-xl border border-line bg-surface p-4 shadow-sm lg:p-5">
          <dt className="text-sm font-medium text-muted">{title}</dt>
          <dd
            className={`text-3xl font-semibold tabular-nums ${name === 'failures' && counters?.failures ? 'text-danger' : ''}`}
          >
            {counters ? formatCount(counters[name]) : '–'}
          </dd>
          <dd className="text-sm text-muted">{description}</dd>
        </div>
      ))}
    </dl>
  );
}

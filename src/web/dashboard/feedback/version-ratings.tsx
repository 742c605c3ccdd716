import type { ResultOf } from 'gql.tada';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { Notice } from '../../ui/notice.tsx';
import { formatCount, formatPercent } from '../../ui/numbers.ts';
import { DayChart } from '../charts/day-chart.tsx';
import type { Series } from '../charts/plot.tsx';
import { dayAfter, daysOf, startOf, today } from '../days.ts';
import { Loaded } from '../frame/loaded.tsx';
import { Section } from '../frame/page-frame.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useHref } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { RATINGS } from './documents.ts';

type Ratings = ResultOf<typeof RATINGS>;
type Version = Ratings['versions'][number];

const DAYS = 30;

interface Props {
  readonly deployment: { readonly deploymentId: string };
}

/** What users think of the replies of a deployment: by version, and by day. */
export function VersionRatings({ deployment: { deploymentId } }: Props) {
  const canRead = usePermission('conversations:read');
  const last = today();
  const first = dayAfter(last, 1 - DAYS);
  const period = { from: startOf(first), to: startOf(dayAfter(last, 1)) };
  const query = useServiceQuery(RATINGS, { period, filter: { deploymentId } }, { pause: !canRead });
  if (!canRead)
    return <Notice>Your role does not allow you to see ratings. Ask an owner or admin for another role.</Notice>;
  return (
    <Section title="Feedback">
      <Loaded query={query}>
        {(ratings) =>
          ratings.versions.length === 0 ? (
            <p className="text-muted">
              No ratings in the last {DAYS} days. Users rate replies on the hosted pages, and clients with{' '}
              <code className="font-mono text-sm">rateMessage</code>.
            </p>
          ) : (
            <Charts {...{ ratings, deploymentId, first, last }} />
          )
        }
      </Loaded>
    </Section>
  );
}

interface ChartsProps {
  readonly ratings: Ratings;
  readonly deploymentId: string;
  readonly first: string;
  readonly last: string;
}

function Charts({ ratings, deploymentId, first, last }: ChartsProps) {
  const href = useHref();
  const days = useMemo(() => daysOf(first, last), [first, last]);
  const series = useMemo(() => seriesOf(ratings, days), [ratings, days]);
  return (
    <div className="flex flex-col gap-4">
      <Table
        label={`Ratings by version, last ${DAYS} days`}
        columns={COLUMNS}
        rows={ratings.versions}
        keyOf={({ version }) => String(version)}
        empty=""
      />
      <DayChart title="Ratings" {...{ days, series }} format={formatCount} whole />
      <Link
        to={href('/conversations', { deployment: deploymentId, rating: 'down' })}
        className="self-start text-accent hover:underline"
      >
        Conversations with replies that did not help
      </Link>
    </div>
  );
}

const COLUMNS: readonly Column<Version>[] = [
  { title: 'Version', cell: ({ version }) => `Version ${version}` },
  { title: 'Share', cell: (row) => <ShareBar {...row} /> },
  { title: 'Helpful', numeric: true, cell: ({ up, down }) => `${formatCount(up)} (${formatPercent(up, up + down)})` },
  { title: 'Not helpful', numeric: true, cell: ({ down }) => formatCount(down) },
];

/** A bar with the share of ratings. The other columns have the numbers. */
function ShareBar({ up, down }: Pick<Version, 'up' | 'down'>) {
  const share = (100 * up) / (up + down);
  return (
    <svg aria-hidden="true" className="inline-block h-3 w-32 overflow-hidden rounded-sm md:w-48">
      <rect width={`${share}%`} height="100%" className="fill-ok" />
      <rect x={`${share}%`} width={`${100 - share}%`} height="100%" className="fill-danger" />
    </svg>
  );
}

function seriesOf({ days: ratings }: Ratings, days: readonly string[]): Series[] {
  const byDay = new Map(ratings.map((one) => [one.day, one]));
  // The lower bar is drawn over the sum.
  const row = (label: string, color: Series['color'], of: (day: Ratings['days'][number]) => number): Series => ({
    label,
    color,
    look: 'bars',
    values: days.map((day) => {
      const rated = byDay.get(day);
      return rated ? of(rated) : 0;
    }),
  });
  return [row('All', 'accent', ({ up, down }) => up + down), row('Not helpful', 'danger', ({ down }) => down)];
}

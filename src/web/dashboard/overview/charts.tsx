import type { ResultOf } from 'gql.tada';
import { useMemo } from 'react';
import { formatAxisSeconds, formatCount, formatSeconds, formatShortCount } from '../../ui/numbers.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { DayChart } from '../charts/day-chart.tsx';
import type { Series } from '../charts/plot.tsx';
import { dayAfter, daysOf, startOf, today } from '../days.ts';
import { Choice } from '../frame/choice.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { useFilter } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { OVERVIEW } from './documents.ts';
import { Facts } from './facts.tsx';
import { NoTurns } from './no-turns.tsx';

type ReportData = ResultOf<typeof OVERVIEW>;
type Day = ReportData['days'][number];

const RANGES = [7, 30, 90] as const;

/** Charts of turns, failures, tokens and latency. */
export function Charts() {
  const [selected, setDays] = useFilter('days');
  const range = RANGES.find((days) => String(days) === selected) ?? 30;
  const last = today();
  const first = dayAfter(last, 1 - range);
  const query = useServiceQuery(OVERVIEW, {
    before: startOf(dayAfter(first, -range)),
    from: startOf(first),
    to: startOf(dayAfter(last, 1)),
  });
  const days = useMemo(() => daysOf(first, last), [first, last]);
  return (
    <section aria-labelledby="over-time" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="over-time" className="text-lg font-semibold">
          Trends
        </h2>
        <Choice
          label="Period"
          value={String(range)}
          options={RANGES.map((count) => [String(count), `${count} days`])}
          onChange={(count) => setDays(count === '30' ? '' : count)}
        />
      </div>
      <Loaded query={query} skeleton={<ChartsSkeleton />}>
        {(report) => (report.total[0]?.turns ? <Report {...{ report, days }} /> : <NoTurns days={range} />)}
      </Loaded>
    </section>
  );
}

function ChartsSkeleton() {
  return (
    <>
      <Skeleton rows={1} height="h-84 sm:h-64 lg:h-24" />
      <div aria-hidden="true" className="grid gap-4 lg:grid-cols-2">
        {CHARTS.map((title) => (
          <div key={title} className="h-83 animate-pulse rounded-xl bg-sunken" />
        ))}
      </div>
    </>
  );
}

const CHARTS = ['Turns', 'Failures', 'Tokens', 'Latency'] as const;

function Report({ report, days }: { readonly report: ReportData; readonly days: readonly string[] }) {
  const charts = useMemo(() => chartsOf(report, days), [report, days]);
  const [total] = report.total;
  if (!total) return null;
  return (
    <>
      <Facts total={total} previous={report.previous[0]} days={days.length} />
      <div className="grid gap-4 lg:grid-cols-2">
        <DayChart {...charts.turns} days={days} format={formatCount} formatAxis={formatShortCount} whole />
        <DayChart {...charts.failures} days={days} format={formatCount} formatAxis={formatShortCount} whole />
        <DayChart {...charts.tokens} days={days} format={formatCount} formatAxis={formatShortCount} whole />
        <DayChart {...charts.latency} days={days} format={formatSeconds} formatAxis={formatAxisSeconds} duration />
      </div>
    </>
  );
}

function chartsOf({ days: usage }: ReportData, days: readonly string[]) {
  const byDay = new Map(usage.map((day) => [day.day, day]));
  const row = (label: string, color: Series['color'], look: Series['look'], of: (day: Day) => number): Series => ({
    label,
    color,
    look,
    values: days.map((day) => {
      const usageOfDay = byDay.get(day);
      // A day without turns counts as 0, but has no latency.
      if (!usageOfDay) return look === 'bars' ? 0 : null;
      return of(usageOfDay);
    }),
  });
  return {
    turns: { title: 'Turns', series: [row('Turns', 'accent', 'bars', ({ turns }) => turns)] },
    failures: { title: 'Failures', series: [row('Failures', 'danger', 'bars', ({ failures }) => failures)] },
    tokens: {
      title: 'Tokens',
      series: [
        row('Input and output', 'accent', 'bars', ({ inputTokens, outputTokens }) => inputTokens + outputTokens),
        row('Output', 'ok', 'bars', ({ outputTokens }) => outputTokens),
      ],
    },
    latency: {
      title: 'Latency',
      series: [
        row('Median', 'accent', 'line', ({ medianResponseTime }) => medianResponseTime),
        row('p95', 'warn', 'line', ({ p95ResponseTime }) => p95ResponseTime),
      ],
    },
  };
}

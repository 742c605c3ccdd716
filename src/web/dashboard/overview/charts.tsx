import type { ResultOf } from 'gql.tada';
import { useMemo } from 'react';
import { DayChart, type Series } from '../charts/day-chart.tsx';
import { dayAfter, daysOf, startOf, today } from '../days.ts';
import { useFilter } from '../location.ts';
import { countOf, percentOf, secondsOf, shortCountOf, shortSecondsOf } from '../numbers.ts';
import { useReading } from '../requests.ts';
import { Loaded } from '../shell/loaded.tsx';
import { OVERVIEW } from './documents.ts';
import { TryIt } from './try-it.tsx';

type Report = ResultOf<typeof OVERVIEW>;
type Day = Report['days'][number];

const RANGES = [7, 30, 90] as const;

/** Turns, tokens, failures and latency of the last days. */
export function Charts() {
  const [chosen, choose] = useFilter('days');
  const range = RANGES.find((days) => String(days) === chosen) ?? 30;
  const last = today();
  const first = dayAfter(last, 1 - range);
  const reading = useReading(OVERVIEW, { from: startOf(first), to: startOf(dayAfter(last, 1)) });
  const days = useMemo(() => daysOf(first, last), [first, last]);
  return (
    <section aria-labelledby="over-time" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="over-time" className="text-lg font-semibold">
          Over time
        </h2>
        <fieldset className="flex rounded-lg border border-line bg-surface p-1">
          <legend className="sr-only">Range</legend>
          {RANGES.map((count) => (
            <label
              key={count}
              className="cursor-pointer rounded-md px-3 py-1 text-sm has-checked:bg-accent-soft has-checked:font-medium has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                name="range"
                className="sr-only"
                checked={count === range}
                onChange={() => choose(count === 30 ? '' : String(count))}
              />
              {count} days
            </label>
          ))}
        </fieldset>
      </div>
      <Loaded reading={reading}>
        {(report) => (report.total[0]?.turns ? <Drawn {...{ report, days }} /> : <TryIt days={range} />)}
      </Loaded>
    </section>
  );
}

function Drawn({ report, days }: { readonly report: Report; readonly days: readonly string[] }) {
  const charts = useMemo(() => chartsOf(report, days), [report, days]);
  const [total] = report.total;
  if (!total) return null;
  const facts = [
    ['Turns', countOf(total.turns)],
    ['Failed', `${countOf(total.failures)} (${percentOf(total.failures, total.turns)})`],
    ['Tokens read', shortCountOf(total.inputTokens)],
    ['Tokens written', shortCountOf(total.outputTokens)],
    ['Median time', secondsOf(total.medianResponseTime)],
    ['95 % within', secondsOf(total.p95ResponseTime)],
  ];
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3 lg:grid-cols-6">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="grid gap-4 lg:grid-cols-2">
        <DayChart {...charts.turns} days={days} format={countOf} formatAxis={shortCountOf} whole />
        <DayChart {...charts.failures} days={days} format={countOf} formatAxis={shortCountOf} whole />
        <DayChart {...charts.tokens} days={days} format={countOf} formatAxis={shortCountOf} whole />
        <DayChart {...charts.latency} days={days} format={secondsOf} formatAxis={shortSecondsOf} />
      </div>
    </>
  );
}

function chartsOf({ days: told }: Report, days: readonly string[]) {
  const byDay = new Map(told.map((day) => [day.day, day]));
  const row = (label: string, color: Series['color'], look: Series['look'], of: (day: Day) => number): Series => ({
    label,
    color,
    look,
    values: days.map((day) => {
      const known = byDay.get(day);
      // A day without a turn has a count, and no latency.
      if (!known) return look === 'bars' ? 0 : null;
      return of(known);
    }),
  });
  return {
    turns: { title: 'Turns', series: [row('Turns', 'accent', 'bars', ({ turns }) => turns)] },
    failures: { title: 'Failures', series: [row('Failures', 'danger', 'bars', ({ failures }) => failures)] },
    tokens: {
      title: 'Tokens',
      series: [
        row('Read and written', 'accent', 'bars', ({ inputTokens, outputTokens }) => inputTokens + outputTokens),
        row('Written', 'ok', 'bars', ({ outputTokens }) => outputTokens),
      ],
    },
    latency: {
      title: 'Latency',
      series: [
        row('Median', 'accent', 'line', ({ medianResponseTime }) => medianResponseTime),
        row('95 % within', 'warn', 'line', ({ p95ResponseTime }) => p95ResponseTime),
      ],
    },
  };
}

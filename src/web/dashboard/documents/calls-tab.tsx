import type { ResultOf } from 'gql.tada';
import { useMemo } from 'react';
import { formatAxisSeconds, formatCount, formatPercent, formatSeconds } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import { DayChart } from '../charts/day-chart.tsx';
import type { Series } from '../charts/plot.tsx';
import { dayAfter, daysOf, today } from '../days.ts';
import { Fact, Facts } from '../frame/expandable.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { Section } from '../frame/page-frame.tsx';
import { useServiceQuery } from '../requests.ts';
import { DOCUMENT_CALLS } from './documents.ts';
import { formatMs } from './format.ts';

type Calls = NonNullable<ResultOf<typeof DOCUMENT_CALLS>['document']>['calls'];

const DAYS = 30;

/** The calls of the last days: counts, errors and response times. */
export function CallsTab({ documentId }: { readonly documentId: string }) {
  const query = useServiceQuery(DOCUMENT_CALLS, { id: documentId, days: DAYS });
  return (
    <Loaded query={query}>
      {({ document }) => document && (document.calls.calls === 0 ? <NoCalls /> : <Report calls={document.calls} />)}
    </Loaded>
  );
}

function NoCalls() {
  return (
    <Section title="Calls">
      <p className="text-muted">No calls in the last {DAYS} days. A call appears here after a few seconds.</p>
    </Section>
  );
}

function Report({ calls }: { readonly calls: Calls }) {
  const days = useMemo(() => daysOf(dayAfter(today(), 1 - DAYS), today()), []);
  const { counts, times } = useMemo(() => seriesOf(calls, days), [calls, days]);
  return (
    <>
      <Section title={`Last ${DAYS} days`}>
        <Facts>
          <Fact name="Calls">{formatCount(calls.calls)}</Fact>
          <Fact name="Errors">{`${formatCount(calls.errors)} (${formatPercent(calls.errors, calls.calls)})`}</Fact>
          <Fact name="Median response time">{formatMs(calls.medianMs)}</Fact>
          <Fact name="p95 response time">{formatMs(calls.p95Ms)}</Fact>
          <Fact name="Average response time">{formatMs(calls.averageMs)}</Fact>
          <Fact name="Latest call">{calls.lastCalledAt && <Time at={calls.lastCalledAt} />}</Fact>
        </Facts>
      </Section>
      <div className="grid gap-4 lg:grid-cols-2">
        <DayChart title="Calls" days={days} series={counts} format={formatCount} whole />
        <DayChart
          title="Response time"
          days={days}
          series={times}
          format={formatSeconds}
          formatAxis={formatAxisSeconds}
          duration
        />
      </div>
    </>
  );
}

function seriesOf(calls: Calls, days: readonly string[]) {
  const byDay = new Map(calls.days.map((one) => [one.day.slice(0, 10), one]));
  const valuesOf = (of: (day: Calls['days'][number]) => number | null, missing: number | null) =>
    days.map((day) => {
      const one = byDay.get(day);
      return one ? of(one) : missing;
    });
  const seconds = (ms: number | null) => (ms === null ? null : ms / 1_000);
  const counts: readonly Series[] = [
    { label: 'Calls', color: 'accent', look: 'bars', values: valuesOf((day) => day.calls, 0) },
    { label: 'Errors', color: 'danger', look: 'bars', values: valuesOf((day) => day.errors, 0) },
  ];
  const times: readonly Series[] = [
    { label: 'p95', color: 'warn', look: 'line', values: valuesOf((day) => seconds(day.p95Ms), null) },
    { label: 'Median', color: 'accent', look: 'line', values: valuesOf((day) => seconds(day.medianMs), null) },
  ];
  return { counts, times };
}

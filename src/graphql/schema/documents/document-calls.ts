import { LIMITS } from '../../../contract/limits.ts';
import { type CallCounts, type DayCalls, documentCalls } from '../../../domain/documents/call-counts.ts';
import { percentileMs, sumOfDurations } from '../../../domain/documents/durations.ts';
import { builder } from '../builder.ts';
import { DocumentObject } from './documents.ts';

const sum = (days: CallCounts, value: (day: DayCalls) => number) => days.reduce((total, day) => total + value(day), 0);

/** Null without calls. */
function averageMs(days: CallCounts): number | null {
  const calls = sum(days, (day) => day.calls);
  return calls === 0 ? null : sum(days, ({ totalMs }) => totalMs) / calls;
}

const percentile = (share: number, days: CallCounts): number | null =>
  percentileMs(sumOfDurations(days.map(({ durations }) => durations)), share);

const PERCENTILES = {
  median:
    'The median response time in milliseconds, accurate to a tenth. Null: no calls, or calls of an older release.',
  p95: 'The 95th percentile of the response time in milliseconds, accurate to a tenth. Null: no calls, or calls of an older release.',
} as const;

const DayObject = builder.objectRef<DayCalls>('DocumentCallDay').implement({
  description: 'The calls of a document on one day.',
  fields: (t) => ({
    day: t.expose('day', { type: 'DateTime', description: 'The start of the day in UTC.' }),
    calls: t.exposeInt('calls', { description: 'Calls on all APIs.' }),
    errors: t.exposeInt('errors', { description: 'Calls that ended with an error.' }),
    averageMs: t.float({
      description: 'The average response time in milliseconds.',
      resolve: (day) => averageMs([day]) ?? 0,
    }),
    medianMs: t.float({
      nullable: true,
      description: PERCENTILES.median,
      resolve: (day) => percentile(0.5, [day]),
    }),
    p95Ms: t.float({
      nullable: true,
      description: PERCENTILES.p95,
      resolve: (day) => percentile(0.95, [day]),
    }),
  }),
});

const CallsObject = builder.objectRef<CallCounts>('DocumentCalls').implement({
  description: 'The calls of a document in a period, on all APIs. They are stored every few seconds.',
  fields: (t) => ({
    calls: t.int({ description: 'Calls in the whole period.', resolve: (days) => sum(days, ({ calls }) => calls) }),
    errors: t.int({
      description: 'Calls that ended with an error, or whose mutation returned an error.',
      resolve: (days) => sum(days, ({ errors }) => errors),
    }),
    averageMs: t.float({
      nullable: true,
      description: 'The average response time in milliseconds. Null: no calls.',
      resolve: averageMs,
    }),
    medianMs: t.float({
      nullable: true,
      description: PERCENTILES.median,
      resolve: (days) => percentile(0.5, days),
    }),
    p95Ms: t.float({
      nullable: true,
      description: PERCENTILES.p95,
      resolve: (days) => percentile(0.95, days),
    }),
    lastCalledAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The latest call. Null: no calls.',
      resolve: (days) => days.at(-1)?.lastCalledAt ?? null,
    }),
    days: t.field({
      type: [DayObject],
      description: 'The days with calls, oldest first.',
      resolve: (days) => [...days],
    }),
  }),
});

const DEFAULT_DAYS = 30;

builder.prismaObjectField(DocumentObject, 'calls', (t) =>
  t.field({
    type: CallsObject,
    select: { id: true },
    description: 'Its calls on its latest days.',
    args: {
      days: t.arg.int({
        required: true,
        defaultValue: DEFAULT_DAYS,
        description: `The number of days, today included: 1 to ${LIMITS.documentCallDays}.`,
      }),
    },
    resolve: ({ id }, { days }, { domain }) => documentCalls(domain, id, days),
  }),
);

import { LIMITS } from '../../../contract/limits.ts';
import { type HandOverReport, reportHandOvers } from '../../../domain/handling/report.ts';
import type { CostExtensions } from '../../../operation/document-cost.ts';
import { builder } from '../builder.ts';
import { ReportPeriodInput } from '../filters.ts';

/** Seconds with milliseconds. */
const rounded = (seconds: number | null) => seconds && Math.round(seconds * 1_000) / 1_000;

const HandOverReportObject = builder.objectRef<HandOverReport>('HandOverReport').implement({
  description: 'How people handled conversations in a period, and which wait now.',
  fields: (t) => ({
    handOvers: t.exposeInt('handOvers', {
      description: 'How many times a conversation began to wait for a person in the period.',
    }),
    taken: t.exposeInt('taken', {
      description: 'How many times a person took a conversation over in the period, also one that did not wait.',
    }),
    medianFirstAnswerTime: t.float({
      nullable: true,
      description:
        'Median time from the hand-over to the first message of a person, in seconds, of the first messages in the period. Null: there were no such messages.',
      resolve: ({ medianFirstAnswerSeconds }) => rounded(medianFirstAnswerSeconds),
    }),
    p95FirstAnswerTime: t.float({
      nullable: true,
      description: '95th percentile of that time, in seconds. Null: there were no such messages.',
      resolve: ({ p95FirstAnswerSeconds }) => rounded(p95FirstAnswerSeconds),
    }),
    waiting: t.exposeInt('waiting', { description: 'Conversations that wait for a person now.' }),
    oldestWaitingSince: t.expose('oldestWaitingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when the first of them waits. Null: no conversation waits.',
    }),
  }),
});

builder.queryField('handOverReport', (t) =>
  t.field({
    publishing: 'reads',
    type: HandOverReportObject,
    access: { scope: 'conversations:read' },
    // The query reads the whole period.
    extensions: { cost: 200 } satisfies CostExtensions,
    description:
      'How people handled the conversations of the environment in a period, and which wait now. Deleted conversations are not counted. Scope: conversations:read.',
    args: {
      period: t.arg({
        type: ReportPeriodInput,
        required: true,
        description: `The period: at most ${LIMITS.usageDays} days.`,
      }),
    },
    resolve: (_root, report, { domain }) => reportHandOvers(domain, report),
  }),
);

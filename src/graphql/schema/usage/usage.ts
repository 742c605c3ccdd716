import { LIMITS } from '../../../contract/limits.ts';
import { reportUsage, type UsageRow } from '../../../domain/usage/report.ts';
import type { CostExtensions } from '../../../operation/document-cost.ts';
import { type ArgumentFields, builder } from '../builder.ts';
import { UsageGroupEnum } from '../enums.ts';
import { ReportPeriodInput } from '../filters.ts';
import { tokenFields } from './token-fields.ts';

const seconds = (ms: number) => Math.round(ms) / 1_000;

export const UsageObject = builder.objectRef<UsageRow>('Usage').implement({
  description: 'The usage of a group of turns and one-shot runs.',
  fields: (t) => ({
    day: t.exposeString('day', {
      nullable: true,
      description: 'The day in UTC, for example 2026-01-31. Null: not grouped by day.',
    }),
    deploymentId: t.expose('deploymentId', {
      type: 'UUID',
      nullable: true,
      description: 'The ID of the deployment. Null: not grouped by deployment, or tests of drafts.',
    }),
    workflowId: t.exposeInt('workflowId', {
      nullable: true,
      description: 'The ID of the workflow. Null: not grouped by version.',
    }),
    version: t.exposeInt('version', {
      nullable: true,
      description: 'The version of the workflow. Null: not grouped by version, or tests of drafts.',
    }),
    model: t.exposeString('model', { nullable: true, description: 'The model. Null: not grouped by model.' }),
    endUser: t.exposeString('endUser', {
      nullable: true,
      description:
        'The end user. Null: not grouped by end user, or the conversation belongs to no end user or was deleted.',
    }),
    turns: t.exposeInt('turns', {
      description: 'Number of turns and one-shot runs. A turn that pauses and resumes counts as two.',
    }),
    failures: t.exposeInt('failures', { description: 'Number of failed turns and one-shot runs.' }),
    ...tokenFields((count, description) => t.expose(count, { type: 'SafeInt', description })),
    medianResponseTime: t.float({
      description: 'Median response time in seconds.',
      resolve: ({ medianResponseMs }) => seconds(medianResponseMs),
    }),
    p95ResponseTime: t.float({
      description: '95th percentile of the response time, in seconds.',
      resolve: ({ p95ResponseMs }) => seconds(p95ResponseMs),
    }),
    p99ResponseTime: t.float({
      description: '99th percentile of the response time, in seconds.',
      resolve: ({ p99ResponseMs }) => seconds(p99ResponseMs),
    }),
    cost: t.exposeString('cost', {
      nullable: true,
      description:
        'The cost as a decimal number, in the currency of the workspace. Null: a model of the group has no price.',
    }),
    cacheSavings: t.exposeFloat('cacheSavings', {
      nullable: true,
      description:
        'The share of the cost that the caches of providers saved: 0.5 means that the tokens would cost twice as much without caches. Negative if writing to caches cost more than it saved. Null: a model of the group has no price, or there is no cost.',
    }),
  }),
});

/** The arguments of a report, for the whole environment and for one deployment. */
export const reportArguments = (t: ArgumentFields) => ({
  period: t({ type: ReportPeriodInput, required: true, description: `The period: at most ${LIMITS.usageDays} days.` }),
  groupBy: t({
    type: [UsageGroupEnum],
    required: true,
    defaultValue: ['day' as const],
    description: 'The dimensions to group by. An empty list returns one row for everything.',
  }),
});

const UsageFilter = builder.inputType('UsageFilter', {
  description: 'Filters the turns and one-shot runs of a report. All conditions must match.',
  fields: (t) => ({
    deploymentId: t.field({ type: 'UUID', idOf: 'Deployment', description: 'Only the usage of this deployment.' }),
    endUser: t.string({ description: 'Only the usage of conversations of this end user.' }),
  }),
});

builder.queryField('usage', (t) =>
  t.field({
    publishing: 'reads',
    type: [UsageObject],
    access: { scope: 'workflows:read' },
    // The query reads the whole period.
    extensions: { cost: 200 } satisfies CostExtensions,
    description: 'Usage of the environment in a period, latest day first. Scope: workflows:read.',
    args: {
      ...reportArguments(t.arg),
      filter: t.arg({ type: UsageFilter, description: 'Omit it for all usage.' }),
    },
    resolve: (_root, { filter, ...report }, { domain }) => reportUsage(domain, { ...report, ...filter }),
  }),
);

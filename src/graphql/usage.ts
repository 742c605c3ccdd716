import { type LogFilter, listWorkflowLogs } from '../domain/usage/logs.ts';
import { listPrices, removePrice, setPrice } from '../domain/usage/prices.ts';
import { reportUsage, type UsageRow } from '../domain/usage/report.ts';
import { builder } from './builder.ts';
import type { CostExtensions } from './document-cost.ts';
import { TurnOutcomeEnum, UsageGroupEnum } from './enums.ts';
import type { NodeExtensions } from './node-scope.ts';

const WorkflowLog = builder.prismaNode('WorkflowLog', {
  id: { field: 'id', description: 'The global id, for `node`.' },
  extensions: { nodeScope: 'workflows:read' } satisfies NodeExtensions,
  nullable: true,
  findUnique: (id) => ({ id: /^\d{1,18}$/.test(id) ? BigInt(id) : 0n }),
  description: 'A turn or a one-shot run: what it cost, and how it ended. Never what was said.',
  fields: (t) => ({
    workflowLogId: t.field({ type: 'SafeInt', description: 'Its number.', resolve: ({ id }) => Number(id) }),
    workflowId: t.exposeInt('workflowId', { description: 'The workflow that ran.' }),
    workflowVersion: t.exposeInt('workflowVersion', {
      nullable: true,
      description: 'The version of it; null for a test of its draft.',
    }),
    deploymentId: t.expose('deploymentId', {
      type: 'UUID',
      nullable: true,
      description: 'The deployment that was asked; null for a test of a draft.',
    }),
    conversationId: t.expose('conversationId', {
      type: 'UUID',
      nullable: true,
      description: 'The conversation; null for a one-shot run, and for one that was deleted.',
    }),
    runId: t.expose('runId', { type: 'UUID', nullable: true, description: 'The run; null for a one-shot run.' }),
    triggerId: t.exposeString('triggerId', { nullable: true, description: 'The trigger that the request named.' }),
    outcome: t.expose('outcome', { type: TurnOutcomeEnum, description: 'How it ended, or paused.' }),
    errorCode: t.exposeString('errorCode', { nullable: true, description: 'Why it failed; null where it did not.' }),
    model: t.exposeString('model', { description: 'The model that was asked, as provider:name.' }),
    inputTokens: t.exposeInt('inputTokens', { description: 'Tokens read by the model.' }),
    outputTokens: t.exposeInt('outputTokens', { description: 'Tokens written by the model.' }),
    responseTime: t.float({
      description: 'Seconds from acceptance to the end, to the millisecond.',
      resolve: ({ responseTimeMs }) => responseTimeMs / 1_000,
    }),
    requestId: t.exposeString('requestId', { description: 'The x-request-id.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it ended.' }),
  }),
});

const WorkflowLogFilter = builder.inputType('WorkflowLogFilter', {
  description: 'Which lines a list holds. All conditions that are given hold.',
  fields: (t) => ({
    deploymentId: t.field({ type: 'UUID', description: 'Only those of this deployment.' }),
    conversationId: t.field({ type: 'UUID', description: 'Only those of this conversation.' }),
    triggerId: t.string({ description: 'Only those that named this trigger.' }),
    model: t.string({ description: 'Only those of this model.' }),
    outcomes: t.field({ type: [TurnOutcomeEnum], description: 'Only those that ended in one of these ways.' }),
    from: t.field({ type: 'DateTime', description: 'Only those that ended then or later.' }),
    to: t.field({ type: 'DateTime', description: 'Only those that ended before.' }),
  }),
});

builder.queryField('workflowLogs', (t) =>
  t.connection(
    {
      type: WorkflowLog,
      authScopes: { scope: 'workflows:read' },
      description: 'Turns and one-shot runs of the environment, newest first. Scope: workflows:read.',
      args: { filter: t.arg({ type: WorkflowLogFilter, description: 'All of them where it is left out.' }) },
      resolve: (_root, { filter, ...args }, { domain }) =>
        listWorkflowLogs(domain, args, (filter ?? {}) satisfies LogFilter),
    },
    { name: 'WorkflowLogConnection', description: 'A page of the log.' },
    { name: 'WorkflowLogEdge' },
  ),
);

const seconds = (ms: number) => Math.round(ms) / 1_000;

const UsageObject = builder.objectRef<UsageRow>('Usage').implement({
  description: 'What a group of turns and one-shot runs came to.',
  fields: (t) => ({
    day: t.exposeString('day', {
      nullable: true,
      description: 'In UTC, like 2026-01-31; null unless told apart by day.',
    }),
    deploymentId: t.expose('deploymentId', {
      type: 'UUID',
      nullable: true,
      description: 'Null unless told apart by deployment, and for tests of drafts.',
    }),
    model: t.exposeString('model', { nullable: true, description: 'Null unless told apart by model.' }),
    turns: t.exposeInt('turns', { description: 'How many. A pause and what follows it are two.' }),
    failures: t.exposeInt('failures', { description: 'Those of them that failed.' }),
    inputTokens: t.expose('inputTokens', { type: 'SafeInt', description: 'Tokens read by models.' }),
    outputTokens: t.expose('outputTokens', { type: 'SafeInt', description: 'Tokens written by models.' }),
    medianResponseTime: t.float({
      description: 'Seconds that half of them stayed below.',
      resolve: ({ medianResponseMs }) => seconds(medianResponseMs),
    }),
    p95ResponseTime: t.float({
      description: 'Seconds that 95 % of them stayed below.',
      resolve: ({ p95ResponseMs }) => seconds(p95ResponseMs),
    }),
    p99ResponseTime: t.float({
      description: 'Seconds that 99 % of them stayed below.',
      resolve: ({ p99ResponseMs }) => seconds(p99ResponseMs),
    }),
    cost: t.exposeString('cost', {
      nullable: true,
      description: 'A decimal number in the currency of the prices; null where a model of the group has no price.',
    }),
  }),
});

builder.queryField('usage', (t) =>
  t.field({
    type: [UsageObject],
    authScopes: { scope: 'workflows:read' },
    // It reads the whole period.
    extensions: { cost: 200 } satisfies CostExtensions,
    description: 'Usage of the environment in a period of at most 366 days, latest day first. Scope: workflows:read.',
    args: {
      from: t.arg({ type: 'DateTime', required: true, description: 'From then on.' }),
      to: t.arg({ type: 'DateTime', required: true, description: 'Until before then.' }),
      by: t.arg({
        type: [UsageGroupEnum],
        required: true,
        defaultValue: ['day'],
        description: 'What it is told apart by. With none of them: all in one.',
      }),
      deploymentId: t.arg({ type: 'UUID', description: 'Only that of this deployment.' }),
    },
    resolve: (_root, args, { domain }) => reportUsage(domain, args),
  }),
);

const ModelPrice = builder.prismaObject('ModelPrice', {
  description: "What a model's tokens cost, in a currency of the operator's own.",
  fields: (t) => ({
    model: t.exposeString('model', { description: 'As runs name it: demo, or provider:name.' }),
    inputPerMillion: t.float({
      description: 'For a million tokens read.',
      resolve: ({ inputPerMillion }) => inputPerMillion.toNumber(),
    }),
    outputPerMillion: t.float({
      description: 'For a million tokens written.',
      resolve: ({ outputPerMillion }) => outputPerMillion.toNumber(),
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last set.' }),
  }),
});

builder.queryField('modelPrices', (t) =>
  t.field({
    type: [ModelPrice],
    authScopes: { scope: 'workflows:read' },
    description: "The workspace's prices, by model. Scope: workflows:read.",
    resolve: (_root, _args, { domain }) => listPrices(domain),
  }),
);

const ModelPriceInput = builder.inputType('ModelPriceInput', {
  description: "A model's price.",
  fields: (t) => ({
    model: t.string({ required: true, description: 'As runs name it: demo, or provider:name.' }),
    inputPerMillion: t.float({ required: true, description: 'For a million tokens read: 0 to 1,000,000.' }),
    outputPerMillion: t.float({ required: true, description: 'For a million tokens written: 0 to 1,000,000.' }),
  }),
});

builder.mutationField('setModelPrice', (t) =>
  t.field({
    type: ModelPrice,
    authScopes: { scope: 'workflows:write' },
    description: "Sets a model's price. Usage of before is counted by it as well. Scope: workflows:write.",
    args: { input: t.arg({ type: ModelPriceInput, required: true, description: 'The price.' }) },
    resolve: (_root, { input }, { domain }) => setPrice(domain, input),
  }),
);

builder.mutationField('removeModelPrice', (t) =>
  t.field({
    type: 'Boolean',
    authScopes: { scope: 'workflows:write' },
    description: "Forgets a model's price: its usage has no cost from now on. True. Scope: workflows:write.",
    args: { model: t.arg.string({ required: true, description: 'As the price names it.' }) },
    resolve: async (_root, { model }, { domain }) => {
      await removePrice(domain, model);
      return true;
    },
  }),
);

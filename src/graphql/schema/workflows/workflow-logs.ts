import type { ErrorCode } from '../../../contract/errors.ts';
import { rowKey } from '../../../domain/row-key.ts';
import { costOfTokens } from '../../../domain/usage/costs.ts';
import { type LogFilter, listWorkflowLogs } from '../../../domain/usage/logs.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { builder } from '../builder.ts';
import { TurnOutcomeEnum } from '../enums.ts';
import { ErrorCodeEnum } from '../error-codes.ts';
import { CREATED_AT, orderInput, PeriodInput } from '../filters.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';
import { tokenFields } from '../usage/token-fields.ts';

const logKey = (id: string) => (/^\d{1,18}$/.test(id) ? BigInt(id) : 0n);

export const WorkflowLog = builder.prismaNode('WorkflowLog', {
  id: { resolve: ({ id }) => String(id), description: 'The global ID, for `node`.' },
  extensions: {
    nodeScope: 'workflows:read',
    nodeRows: { model: 'workflowLog', keyOf: logKey },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  findUnique: (id, { domain }) => rowKey(domain.environment, logKey(id)),
  description:
    'An entry of the workflow log: the usage and outcome of a turn, a one-shot run or a summary. It never contains messages.',
  fields: (t) => ({
    workflowLogId: t.field({ type: 'SafeInt', description: 'The ID of the entry.', resolve: ({ id }) => Number(id) }),
    workflowId: t.exposeInt('workflowId', { description: 'The ID of the workflow.' }),
    workflowVersion: t.exposeInt('workflowVersion', {
      nullable: true,
      description: 'The version of the workflow. Null: a test of its draft.',
    }),
    deploymentId: t.expose('deploymentId', {
      type: 'UUID',
      nullable: true,
      description: 'The ID of the deployment. Null: a test of a draft.',
    }),
    conversationId: t.expose('conversationId', {
      type: 'UUID',
      nullable: true,
      description: 'The ID of the conversation. Null: a one-shot run or a deleted conversation.',
    }),
    runId: t.expose('runId', {
      type: 'UUID',
      nullable: true,
      description: 'The ID of the run. Null: a one-shot run or a summary.',
    }),
    triggerId: t.exposeString('triggerId', {
      nullable: true,
      description: 'The trigger in the request. Null: no trigger.',
    }),
    outcome: t.expose('outcome', { type: TurnOutcomeEnum, description: 'How it ended or paused.' }),
    errorCode: t.field({
      type: ErrorCodeEnum,
      nullable: true,
      description: 'The error code. Null: it did not fail.',
      // Only turns write entries, with their own errors.
      resolve: ({ errorCode }) => errorCode as ErrorCode | null,
    }),
    isSummary: t.exposeBoolean('isSummary', {
      description: 'Whether it is no turn, but a summary of the conversation.',
    }),
    model: t.exposeString('model', { description: 'The model, as provider:name.' }),
    ...tokenFields((count, description) => t.exposeInt(count, { description })),
    cost: t.string({
      nullable: true,
      description: 'The cost as a decimal number, in the currency of the workspace. Null: the model has no price.',
      resolve: async ({ model, ...counts }, _args, { domain }) => (await costOfTokens(domain, model, counts)).cost,
    }),
    responseTime: t.float({
      description: 'Seconds from the acceptance to the end, with a precision of one millisecond.',
      resolve: ({ responseTimeMs }) => responseTimeMs / 1_000,
    }),
    requestId: t.exposeString('requestId', { description: 'The x-request-id of the request.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it ended or paused.' }),
  }),
});

const WorkflowLogFilter = builder.inputType('WorkflowLogFilter', {
  description: 'Filters the workflow log. All conditions must match.',
  fields: (t) => ({
    deploymentId: t.field({ type: 'UUID', idOf: 'Deployment', description: 'Only entries of this deployment.' }),
    conversationId: t.field({ type: 'UUID', idOf: 'Conversation', description: 'Only entries of this conversation.' }),
    triggerId: t.string({ idOf: 'Trigger', description: 'Only entries with this trigger.' }),
    model: t.string({ description: 'Only entries with this model.' }),
    outcomes: t.field({ type: [TurnOutcomeEnum], description: 'Only entries with one of these outcomes.' }),
    createdAt: t.field({ type: PeriodInput, description: 'Only entries that ended or paused in this period.' }),
  }),
});

export const WorkflowLogConnection = builder.connectionObject(
  { type: WorkflowLog, name: 'WorkflowLogConnection', description: 'A page of the workflow log.' },
  { name: 'WorkflowLogEdge' },
);

const WorkflowLogOrder = orderInput('WorkflowLog', CREATED_AT);

builder.queryField('workflowLogs', (t) =>
  t.connection(
    {
      publishing: 'reads',
      type: WorkflowLog,
      access: { scope: 'workflows:read' },
      description: 'The workflow log of the environment, newest first. Scope: workflows:read.',
      args: {
        filter: t.arg({ type: WorkflowLogFilter, description: 'Omit it for all entries.' }),
        orderBy: t.arg({ type: WorkflowLogOrder, description: 'The order. Default: newest first.' }),
      },
      resolve: (_root, { filter, orderBy, ...args }, { domain }) =>
        listWorkflowLogs(domain, args, (filter ?? {}) satisfies LogFilter, orderBy),
    },
    WorkflowLogConnection,
  ),
);

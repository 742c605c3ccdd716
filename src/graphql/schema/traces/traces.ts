import { costOfRun, findTrace, type RunTrace, tracesOf } from '../../../domain/agent/trace/reads.ts';
import { loadInBatch } from '../../../domain/related/batches.ts';
import { RUN_SPANS } from '../../../domain/related/lists.ts';
import { builder } from '../builder.ts';
import { Run } from '../conversations/runs.ts';
import { loadConnection, loadEdge } from '../edges.ts';
import { NOT_FOUND } from '../mutation.ts';
import { Deployment } from '../workflows/deployments.ts';
import { WorkflowVersion } from '../workflows/workflows.ts';
import { INPUT_SAVINGS, Span } from './trace-spans.ts';

const Trace = builder.objectRef<RunTrace>('RunTrace').implement({
  description:
    'What happened in a turn: its model steps and calls of server tools. Traces are kept for as many days as the environment sets.',
  fields: (t) => ({
    runId: t.expose('runId', { type: 'UUID', description: 'The ID of the run.' }),
    run: t.field({
      type: Run,
      nullable: true,
      access: { scope: 'conversations:read' },
      description:
        'The run. Null: it was deleted in the meantime, or the caller lacks the scope. Scope: conversations:read.',
      resolve: ({ runId }, _args, context, info) => loadEdge(runId, context, info),
    }),
    deploymentId: t.expose('deploymentId', { type: 'UUID', description: 'The ID of the deployment that ran.' }),
    deployment: t.field({
      type: Deployment,
      nullable: true,
      access: { scope: 'workflows:read' },
      description: 'The deployment that ran. Null: the caller lacks the scope. Scope: workflows:read.',
      resolve: ({ deploymentId }, _args, context, info) => loadEdge(deploymentId, context, info),
    }),
    workflowId: t.exposeInt('workflowId', { description: 'The ID of the workflow.' }),
    workflowVersion: t.exposeInt('workflowVersion', { description: 'The version of the workflow that ran.' }),
    version: t.field({
      type: WorkflowVersion,
      nullable: true,
      access: { scope: 'workflows:read' },
      description: 'The version that ran. Null: the caller lacks the scope. Scope: workflows:read.',
      resolve: ({ workflowId, workflowVersion }, _args, context, info) =>
        loadEdge(`${workflowId}:${workflowVersion}`, context, info),
    }),
    requestId: t.exposeString('requestId', {
      description: 'The x-request-id of the request that started or last resumed the turn.',
    }),
    keptUntil: t.expose('keptUntil', { type: 'DateTime', description: 'When the trace expires.' }),
    cost: t.string({
      nullable: true,
      access: { scope: 'workflows:read' },
      description:
        'The cost of the model steps as a decimal number, in the currency of the workspace. Null: a model has no price, no step has a result, or the caller lacks the scope. Scope: workflows:read.',
      resolve: async ({ runId }, _args, { domain }) => (await costOfRun(domain, runId)).cost,
    }),
    inputSavings: t.float({
      nullable: true,
      access: { scope: 'workflows:read' },
      description: `${INPUT_SAVINGS} Null: a model has no price, the input is free, no step has a result, or the caller lacks the scope. Scope: workflows:read.`,
      resolve: async ({ runId }, _args, { domain }) => (await costOfRun(domain, runId)).inputSavings,
    }),
    spans: t.connection(
      {
        type: Span,
        description: 'The model steps and calls of server tools, in the order in which they ended.',
        resolve: ({ runId }, args, context, info) => loadConnection(RUN_SPANS, runId, args, context, info),
      },
      { name: 'TraceSpanConnection', description: 'A page of a trace.' },
      { name: 'TraceSpanEdge' },
    ),
  }),
});

builder.prismaObjectField(Run, 'trace', (t) =>
  t.field({
    nullable: true,
    access: { scope: 'traces:read' },
    type: Trace,
    select: { id: true },
    description:
      'What happened in the turn. Null: the trace has expired, the environment keeps no traces, or the caller lacks the scope. Scope: traces:read.',
    resolve: ({ id }, _args, { domain }) => loadInBatch(domain, 'traces', id, (ids) => tracesOf(domain, ids)),
  }),
);

const RUN_ID = { type: 'UUID', idOf: 'Run', required: true, description: 'The ID of the run.' } as const;

builder.queryField('run', (t) =>
  t.prismaField({
    publishing: 'reads',
    type: Run,
    nullable: true,
    access: { scope: 'conversations:read' },
    description: 'A turn of the environment. Null: it does not exist. Scope: conversations:read.',
    args: { id: t.arg(RUN_ID) },
    resolve: (query, _root, { id }, { domain }) => domain.db.run.findFirst({ ...query, where: { id } }),
  }),
);

builder.queryField('runTrace', (t) =>
  t.field({
    publishing: 'reads',
    type: Trace,
    nullable: true,
    internal: true,
    access: { scope: 'traces:read' },
    extensions: NOT_FOUND,
    description:
      'What happened in a turn. Null: the run does not exist, its trace has expired, or the environment keeps no traces. Scope: traces:read.',
    args: { runId: t.arg(RUN_ID) },
    resolve: (_root, { runId }, { domain }) => findTrace(domain, runId),
  }),
);

import type { Context as DomainContext } from '../../../domain/context.ts';
import { visibleForks, visibleSource } from '../../../domain/conversations/forks.ts';
import { workflowsOf } from '../../../domain/conversations/reads.ts';
import { loadInBatch } from '../../../domain/related/batches.ts';
import {
  CONVERSATION_FORKS,
  CONVERSATION_LOGS,
  CONVERSATION_RUNS,
  itemsOf,
  RUN_ITEMS,
  RUN_LOGS,
} from '../../../domain/related/lists.ts';
import { triggersOf } from '../../../domain/triggers/reads.ts';
import { builder } from '../builder.ts';
import { Conversation } from '../conversations/conversations.ts';
import { Run } from '../conversations/runs.ts';
import { HistoryItem } from '../conversations/timeline.ts';
import { loadConnection, loadEdge } from '../edges.ts';
import { Trigger } from '../triggers.ts';
import { Deployment } from '../workflows/deployments.ts';
import { WorkflowLog, WorkflowLogConnection } from '../workflows/workflow-logs.ts';
import { WorkflowVersion } from '../workflows/workflows.ts';

const LOGS = {
  type: WorkflowLog,
  nullable: true,
  access: { scope: 'workflows:read' },
} as const;

/** The key of a version of the workflow that responds in a conversation. */
async function versionKey(domain: DomainContext, conversationId: string, version: number) {
  const load = (ids: readonly string[]) => workflowsOf(domain, ids);
  const workflowId = await loadInBatch(domain, 'workflows of conversations', conversationId, load);
  return workflowId && `${workflowId}:${version}`;
}

builder.prismaObjectFields(Conversation, (t) => ({
  deployment: t.field({
    type: Deployment,
    nullable: true,
    access: { scope: 'workflows:read' },
    description: 'The deployment that responds in it. Null: the caller lacks the scope. Scope: workflows:read.',
    select: { deploymentId: true },
    resolve: ({ deploymentId }, _args, context, info) => loadEdge(deploymentId, context, info),
  }),
  trigger: t.field({
    type: Trigger,
    nullable: true,
    access: { scope: 'triggers:read', bound: 'inside' },
    description:
      'The trigger that started it. Null: it started without one, or the caller lacks the scope. Scope: triggers:read.',
    resolve: ({ id }, _args, { domain }) =>
      loadInBatch(domain, 'triggers of conversations', id, (ids) => triggersOf(domain, ids)),
  }),
  version: t.field({
    type: WorkflowVersion,
    nullable: true,
    access: { scope: 'workflows:read' },
    description:
      'The version of the workflow that its turns run, if a fork named one. Null: the published version of its deployment, or the caller lacks the scope. Scope: workflows:read.',
    select: { workflowVersion: true },
    resolve: async ({ id, workflowVersion }, _args, context, info) =>
      loadEdge(workflowVersion && (await versionKey(context.domain, id, workflowVersion)), context, info),
  }),
  forkedFrom: t.field({
    type: Conversation,
    nullable: true,
    description:
      'The conversation that it was copied from. Null: it is no fork, or its source was deleted or is not visible to the caller.',
    select: { forkedFrom: true },
    resolve: async ({ forkedFrom }, _args, context, info) =>
      loadEdge(await visibleSource(context.domain, forkedFrom), context, info),
  }),
  forks: t.connection(
    {
      type: Conversation,
      description: 'Copies of it that the caller can read, newest first. Empty without credentials.',
      resolve: ({ id }, args, context, info) =>
        loadConnection(CONVERSATION_FORKS, id, args, context, info, visibleForks(context.domain)),
    },
    { name: 'ForkConnection', description: 'A page of forks.' },
    { name: 'ForkEdge' },
  ),
  runs: t.connection(
    {
      type: Run,
      description: 'Its turns, newest first.',
      resolve: ({ id }, args, context, info) => loadConnection(CONVERSATION_RUNS, id, args, context, info),
    },
    { name: 'RunConnection', description: 'A page of runs.' },
    { name: 'RunEdge' },
  ),
  workflowLogs: t.connection(
    {
      ...LOGS,
      description: 'Its workflow log, newest first. Null: the caller lacks the scope. Scope: workflows:read.',
      resolve: ({ id }, args, context, info) => loadConnection(CONVERSATION_LOGS, id, args, context, info),
    },
    WorkflowLogConnection,
  ),
}));

builder.prismaObjectFields(Run, (t) => ({
  conversation: t.field({
    type: Conversation,
    nullable: true,
    description: 'The conversation of the turn. Null: it was deleted in the meantime.',
    resolve: ({ conversationId }, _args, context, info) => loadEdge(conversationId, context, info),
  }),
  version: t.field({
    type: WorkflowVersion,
    nullable: true,
    access: { scope: 'workflows:read' },
    description: 'The version of the workflow that it ran. Null: the caller lacks the scope. Scope: workflows:read.',
    resolve: async ({ workflowVersion, conversationId }, _args, context, info) =>
      loadEdge(await versionKey(context.domain, conversationId, workflowVersion), context, info),
  }),
  history: t.connection(
    {
      type: HistoryItem,
      description: 'The items of the timeline that it wrote, oldest first.',
      resolve: ({ id }, args, context, info) =>
        loadConnection(RUN_ITEMS, id, args, context, info, itemsOf({ branch: 'all' })),
    },
    { name: 'HistoryItemConnection', description: 'A page of the timeline of a run.' },
    { name: 'HistoryItemEdge' },
  ),
  workflowLogs: t.connection(
    {
      ...LOGS,
      description:
        'Its workflow log, newest first: an entry for each time it ended or paused. Null: the caller lacks the scope. Scope: workflows:read.',
      resolve: ({ id }, args, context, info) => loadConnection(RUN_LOGS, id, args, context, info),
    },
    WorkflowLogConnection,
  ),
}));

builder.interfaceFields(HistoryItem, (t) => ({
  conversation: t.field({
    type: Conversation,
    nullable: true,
    description: 'The conversation of the item. Null: it was deleted in the meantime.',
    resolve: ({ conversationId }, _args, context, info) => loadEdge(conversationId, context, info),
  }),
  run: t.field({
    type: Run,
    nullable: true,
    description: 'The turn that wrote the item. Null: its conversation was deleted in the meantime.',
    resolve: ({ runId }, _args, context, info) => loadEdge(runId, context, info),
  }),
}));

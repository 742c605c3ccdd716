import { builder } from '../builder.ts';
import { Conversation } from '../conversations/conversations.ts';
import { Run } from '../conversations/runs.ts';
import { loadEdge } from '../edges.ts';
import { Trigger } from '../triggers.ts';
import { UsageObject } from '../usage/usage.ts';
import { Deployment } from '../workflows/deployments.ts';
import { WorkflowLog } from '../workflows/workflow-logs.ts';
import { Workflow, WorkflowVersion } from '../workflows/workflows.ts';

const WORKFLOWS = { nullable: true, access: { scope: 'workflows:read' } } as const;
const CONVERSATIONS = { nullable: true, access: { scope: 'conversations:read' } } as const;

builder.prismaObjectFields(WorkflowLog, (t) => ({
  workflow: t.field({
    ...WORKFLOWS,
    type: Workflow,
    description: 'The workflow that ran. Null: it was deleted, or the caller lacks the scope. Scope: workflows:read.',
    resolve: ({ workflowId }, _args, context, info) => loadEdge(workflowId, context, info),
  }),
  version: t.field({
    ...WORKFLOWS,
    type: WorkflowVersion,
    description:
      'The version that ran. Null: a test of the draft, a deleted workflow, or the caller lacks the scope. Scope: workflows:read.',
    resolve: ({ workflowId, workflowVersion }, _args, context, info) =>
      loadEdge(workflowVersion && `${workflowId}:${workflowVersion}`, context, info),
  }),
  deployment: t.field({
    ...WORKFLOWS,
    type: Deployment,
    description:
      'The deployment that ran. Null: a test of a draft, a deleted deployment, or the caller lacks the scope. Scope: workflows:read.',
    resolve: ({ deploymentId }, _args, context, info) => loadEdge(deploymentId, context, info),
  }),
  conversation: t.field({
    ...CONVERSATIONS,
    type: Conversation,
    description:
      'The conversation of the turn. Null: a one-shot run, a deleted conversation, or the caller lacks the scope. Scope: conversations:read.',
    resolve: ({ conversationId }, _args, context, info) => loadEdge(conversationId, context, info),
  }),
  run: t.field({
    ...CONVERSATIONS,
    type: Run,
    description:
      'The run of the turn. Null: a one-shot run, a deleted conversation, or the caller lacks the scope. Scope: conversations:read.',
    resolve: ({ runId }, _args, context, info) => loadEdge(runId, context, info),
  }),
  trigger: t.field({
    type: Trigger,
    nullable: true,
    access: { scope: 'triggers:read' },
    description:
      'The trigger in the request. Null: no trigger, a deleted trigger, or the caller lacks the scope. Scope: triggers:read.',
    resolve: ({ triggerId }, _args, context, info) => loadEdge(triggerId, context, info),
  }),
}));

builder.objectField(UsageObject, 'deployment', (t) =>
  t.field({
    ...WORKFLOWS,
    type: Deployment,
    description:
      'The deployment. Null: not grouped by deployment, tests of drafts, or the caller lacks the scope. Scope: workflows:read.',
    resolve: ({ deploymentId }, _args, context, info) => loadEdge(deploymentId, context, info),
  }),
);

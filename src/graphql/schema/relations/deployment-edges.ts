import { queryFromInfo } from '@pothos/plugin-prisma';
import { conversationListPage } from '../../../domain/conversations/follow-list.ts';
import {
  DEPLOYMENT_CONVERSATIONS,
  DEPLOYMENT_LOGS,
  DEPLOYMENT_TRIGGERS,
  TRIGGER_LOGS,
} from '../../../domain/related/lists.ts';
import { builder } from '../builder.ts';
import { ConversationConnection } from '../conversations/conversation-lists.ts';
import { Conversation } from '../conversations/conversations.ts';
import { loadConnection, loadEdge } from '../edges.ts';
import { selects } from '../page.ts';
import { Trigger, TriggerConnection } from '../triggers.ts';
import { Deployment } from '../workflows/deployments.ts';
import { WorkflowLog, WorkflowLogConnection } from '../workflows/workflow-logs.ts';
import { Workflow, WorkflowVersion } from '../workflows/workflows.ts';

const WORKFLOWS = { nullable: true, access: { scope: 'workflows:read' } } as const;

builder.prismaObjectFields(Deployment, (t) => ({
  version: t.field({
    ...WORKFLOWS,
    type: WorkflowVersion,
    description:
      'The version that it runs. Null: it is not published, or the caller lacks the scope. Scope: workflows:read.',
    select: { workflowId: true, publishedVersion: true },
    resolve: ({ workflowId, publishedVersion }, _args, context, info) =>
      loadEdge(publishedVersion && `${workflowId}:${publishedVersion}`, context, info),
  }),
  conversations: t.connection(
    {
      type: Conversation,
      nullable: true,
      access: { scope: 'conversations:read' },
      description:
        'Its conversations in the environment, latest activity first. Null: the caller lacks the scope. Scope: conversations:read.',
      resolve: ({ id: deploymentId }, args, context, info) => {
        const following = selects(info, 'followCursor');
        if (!following) return loadConnection(DEPLOYMENT_CONVERSATIONS, deploymentId, args, context, info);
        const query = queryFromInfo({ context, info, paths: [['nodes'], ['edges', 'node']] });
        return conversationListPage(context.domain, args, { deploymentId }, { query, following });
      },
    },
    ConversationConnection,
  ),
  triggers: t.connection(
    {
      type: Trigger,
      nullable: true,
      access: { scope: 'triggers:read' },
      description:
        'Its triggers in the environment, newest first. Null: the caller lacks the scope. Scope: triggers:read.',
      resolve: ({ id }, args, context, info) => loadConnection(DEPLOYMENT_TRIGGERS, id, args, context, info),
    },
    TriggerConnection,
  ),
  workflowLogs: t.connection(
    {
      ...WORKFLOWS,
      type: WorkflowLog,
      description:
        'Its workflow log in the environment, newest first. Null: the caller lacks the scope. Scope: workflows:read.',
      resolve: ({ id }, args, context, info) => loadConnection(DEPLOYMENT_LOGS, id, args, context, info),
    },
    WorkflowLogConnection,
  ),
}));

builder.prismaObjectFields(Trigger, (t) => ({
  deployment: t.field({
    ...WORKFLOWS,
    type: Deployment,
    description:
      'The deployment of the trigger. Null: the caller lacks the scope, or the trigger belongs to another workspace. Scope: workflows:read.',
    resolve: ({ deploymentId }, _args, context, info) => loadEdge(deploymentId, context, info),
  }),
  workflow: t.field({
    ...WORKFLOWS,
    type: Workflow,
    description:
      'The workflow of the deployment. Null: the caller lacks the scope, or the trigger belongs to another workspace. Scope: workflows:read.',
    resolve: ({ workflowId }, _args, context, info) => loadEdge(workflowId, context, info),
  }),
  conversation: t.field({
    type: Conversation,
    nullable: true,
    access: { scope: 'conversations:read' },
    description:
      'The conversation that it started. Null: it has not started one, the conversation was deleted, or the caller lacks the scope. Scope: conversations:read.',
    resolve: ({ conversationId }, _args, context, info) => loadEdge(conversationId, context, info),
  }),
  workflowLog: t.field({
    ...WORKFLOWS,
    type: WorkflowLog,
    description:
      'Its latest entry in the workflow log. Null: there is no entry yet, or the caller lacks the scope. Scope: workflows:read.',
    resolve: ({ workflowLogId }, _args, context, info) => loadEdge(workflowLogId, context, info),
  }),
  workflowLogs: t.connection(
    {
      ...WORKFLOWS,
      type: WorkflowLog,
      description:
        'Its workflow log, newest first. Null: the caller lacks the scope, or the trigger belongs to another environment. Scope: workflows:read.',
      resolve: ({ id, environmentId }, args, context, info) =>
        environmentId === context.domain.environment.id ? loadConnection(TRIGGER_LOGS, id, args, context, info) : null,
    },
    WorkflowLogConnection,
  ),
}));

import type { ObjectRef } from '@pothos/core';
import { ApiKey } from '../access/api-keys.ts';
import { ConnectedApp } from '../access/connected-apps.ts';
import { Invitation } from '../access/invitations.ts';
import { Member } from '../access/members.ts';
import { SavedView } from '../access/saved-views.ts';
import { SessionObject } from '../access/sessions.ts';
import { Environment, User, WorkspaceObject } from '../access/workspaces.ts';
import { AuditEntry } from '../audit/audit.ts';
import { Budget } from '../budgets/budgets.ts';
import { builder } from '../builder.ts';
import { Conversation } from '../conversations/conversations.ts';
import { ConversationNote } from '../conversations/notes.ts';
import { Run } from '../conversations/runs.ts';
import { DocumentVersion } from '../documents/document-versions.ts';
import { DocumentObject } from '../documents/documents.ts';
import { loadEdge } from '../edges.ts';
import { EventNode } from '../events/events.ts';
import { IntegrationNode } from '../integrations.ts';
import { ResourceNode } from '../resources.ts';
import { Trigger } from '../triggers.ts';
import { ModelPrice } from '../usage/model-prices.ts';
import { AttemptObject, WebhookDeliveryNode } from '../webhooks/webhook-deliveries.ts';
import { WebhookReplayNode } from '../webhooks/webhook-replays.ts';
import { WebhookEndpointNode } from '../webhooks/webhooks.ts';
import { Deployment } from '../workflows/deployments.ts';
import { WorkflowLog } from '../workflows/workflow-logs.ts';
import { Workflow } from '../workflows/workflows.ts';

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;

/** Objects of any type. The caller's environment and workspace own all objects that it reads. */
type AnyObject = ObjectRef<Types, object>;

const ANY_CREDENTIALS = { nullable: true, access: { credentials: true } } as const;

const OF_ENVIRONMENT = [
  ApiKey,
  Budget,
  Conversation,
  ConversationNote,
  DocumentObject,
  DocumentVersion,
  EventNode,
  IntegrationNode,
  ResourceNode,
  Run,
  SavedView,
  WebhookEndpointNode,
  WebhookDeliveryNode,
  AttemptObject,
  WebhookReplayNode,
  WorkflowLog,
] as readonly unknown[] as readonly AnyObject[];

for (const type of OF_ENVIRONMENT) {
  builder.objectField(type, 'environment', (t) =>
    t.field({
      ...ANY_CREDENTIALS,
      type: Environment,
      description: 'The environment that owns it. Null: the request has no credentials.',
      resolve: (_owned, _args, context, info) => loadEdge(context.domain.environment.id, context, info),
    }),
  );
}

// Everyone who knows its ID can read a trigger.
builder.prismaObjectField(Trigger, 'environment', (t) =>
  t.field({
    ...ANY_CREDENTIALS,
    type: Environment,
    description:
      'The environment that owns it. Null: the request has no credentials, or the trigger belongs to another workspace.',
    resolve: ({ environmentId }, _args, context, info) => loadEdge(environmentId, context, info),
  }),
);

const OF_WORKSPACE = [
  AuditEntry,
  Deployment,
  Invitation,
  Member,
  ModelPrice,
  SessionObject,
  Workflow,
] as readonly unknown[] as readonly AnyObject[];

for (const type of OF_WORKSPACE) {
  builder.objectField(type, 'workspace', (t) =>
    t.field({
      ...ANY_CREDENTIALS,
      type: WorkspaceObject,
      description: 'The workspace that owns it. Null: the request has no credentials.',
      resolve: (_owned, _args, context, info) => loadEdge(context.domain.environment.workspaceId, context, info),
    }),
  );
}

builder.prismaObjectField(SessionObject, 'user', (t) =>
  t.field({
    type: User,
    nullable: true,
    access: { session: true },
    description: 'The signed-in person. Null: the request has no session.',
    resolve: (_session, _args, context) => context.requireSession().user,
  }),
);

builder.prismaObjectField(ConnectedApp, 'member', (t) =>
  t.field({
    type: Member,
    nullable: true,
    access: { session: true },
    select: { userId: true },
    description: 'The member for whom it acts: the signed-in one. Null: the request has no session.',
    resolve: ({ userId }, _args, context, info) => loadEdge(userId, context, info),
  }),
);

builder.prismaObjectField(SavedView, 'member', (t) =>
  t.field({
    type: Member,
    nullable: true,
    access: { session: true },
    description: 'The member who saved it: the signed-in one. Null: the request has no session.',
    resolve: ({ userId }, _args, context, info) => loadEdge(userId, context, info),
  }),
);

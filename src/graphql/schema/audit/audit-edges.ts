import type { AuditAction } from '../../../contract/audit.ts';
import { ApiKey } from '../access/api-keys.ts';
import { User } from '../access/workspaces.ts';
import { builder } from '../builder.ts';
import { loadNode } from '../edges.ts';
import { AuditEntry } from './audit.ts';

/** The type of an entry's subject by the first part of its action. Sessions are visible only to their own user. */
const SUBJECTS = {
  session: null,
  password: 'User',
  second_factor: 'User',
  recovery_codes: 'User',
  member: 'User',
  invitation: 'Invitation',
  workspace: 'Workspace',
  sign_in_settings: 'Workspace',
  sign_in_domain: null,
  // Connected apps are visible only to their own user.
  app: null,
  api_key: 'ApiKey',
  end_user: null,
  end_user_issuer: null,
  workflow: 'Workflow',
  model_price: null,
  budget: 'Budget',
  time_zone: 'Environment',
  deployment: 'Deployment',
  document: 'Document',
  resource: 'Resource',
  run: 'Conversation',
  action: 'Conversation',
  conversation: 'Conversation',
  conversations: 'Environment',
  environment: 'Environment',
  retention: 'Environment',
  environment_limits: 'Environment',
  file: 'File',
  integration: 'Integration',
  trigger: 'Trigger',
  webhook_endpoint: 'WebhookEndpoint',
} as const satisfies Record<AuditAction extends `${infer Subject}.${string}` ? Subject : never, string | null>;

export const ACTORS: Readonly<Record<string, string>> = { session: 'User', api_key: 'ApiKey' };

export const Actor = builder.unionType('AuditActor', {
  description: 'The user or API key that acted.',
  types: [User, ApiKey],
});

builder.prismaObjectFields(AuditEntry, (t) => ({
  actor: t.field({
    type: Actor,
    nullable: true,
    access: { administrator: true },
    description:
      'The user or key that acted. Null: the operator, the service or an anonymous caller, a former member, a key of the other environment, or the caller is no owner or admin. Needs a session of an owner or admin.',
    resolve: ({ actorKind, actorId }, _args, context, info) => loadNode(ACTORS[actorKind], actorId, context, info),
  }),
  subject: t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    access: { administrator: true },
    description:
      'The affected object. Null: it was deleted, it is a session or a price, it belongs to the other environment, or the caller is no owner or admin. Needs a session of an owner or admin.',
    resolve: ({ action, subjectId }, _args, context, info) =>
      loadNode(SUBJECTS[action.split('.')[0] as keyof typeof SUBJECTS], subjectId, context, info),
  }),
}));

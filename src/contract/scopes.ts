/** The scopes of an API key. A write scope does not include its read scope. */
export const SCOPES = [
  'resources:read',
  'resources:write',
  'events:read',
  'conversations:read',
  'conversations:write',
  'conversations:handle',
  'traces:read',
  'triggers:read',
  'triggers:write',
  'workflows:read',
  'workflows:write',
  'documents:read',
  'documents:write',
  'budgets:read',
  'budgets:write',
  'webhooks:manage',
  'integrations:manage',
  'keys:manage',
  'end_users:manage',
] as const;

export type Scope = (typeof SCOPES)[number];

/** The scopes of an app that names no scope: what an assistant needs to call the deployments of a workspace. */
export const DEFAULT_APP_SCOPES: readonly Scope[] = [
  'resources:read',
  'resources:write',
  'conversations:read',
  'conversations:write',
  'workflows:read',
  'documents:read',
];

/** The scopes that a token of an end user can have. */
export const END_USER_SCOPES = ['conversations:read', 'conversations:write'] as const satisfies readonly Scope[];

/** The scopes that a key bound to deployments can have. Those of the others cover data that has no deployment. */
export const BOUND_SCOPES: readonly Scope[] = [
  'conversations:read',
  'conversations:write',
  'conversations:handle',
  'triggers:read',
  'triggers:write',
  'end_users:manage',
];

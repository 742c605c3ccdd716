/** The scopes of an API key (WIRE 4). A write scope does not include its read scope. */
export const SCOPES = [
  'resources:read',
  'resources:write',
  'events:read',
  'conversations:read',
  'conversations:write',
  'traces:read',
  'triggers:read',
  'triggers:write',
  'workflows:read',
  'workflows:write',
  'documents:read',
  'documents:write',
  'webhooks:manage',
  'integrations:manage',
  'keys:manage',
  'end_users:manage',
] as const;

export type Scope = (typeof SCOPES)[number];

/** The scopes that a token of an end user can have. */
export const END_USER_SCOPES = ['conversations:read', 'conversations:write'] as const satisfies readonly Scope[];

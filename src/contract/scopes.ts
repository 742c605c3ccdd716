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
  'webhooks:manage',
  'integrations:manage',
  'keys:manage',
] as const;

export type Scope = (typeof SCOPES)[number];

/** What can happen (SPEC 6): a closed list, so a reader can tell a type that it does not know from one that is none. */
export const EVENT_TYPES = [
  'resource.created',
  'resource.updated',
  'resource.deleted',
  'integration.connected',
  'integration.disconnected',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

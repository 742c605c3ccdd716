import { CHANGE_EVENT_TYPES, type EventType, LIFECYCLE_EVENT_TYPES } from '../../../contract/statuses.ts';

/** The event types in the groups in which forms and filters show them. */
export const EVENT_GROUPS: readonly { readonly title: string; readonly types: readonly EventType[] }[] = [
  { title: 'Resources and integrations', types: CHANGE_EVENT_TYPES },
  { title: 'Runs', types: LIFECYCLE_EVENT_TYPES },
];

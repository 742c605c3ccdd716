import type { EventType } from '../../../contract/statuses.ts';
import { type EventFilter as Filter, hasLifecycleType, LIFECYCLE_SCOPE } from '../../../domain/events/filter.ts';
import { type EventPage, findEvent, findEvents, type LoggedEvent, listEvents } from '../../../domain/events/reads.ts';
import type { OperationContext } from '../../../operation/context.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { builder, type InputFields, type JsonObject } from '../builder.ts';
import { orderInput, PeriodInput } from '../filters.ts';
import { NOT_FOUND } from '../mutation.ts';
import { selects } from '../page.ts';
import { EventIncludeEnum, EventTypeEnum } from './event-enums.ts';
import { EventPayload } from './event-payload.ts';

const EventRef = builder.objectRef<LoggedEvent>('Event');

export const EventNode = builder.node(EventRef, {
  id: { resolve: ({ id }) => id, description: 'The global ID, for `node`.' },
  extensions: { nodeScope: 'events:read' } satisfies NodeExtensions,
  description: 'An entry of the event log. The service writes entries and never changes them.',
  loadMany: async (ids, { domain }) => {
    const events = await findEvents(domain, ids);
    return ids.map((id) => events.find((event) => event.id === id) ?? null);
  },
  fields: (t) => ({
    eventId: t.exposeID('id', { description: 'The ID: evt_ and 26 characters.' }),
    type: t.field({
      type: EventTypeEnum,
      description: 'The event type.',
      resolve: ({ type }) => type as EventType,
    }),
    resourceId: t.exposeID('resourceId', {
      description:
        'The ID of the affected resource, integration, run, conversation or trigger. It can be deleted by now.',
    }),
    payload: t.field({
      type: EventPayload,
      description: 'What changed.',
      // Another object, because a node carries the name of its type.
      resolve: ({ type, payload }) => ({ type, payload }),
    }),
    payloadJson: t.field({
      type: 'JSONObject',
      internal: true,
      description:
        'resource.created and resource.deleted: type and fields. resource.updated: before and after, with only the changed fields. integration.*: integration_id, kind and name. run.*: run_id, conversation_id, deployment_id, run_status, step, finish_reason and error_code; run.started also trigger_id, and run.waiting pending_calls with call_id and name. conversation.completed: conversation_id, deployment_id and run_id. trigger.used: trigger_id, conversation_id and deployment_id.',
      // The log stores only objects.
      resolve: ({ payload }) => payload as JsonObject,
    }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: 'When the change happened.' }),
  }),
});

/** The conditions that the list and the subscription share. */
export const eventConditions = (t: InputFields) => ({
  resourceId: t.id({
    idOf: ['Resource', 'Integration', 'Run', 'Conversation', 'Trigger'],
    description: 'Only events of the resource, integration, run, conversation or trigger with this ID.',
  }),
  types: t.field({
    type: [EventTypeEnum],
    description:
      'Only events of these types. Omit it for all types of resources and integrations. Lifecycle events need the scope conversations:read.',
  }),
  include: t.field({
    type: [EventIncludeEnum],
    description: 'Further events. It has no effect if `types` is set.',
  }),
});

/**
 * Requires the scope of lifecycle events if the filter selects them: an ID of a conversation can be enough to read it.
 * @throws {ServiceError} forbidden
 */
export function requireReadable(context: OperationContext, filter: Filter | null | undefined): void {
  const { types, include } = filter ?? {};
  if (types ? hasLifecycleType(types) : include?.includes('runs')) context.requireScope(LIFECYCLE_SCOPE);
}

builder.queryField('event', (t) =>
  t.field({
    publishing: 'reads',
    type: EventNode,
    nullable: true,
    extensions: NOT_FOUND,
    access: { scope: 'events:read' },
    description:
      'An event of the environment. Null: it does not exist, or it is not visible to the caller. Scope: events:read, and conversations:read for lifecycle events.',
    args: { id: t.arg.id({ required: true, idOf: 'Event', description: 'The ID: evt_ and 26 characters.' }) },
    resolve: (_root, { id }, { domain }) => findEvent(domain, id),
  }),
);

export const EventConnection = builder.connectionObject(
  {
    type: EventNode,
    name: 'EventConnection',
    description: 'A page of the event log.',
    fields: (fields) => ({
      followCursor: fields.string({
        description:
          'For `after` of eventAppended with the same resourceId, types and include in its filter, or of runEvents if this is `Conversation.runEvents`: it continues with the events that were committed after this page was read.',
        // The page has it whenever the field is selected.
        resolve: (page) => (page as EventPage).followCursor ?? '',
      }),
    }),
  },
  { name: 'EventEdge' },
);

const EventFilter = builder.inputType('EventFilter', {
  description: 'Filters the event log. All conditions must match.',
  fields: (t) => ({
    ...eventConditions(t),
    occurredAt: t.field({ type: PeriodInput, description: 'Only events that happened in this period.' }),
  }),
});

const EventOrder = orderInput('Event', {
  OCCURRED_AT: { value: 'occurredAt', description: 'When the change happened.' },
});

builder.queryField('events', (t) =>
  t.connection(
    {
      publishing: 'reads',
      type: EventNode,
      access: { scope: 'events:read' },
      description:
        'The event log of the environment, newest first. Scope: events:read, and conversations:read for lifecycle events.',
      args: {
        filter: t.arg({
          type: EventFilter,
          description: 'Omit it for all events of resources and integrations.',
        }),
        orderBy: t.arg({ type: EventOrder, description: 'The order. Default: newest first.' }),
      },
      resolve: (_root, { filter, orderBy: order, ...args }, context, info) => {
        requireReadable(context, filter);
        const following = selects(info, 'followCursor');
        return listEvents(context.domain, args, filter ?? {}, { following, order });
      },
    },
    EventConnection,
  ),
);

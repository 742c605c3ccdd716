import { type EventPage, findEvent, findEvents, type LoggedEvent, listEvents } from '../domain/events/reads.ts';
import { builder, type JsonObject } from './builder.ts';
import type { NodeExtensions } from './node-scope.ts';
import { selects } from './selection.ts';

const EventRef = builder.objectRef<LoggedEvent>('Event');

export const EventNode = builder.node(EventRef, {
  id: { resolve: ({ id }) => id, description: 'The global id, for `node`.' },
  extensions: { nodeScope: 'events:read' } satisfies NodeExtensions,
  description: 'An entry of the log of what happened: written by the platform, and never changed.',
  loadMany: async (ids, { domain }) => {
    const found = await findEvents(domain, ids);
    return ids.map((id) => found.find((event) => event.id === id) ?? null);
  },
  fields: (t) => ({
    eventId: t.exposeID('id', { description: 'The public id: evt_ and 26 characters.' }),
    type: t.exposeString('type', { description: 'What happened, like resource.created.' }),
    resourceId: t.exposeID('resourceId', {
      description: 'The public id of the resource or integration that it concerns, which may be deleted since.',
    }),
    payload: t.field({
      type: 'JSONObject',
      description:
        'resource.created and resource.deleted: type and fields. resource.updated: before and after, with the changed fields only. integration.*: integration_id, kind and name.',
      // The log holds nothing but objects.
      resolve: ({ payload }) => payload as JsonObject,
    }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: 'When the change was made.' }),
  }),
});

/** Filters that a list and a subscription share. */
export const TYPES_ARG = {
  description:
    'Any of these: resource.created, resource.updated, resource.deleted, integration.connected, integration.disconnected. All where it is left out.',
} as const;

export const RESOURCE_ARG = { description: 'Only those that concern the resource or integration of this id.' } as const;

builder.queryField('event', (t) =>
  t.field({
    type: EventNode,
    nullable: true,
    authScopes: { scope: 'events:read' },
    description: 'One event of the environment; an error not_found where there is none. Scope: events:read.',
    args: { id: t.arg.id({ required: true, description: 'Its public id, evt_ and 26 characters.' }) },
    resolve: (_root, { id }, { domain }) => findEvent(domain, id),
  }),
);

builder.queryField('events', (t) =>
  t.connection(
    {
      type: EventNode,
      authScopes: { scope: 'events:read' },
      description: 'The log of the environment, newest first. Scope: events:read.',
      args: {
        resourceId: t.arg.id(RESOURCE_ARG),
        types: t.arg.stringList(TYPES_ARG),
        from: t.arg({ type: 'DateTime', description: 'Only what happened then or later.' }),
        to: t.arg({ type: 'DateTime', description: 'Only what happened before.' }),
      },
      resolve: (_root, { resourceId, types, from, to, ...args }, { domain }, info) => {
        const following = selects(info, 'followCursor');
        return listEvents(domain, args, { resourceId, types, from, to }, { following });
      },
    },
    {
      name: 'EventConnection',
      description: 'A page of the log.',
      fields: (fields) => ({
        followCursor: fields.string({
          description:
            'For `after` of eventAppended with the same resourceId and types: everything that this page could not show, because it was not committed when the page was read.',
          // Selected, so it was read with the page.
          resolve: (page) => (page as EventPage).followCursor ?? '',
        }),
      }),
    },
    { name: 'EventEdge' },
  ),
);

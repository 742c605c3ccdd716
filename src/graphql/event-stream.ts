import { type AppendedEvent, followEvents } from '../domain/events/follow.ts';
import { builder } from './builder.ts';
import { EventNode, RESOURCE_ARG, TYPES_ARG } from './events.ts';
import type { SubscriptionExtensions } from './feed-end.ts';
import { startOf, told } from './feed-position.ts';

const AppendedEventObject = builder.objectRef<AppendedEvent>('AppendedEvent').implement({
  description: 'An event as the log tells it to those who follow.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'For `after` of the next subscription with the same resourceId and types: what follows this event.',
    }),
    event: t.expose('event', { type: EventNode, description: 'As the log has it.' }),
  }),
});

builder.subscriptionField('eventAppended', (t) =>
  t.field({
    type: AppendedEventObject,
    authScopes: { scope: 'events:read' },
    extensions: { feed: true } satisfies SubscriptionExtensions,
    description:
      'Each event as it is committed, every one once, in an order that is the same for all who follow. Scope: events:read.',
    args: {
      after: t.arg.string({
        description:
          'The cursor of the last event received, or the followCursor of the page that was read: everything since, then live. From now on where it is left out.',
      }),
      types: t.arg.stringList(TYPES_ARG),
      resourceId: t.arg.id(RESOURCE_ARG),
    },
    subscribe: (_root, args, context) => followEvents(context.domain, startOf(context, args)),
    resolve: told,
  }),
);

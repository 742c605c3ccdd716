import { type AppendedEvent, followEvents } from '../../domain/events/follow.ts';
import type { SubscriptionExtensions } from '../../operation/feed-end.ts';
import { builder } from './builder.ts';
import { EventNode, eventConditions } from './events.ts';
import { feedPosition, resolveFeedEvent } from './feed-position.ts';

const AppendedEventObject = builder.objectRef<AppendedEvent>('AppendedEvent').implement({
  description: 'An event of the log, with its position in the stream.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'For `after` of the next subscription with the same filter: it continues after this event.',
    }),
    event: t.expose('event', { type: EventNode, description: 'The entry of the event log.' }),
  }),
});

const AppendedEventFilter = builder.inputType('AppendedEventFilter', {
  description: 'Filters the events of a subscription. All conditions must match.',
  fields: eventConditions,
});

builder.subscriptionField('eventAppended', (t) =>
  t.field({
    type: AppendedEventObject,
    access: { scope: 'events:read' },
    extensions: { feed: true } satisfies SubscriptionExtensions,
    description:
      'Follows the event log. Each event arrives exactly once, in the same order for every subscriber. Scope: events:read.',
    args: {
      filter: t.arg({ type: AppendedEventFilter, description: 'Omit it for all events.' }),
      after: t.arg.string({
        description:
          'The cursor of the last received event, or the followCursor of a page of `events`. The stream starts after it. Omit it to start now.',
      }),
    },
    subscribe: (_root, { filter, after }, context) =>
      followEvents(context.domain, { ...filter, after: feedPosition(context, after) }),
    resolve: resolveFeedEvent,
  }),
);

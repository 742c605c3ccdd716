import { LIFECYCLE_SCOPE } from '../../../domain/events/filter.ts';
import { type AppendedEvent, followEvents, followRunEvents } from '../../../domain/events/follow.ts';
import type { SubscriptionExtensions } from '../../../operation/feed-end.ts';
import { builder } from '../builder.ts';
import { feedPosition, resolveFeedEvent } from '../feed-position.ts';
import { EventTypeEnum } from './event-enums.ts';
import { EventNode, eventConditions, requireReadable } from './events.ts';

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
      'Follows the event log. Each event arrives exactly once, in the same order for every subscriber. Scope: events:read, and conversations:read for lifecycle events.',
    args: {
      filter: t.arg({
        type: AppendedEventFilter,
        description: 'Omit it for all events of resources and integrations.',
      }),
      after: t.arg.string({
        description:
          'The cursor of the last received event, or the followCursor of a page of `events`. The stream starts after it. Omit it to start now.',
      }),
    },
    subscribe: (_root, { filter, after }, context) => {
      requireReadable(context, filter);
      return followEvents(context.domain, filter ?? {}, feedPosition(context, after));
    },
    resolve: resolveFeedEvent,
  }),
);

const RunEventFilter = builder.inputType('RunEventFilter', {
  description: 'Filters lifecycle events. All conditions must match.',
  fields: (t) => ({
    conversationId: t.field({ type: 'UUID', idOf: 'Conversation', description: 'Only events of this conversation.' }),
    deploymentId: t.field({
      type: 'UUID',
      idOf: 'Deployment',
      description: 'Only events of conversations of this deployment.',
    }),
    types: t.field({
      type: [EventTypeEnum],
      description: 'Only events of these types. They must be types of lifecycle events. Omit it for all of them.',
    }),
  }),
});

builder.subscriptionField('runEvents', (t) =>
  t.field({
    type: AppendedEventObject,
    access: { scopes: ['events:read', LIFECYCLE_SCOPE], anyRole: true },
    extensions: { feed: true } satisfies SubscriptionExtensions,
    description:
      'Follows the lifecycle events of runs, conversations and triggers. Each event arrives exactly once, in the same order for every subscriber. Scope: events:read, conversations:read.',
    args: {
      filter: t.arg({ type: RunEventFilter, description: 'Omit it for all lifecycle events of the environment.' }),
      after: t.arg.string({
        description:
          'The cursor of the last received event, or the followCursor of a page of `Conversation.runEvents`. The stream starts after it. Omit it to start now.',
      }),
    },
    subscribe: (_root, { filter, after }, context) =>
      followRunEvents(context.domain, filter ?? {}, feedPosition(context, after)),
    resolve: resolveFeedEvent,
  }),
);

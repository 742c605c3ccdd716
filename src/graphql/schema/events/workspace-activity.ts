import { type Activity, type ActivityCounters, followActivity } from '../../../domain/conversations/activity.ts';
import { RECENT_RUN_EVENTS, recentRunEvents } from '../../../domain/events/recent-runs.ts';
import type { SubscriptionExtensions } from '../../../operation/feed-end.ts';
import { builder } from '../builder.ts';
import { Conversation } from '../conversations/conversations.ts';
import { feedPosition, resolveFeedEvent } from '../feed-position.ts';
import { EventNode } from './events.ts';

const Counters = builder.objectRef<ActivityCounters>('ActivityCounters').implement({
  description: 'The current activity of an environment.',
  fields: (t) => ({
    running: t.exposeInt('running', { description: 'Turns that are running.' }),
    waiting: t.exposeInt('waiting', { description: 'Turns that wait for their client.' }),
    pendingActions: t.exposeInt('pendingActions', {
      description: 'Calls that wait for an answer in these turns: see the query `pendingActions`.',
    }),
    waitingForPerson: t.exposeInt('waitingForPerson', {
      description: 'Conversations that wait for a person: those with the handling WAITING.',
    }),
    turns: t.exposeInt('turns', { description: 'Turns and one-shot runs that ended or paused in the last hour.' }),
    failures: t.exposeInt('failures', { description: 'Number of these that failed.' }),
  }),
});

const ActivityObject = builder.objectRef<Activity>('Activity').implement({
  description: 'Changes in an environment since the previous event of this stream.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'For `after` of the next subscription: it continues after this event.',
    }),
    counters: t.expose('counters', { type: Counters, description: 'The current counters.' }),
    events: t.expose('events', {
      type: [EventNode],
      access: { scope: 'events:read' },
      description: 'New events of resources and integrations, in the order of the log. Scope: events:read.',
    }),
    runEvents: t.field({
      type: [EventNode],
      access: { scope: 'events:read' },
      description: `The newest lifecycle events of the changes, at most ${RECENT_RUN_EVENTS}, oldest first. The subscription \`runEvents\` has all of them. Scope: events:read.`,
      resolve: ({ runs }, _args, { domain }) => recentRunEvents(domain, runs),
    }),
    conversations: t.prismaField({
      type: [Conversation],
      description: 'New and changed conversations, in their current state.',
      resolve: (query, { conversationIds }, _args, { domain }) =>
        conversationIds.length === 0
          ? []
          : domain.db.conversation.findMany({ ...query, where: { id: { in: [...conversationIds] } } }),
    }),
  }),
});

builder.subscriptionField('workspaceActivity', (t) =>
  t.field({
    type: ActivityObject,
    access: { scope: 'conversations:read' },
    extensions: { feed: true } satisfies SubscriptionExtensions,
    description:
      'Follows the activity of an environment, for dashboards. The first event has the counters. Further events have counters, log entries and conversations, at most four times per second. Scope: conversations:read, and events:read for `events` and `runEvents`.',
    args: {
      after: t.arg.string({
        description: 'The cursor of the last received event. The stream starts after it. Omit it to start now.',
      }),
    },
    subscribe: (_root, { after }, context) => followActivity(context.domain, { after: feedPosition(context, after) }),
    resolve: resolveFeedEvent,
  }),
);

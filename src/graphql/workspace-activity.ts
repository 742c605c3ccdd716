import { type Activity, type ActivityCounters, followActivity } from '../domain/conversations/activity.ts';
import { builder } from './builder.ts';
import { Conversation } from './conversations.ts';
import { EventNode } from './events.ts';
import type { SubscriptionExtensions } from './feed-end.ts';
import { startOf, told } from './feed-position.ts';

const Counters = builder.objectRef<ActivityCounters>('ActivityCounters').implement({
  description: 'What is going on at this moment.',
  fields: (t) => ({
    running: t.exposeInt('running', { description: 'Turns that are at work.' }),
    waiting: t.exposeInt('waiting', { description: 'Turns that wait for their client.' }),
    turns: t.exposeInt('turns', { description: 'Turns and one-shot runs that ended or paused in the last hour.' }),
    failures: t.exposeInt('failures', { description: 'Of those, how many failed.' }),
  }),
});

const ActivityObject = builder.objectRef<Activity>('Activity').implement({
  description: 'What has happened in an environment since the activity before.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'For `after` of the next subscription: what follows this activity.',
    }),
    counters: t.expose('counters', { type: Counters, description: 'As they are now.' }),
    events: t.expose('events', {
      type: [EventNode],
      authScopes: { scope: 'events:read' },
      description: 'Entries that the log has gained, in its order. Scope: events:read.',
    }),
    conversations: t.prismaField({
      type: [Conversation],
      description: 'Conversations that are new or have changed, as they are now.',
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
    authScopes: { scope: 'conversations:read' },
    extensions: { feed: true } satisfies SubscriptionExtensions,
    description:
      'All that a dashboard shows of an environment in one feed: counters at once, then counters, events and conversations with each change, four times a second at most. Scope: conversations:read, and events:read for the events.',
    args: {
      after: t.arg.string({
        description: 'The cursor of the last activity received: everything since. From now on where it is left out.',
      }),
    },
    subscribe: (_root, args, context) => followActivity(context.domain, startOf(context, args)),
    resolve: told,
  }),
);

import type { ConversationChange } from '../domain/conversations/conversation-tail.ts';
import { followConversation } from '../domain/conversations/follow.ts';
import { followConversations, type MovedConversation } from '../domain/conversations/follow-list.ts';
import { findConversation } from '../domain/conversations/reads.ts';
import { builder } from './builder.ts';
import { Conversation } from './conversations.ts';
import { ConversationStatusEnum } from './enums.ts';
import type { SubscriptionExtensions } from './feed-end.ts';
import { startOf, told } from './feed-position.ts';
import { runnerAccess } from './field-scope.ts';
import { HistoryItem } from './timeline.ts';

const ConversationChangeObject = builder.objectRef<ConversationChange>('ConversationChange').implement({
  description: 'What has changed of a conversation since the change before.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'For `after` of the next subscription to this conversation: what follows this change.',
    }),
    items: t.expose('items', {
      type: [HistoryItem],
      description:
        'Items of the timeline that are new or have changed, as they are now. Those with a known id replace it; empty where only the state below has changed.',
    }),
    conversation: t.prismaField({
      type: Conversation,
      description:
        'As it is now: its status, run, pending actions and title. It can be ahead of the items: then they follow.',
      resolve: (query, { conversationId }, _args, { domain }) => findConversation(domain, { conversationId }, query),
    }),
  }),
});

builder.subscriptionField('conversationChanged', (t) =>
  t.field({
    type: ConversationChangeObject,
    ...runnerAccess('conversations:read'),
    extensions: { ...runnerAccess('conversations:read').extensions, feed: true } satisfies SubscriptionExtensions,
    description:
      'A conversation as it goes: at once its state, with what has changed behind `after`, then each change. Ends with an error not_found where it is deleted. Scope: conversations:read.',
    args: {
      conversationId: t.arg({ type: 'UUID', required: true, description: 'Its durable identifier.' }),
      deploymentId: t.arg({ type: 'UUID', description: 'Where given, the conversation must be of this deployment.' }),
      after: t.arg.string({
        description:
          'The cursor of the last change received, or the followCursor of the page of its history that was read: every item since, then live. From now on where it is left out.',
      }),
    },
    subscribe: (_root, args, context) => followConversation(context.domain, startOf(context, args)),
    resolve: told,
  }),
);

const ListedConversationChange = builder.objectRef<MovedConversation>('ListedConversationChange').implement({
  description: 'A conversation that is new, or has changed.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'For `after` of the next subscription: what follows this change.',
    }),
    conversationId: t.expose('conversationId', { type: 'UUID', description: 'Which one it is.' }),
    conversation: t.prismaField({
      type: Conversation,
      nullable: true,
      description: 'As it is now; null where it has been deleted since.',
      resolve: (query, { conversationId }, _args, { domain }) =>
        domain.db.conversation.findUnique({ ...query, where: { id: conversationId } }),
    }),
  }),
});

builder.subscriptionField('conversationsChanged', (t) =>
  t.field({
    type: ListedConversationChange,
    authScopes: { scope: 'conversations:read' },
    extensions: { feed: true } satisfies SubscriptionExtensions,
    description:
      'Conversations of the environment as they come and change, for lists. One that changes several times at once is told once. Scope: conversations:read.',
    args: {
      deploymentId: t.arg({ type: 'UUID', description: 'Only those of this deployment.' }),
      status: t.arg({
        type: ConversationStatusEnum,
        description:
          'completed: only those. active: those that are, and each once more when it is completed, so that a list can drop it.',
      }),
      after: t.arg.string({
        description:
          'The cursor of the last change received, or the followCursor of the page that was read. From now on where it is left out.',
      }),
    },
    subscribe: (_root, args, context) => followConversations(context.domain, startOf(context, args)),
    resolve: told,
  }),
);

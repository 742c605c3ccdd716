import { historyItemId } from '../../../contract/ids.ts';
import type { ConversationChange } from '../../../domain/conversations/conversation-tail.ts';
import { followConversation } from '../../../domain/conversations/follow.ts';
import { followConversations, type MovedConversation } from '../../../domain/conversations/follow-list.ts';
import { findConversation } from '../../../domain/conversations/reads.ts';
import { runnerAccess } from '../../../operation/access.ts';
import type { SubscriptionExtensions } from '../../../operation/feed-end.ts';
import { LISTED_CONVERSATION_FILTER } from '../../../shapes/filters.ts';
import { builder } from '../builder.ts';
import { HistoryIncludeEnum } from '../enums.ts';
import { feedPosition, resolveFeedEvent } from '../feed-position.ts';
import { selects } from '../page.ts';
import { inputType } from '../shape-fields.ts';
import { Conversation } from './conversations.ts';
import { HistoryItem } from './timeline.ts';

const ConversationChangeObject = builder.objectRef<ConversationChange>('ConversationChange').implement({
  description: 'A change of a conversation since the previous change.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'For `after` of the next subscription to this conversation: it continues after this change.',
    }),
    items: t.expose('items', {
      type: [HistoryItem],
      description:
        'Timeline items that are new or changed, in their current state. An item with a known ID replaces the earlier one. Empty if only the conversation changed.',
    }),
    supersededItemIds: t.idList({
      description:
        'The `itemId` of each item that left the active line: an edit, a turn that runs again or another variant replaced it. Remove these items.',
      resolve: ({ superseded }) => superseded.map(({ id }) => historyItemId(id)),
    }),
    conversation: t.prismaField({
      type: Conversation,
      description:
        'The current state: status, run, pending actions and name. It can be newer than `items`. Later changes then bring the missing items.',
      resolve: (query, { conversationId }, _args, { domain }) => findConversation(domain, { conversationId }, query),
    }),
  }),
});

builder.subscriptionField('conversationChanged', (t) =>
  t.field({
    type: ConversationChangeObject,
    access: runnerAccess('conversations:read'),
    extensions: { feed: true } satisfies SubscriptionExtensions,
    description:
      'Follows a conversation. The first event has its state and all changes after `after`. Further events follow with each change. If the conversation is deleted, the stream ends with error not_found. Scope: conversations:read.',
    args: {
      conversationId: t.arg({
        type: 'UUID',
        idOf: 'Conversation',
        required: true,
        description: 'The ID of the conversation.',
      }),
      deploymentId: t.arg({
        type: 'UUID',
        idOf: 'Deployment',
        description: 'The conversation must belong to this deployment. Otherwise error not_found.',
      }),
      include: t.arg({
        type: [HistoryIncludeEnum],
        description: 'Items that the feed only has on request: HANDLING. It never has summaries.',
      }),
      after: t.arg.string({
        description:
          'The cursor of the last received change, or the followCursor of a page of its history. The stream starts after it. Omit it to start now.',
      }),
    },
    subscribe: (_root, { after, ...conversation }, context) =>
      followConversation(context.domain, { ...conversation, after: feedPosition(context, after) }),
    resolve: resolveFeedEvent,
  }),
);

const ListedConversationChange = builder.objectRef<MovedConversation>('ListedConversationChange').implement({
  description: 'A new or changed conversation.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'For `after` of the next subscription: it continues after this change.',
    }),
    conversationId: t.expose('conversationId', { type: 'UUID', description: 'The ID of the conversation.' }),
    conversation: t.prismaField({
      type: Conversation,
      nullable: true,
      description: 'Its current state. Null: it has been deleted.',
      resolve: (query, { conversationId }, _args, { domain }) =>
        domain.db.conversation.findFirst({ ...query, where: { id: conversationId } }),
    }),
    matches: t.boolean({
      description:
        'Whether the conversation matches the filter now: true without a filter. False: remove it from the list, if it is there.',
      resolve: ({ matches = true }) => matches,
    }),
  }),
});

builder.subscriptionField('conversationsChanged', (t) =>
  t.field({
    type: ListedConversationChange,
    access: { scope: 'conversations:read', bound: 'filtered' },
    extensions: { feed: true } satisfies SubscriptionExtensions,
    description:
      'Follows new and changed conversations of the environment, to keep a list up to date. Several changes of one conversation in quick succession are one event. Scope: conversations:read.',
    args: {
      filter: t.arg({ type: inputType(LISTED_CONVERSATION_FILTER), description: 'Omit it for all conversations.' }),
      after: t.arg.string({
        description:
          'The cursor of the last received change, or the followCursor of a page of `conversations`. Omit it to start now.',
      }),
    },
    subscribe: (_root, { filter, after }, context, info) =>
      followConversations(context.domain, {
        filter,
        after: feedPosition(context, after),
        withMatches: selects(info, 'matches'),
      }),
    resolve: resolveFeedEvent,
  }),
);

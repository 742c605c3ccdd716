import { queryFromInfo } from '@pothos/plugin-prisma';
import { LIMITS } from '../../../contract/limits.ts';
import { conversationPage, type ConversationPage as Page } from '../../../domain/conversations/conversation-page.ts';
import { type ConversationListPage, conversationListPage } from '../../../domain/conversations/follow-list.ts';
import { publishedDeployment } from '../../../domain/workflows/deployments.ts';
import { CONVERSATION_FILTER } from '../../../shapes/filters.ts';
import { builder } from '../builder.ts';
import { orderInput } from '../filters.ts';
import { NOT_FOUND } from '../mutation.ts';
import { numberedPageOf, selects } from '../page.ts';
import { inputType } from '../shape-fields.ts';
import { Conversation } from './conversations.ts';

export const ConversationFilter = inputType(CONVERSATION_FILTER);

export const ConversationOrder = orderInput('Conversation', {
  CREATED_AT: { value: 'created_at', description: 'When the conversation started.' },
  UPDATED_AT: { value: 'updated_at', description: 'The latest activity.' },
  MESSAGE_COUNT: { value: 'message_count', description: 'The number of stored messages.' },
  RESPONSE_TIME_MS: {
    value: 'response_time_ms',
    description:
      'The response time of the slowest turn. Conversations without turns count as fastest. Scope: workflows:read.',
  },
  HANDLING_SINCE: {
    value: 'handling_since',
    description:
      'Since when a conversation waits for a person, or a person has it. Only with the filter `handling` without ASSISTANT: the assistant can have answered a conversation since it exists.',
  },
  COST: {
    value: 'cost',
    description: 'The cost. Conversations that used a model without a price count as cheapest. Scope: workflows:read.',
  },
});

const ConversationPage = numberedPageOf('ConversationPage', Conversation, {
  description: 'A page of conversations by page number, latest activity first.',
  hasMore: 'Whether there is a next page, with older conversations.',
});

builder.objectField(ConversationPage, 'asOf', (t) =>
  t.string({
    nullable: true,
    description: 'The place after this page, for the next one. Null on the last page.',
    resolve: (page) => (page as Page).asOf,
  }),
);

export const ConversationConnection = builder.connectionObject(
  {
    type: Conversation,
    name: 'ConversationConnection',
    description: 'A page of conversations.',
    fields: (fields) => ({
      followCursor: fields.string({
        description:
          'For `after` of conversationsChanged: it continues with the changes that are newer than this page.',
        // The page has it whenever the field is selected.
        resolve: (page) => (page as ConversationListPage).followCursor ?? '',
      }),
    }),
  },
  { name: 'ConversationEdge' },
);

builder.queryField('conversations', (t) =>
  t.connection(
    {
      publishing: 'reads',
      type: Conversation,
      access: { scope: 'conversations:read', bound: 'filtered' },
      description: 'Conversations of the environment, latest activity first. Scope: conversations:read.',
      args: {
        filter: t.arg({ type: ConversationFilter, description: 'Omit it for all conversations.' }),
        orderBy: t.arg({ type: ConversationOrder, description: 'The order. Default: latest activity first.' }),
      },
      resolve: (_root, { filter, orderBy: order, ...args }, context, info) => {
        const query = queryFromInfo({ context, info, paths: [['nodes'], ['edges', 'node']] });
        const following = selects(info, 'followCursor');
        return conversationListPage(context.domain, args, filter ?? {}, { query, following, order });
      },
    },
    ConversationConnection,
  ),
);

builder.queryField('conversationPage', (t) =>
  t.field({
    publishing: 'reads',
    type: ConversationPage,
    internal: true,
    access: { scope: 'conversations:read', bound: 'filtered' },
    description: 'The list of `conversations` by page number, as the REST API returns it. Scope: conversations:read.',
    args: {
      deploymentId: t.arg({
        type: 'UUID',
        idOf: 'Deployment',
        extensions: NOT_FOUND,
        description: 'Only conversations of this deployment. Error not_found if it is not published.',
      }),
      filter: t.arg({ type: ConversationFilter, description: 'Omit it for all conversations.' }),
      page: t.arg.int({ defaultValue: 1, required: true, description: 'The page number, from 1.' }),
      pageSize: t.arg.int({
        defaultValue: LIMITS.defaultPageSize,
        required: true,
        description: `Items per page: 1 to ${LIMITS.pageSize}.`,
      }),
      asOf: t.arg.string({
        description:
          'The `asOf` of the page before: the page continues after that one, so that no conversation is missing because others changed. Those that changed since the first page follow at the end.',
      }),
    },
    resolve: async (_root, { deploymentId, filter, ...page }, context, info) => {
      if (deploymentId) await publishedDeployment(context.domain, deploymentId);
      const query = queryFromInfo({ context, info, path: ['items'] });
      const conditions = { ...filter, ...(deploymentId && { deploymentId }) };
      return conversationPage(context.domain, page, conditions, query);
    },
  }),
);

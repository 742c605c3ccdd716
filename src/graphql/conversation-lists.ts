import { queryFromInfo } from '@pothos/plugin-prisma';
import { type ConversationListPage, conversationListPage } from '../domain/conversations/follow-list.ts';
import { conversationPage } from '../domain/conversations/list.ts';
import { publishedDeployment } from '../domain/workflows/deployments.ts';
import { builder } from './builder.ts';
import { Conversation } from './conversations.ts';
import { ConversationStatusEnum, RunStatusEnum } from './enums.ts';
import { numberedPageOf } from './page.ts';
import { selects } from './selection.ts';

const ConversationFilter = builder.inputType('ConversationFilter', {
  description: 'Which conversations a list holds. All conditions that are given hold.',
  fields: (t) => ({
    deploymentId: t.field({ type: 'UUID', description: 'Only those of this deployment.' }),
    status: t.field({ type: ConversationStatusEnum, description: 'Only active ones, or only completed ones.' }),
    runStatuses: t.field({
      type: [RunStatusEnum],
      description: 'Only those whose latest turn stands in one of these.',
    }),
    meta: t.field({
      type: 'JSONObject',
      description: "Labels by key. A label matches by its value's text: `true`, `3`, `abc`.",
    }),
    search: t.string({ description: 'Part of the name, in either case: 1 to 200 characters.' }),
  }),
});

const ConversationPage = numberedPageOf('ConversationPage', Conversation, {
  description: 'A numbered page of conversations, latest activity first.',
  hasMore: 'Whether a later page holds older ones.',
});

builder.queryField('conversations', (t) =>
  t.connection(
    {
      type: Conversation,
      authScopes: { scope: 'conversations:read' },
      description: 'Conversations of the environment, latest activity first. Scope: conversations:read.',
      args: { filter: t.arg({ type: ConversationFilter, description: 'All of them where it is left out.' }) },
      resolve: (_root, { filter, ...args }, context, info) => {
        const query = queryFromInfo({ context, info, paths: [['nodes'], ['edges', 'node']] });
        const following = selects(info, 'followCursor');
        return conversationListPage(context.domain, args, filter ?? {}, query, { following });
      },
    },
    {
      name: 'ConversationConnection',
      description: 'A page of conversations.',
      fields: (fields) => ({
        followCursor: fields.string({
          description: 'For `after` of conversationsChanged: everything that this page could not show yet.',
          // Selected, so it was read with the page.
          resolve: (page) => (page as ConversationListPage).followCursor ?? '',
        }),
      }),
    },
    { name: 'ConversationEdge' },
  ),
);

builder.queryField('conversationPage', (t) =>
  t.field({
    type: ConversationPage,
    authScopes: { scope: 'conversations:read' },
    description: 'The same list by page number, as REST reads it. Scope: conversations:read.',
    args: {
      deploymentId: t.arg({
        type: 'UUID',
        description: 'Only those of this published deployment; not_found without it.',
      }),
      filter: t.arg({ type: ConversationFilter, description: 'All of them where it is left out.' }),
      page: t.arg.int({ defaultValue: 1, required: true, description: 'From 1.' }),
      pageSize: t.arg.int({ defaultValue: 20, required: true, description: '1 to 100.' }),
    },
    resolve: async (_root, { deploymentId, filter, ...page }, context, info) => {
      if (deploymentId) await publishedDeployment(context.domain, deploymentId);
      const query = queryFromInfo({ context, info, path: ['items'] });
      const conditions = { ...filter, ...(deploymentId && { deploymentId }) };
      return conversationPage(context.domain, page, conditions, query);
    },
  }),
);

import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import { exportConversation } from '../../domain/exports/conversation.ts';
import { exportConversations } from '../../domain/exports/conversations.ts';
import { EXPORT_SCOPES, exportEnvironment } from '../../domain/exports/environment.ts';
import type { SubscriptionExtensions } from '../../operation/feed-end.ts';
import { builder } from './builder.ts';
import { ConversationFilter, ConversationOrder } from './conversations/conversation-lists.ts';
import { NOT_FOUND } from './mutation.ts';

const LINES =
  'Each event is one line: first { type: "export" }, then { type, data } for each row, last { type: "end", counts }. Without the last line the export is incomplete.';

/** A graceful shutdown does not wait for an export. Its lines have no cursors. */
const FEED = { feed: true, resumable: false } satisfies SubscriptionExtensions;

builder.subscriptionField('conversationExport', (t) =>
  t.field({
    type: 'JSONObject',
    access: { scope: 'conversations:read', bound: 'addressed' },
    extensions: { ...FEED, ...NOT_FOUND },
    description: `Exports a conversation with its runs and timeline, and lists its uploaded files. ${LINES} Scope: conversations:read.`,
    args: {
      conversationId: t.arg({
        type: 'UUID',
        idOf: 'Conversation',
        required: true,
        description: 'The ID of the conversation.',
      }),
    },
    subscribe: (_root, { conversationId }, { domain }) => exportConversation(domain, conversationId),
    resolve: (line) => line,
  }),
);

builder.subscriptionField('conversationsExport', (t) =>
  t.field({
    type: 'JSONObject',
    access: { scope: 'conversations:read', bound: 'filtered' },
    extensions: FEED,
    description: `Exports the conversations of a filter, without their messages: the first ${formatCount(LIMITS.exportedConversations)}. \`truncated\` in the first line says whether there are more. With the scope workflows:read the lines contain turns, tokens, response time and cost. ${LINES} Scope: conversations:read.`,
    args: {
      filter: t.arg({ type: ConversationFilter, description: 'Omit it for all conversations.' }),
      orderBy: t.arg({ type: ConversationOrder, description: 'The order. Default: latest activity first.' }),
    },
    subscribe: (_root, { filter, orderBy }, { domain }) => exportConversations(domain, filter ?? {}, orderBy),
    resolve: (line) => line,
  }),
);

builder.subscriptionField('environmentExport', (t) =>
  t.field({
    type: 'JSONObject',
    access: { scopes: EXPORT_SCOPES },
    extensions: FEED,
    description: `Exports all data of the environment except secrets: resources, integrations, webhook endpoints, triggers, published documents, conversations, uploaded files without their bytes, workflow log and events, each oldest first. ${LINES} Needs a session of an owner or admin, or a key with all of these scopes: ${EXPORT_SCOPES.join(', ')}.`,
    subscribe: (_root, _args, { domain }) => exportEnvironment(domain),
    resolve: (line) => line,
  }),
);

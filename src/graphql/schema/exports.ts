import { exportConversation } from '../../domain/exports/conversation.ts';
import { EXPORT_SCOPES, exportEnvironment } from '../../domain/exports/environment.ts';
import type { SubscriptionExtensions } from '../../operation/feed-end.ts';
import { builder } from './builder.ts';
import { NOT_FOUND } from './mutation.ts';

const LINES =
  'Each event is one line: first { type: "export" }, then { type, data } for each row, last { type: "end", counts }. Without the last line the export is incomplete.';

/** A graceful shutdown does not wait for an export. */
const FEED = { feed: true } satisfies SubscriptionExtensions;

builder.subscriptionField('conversationExport', (t) =>
  t.field({
    type: 'JSONObject',
    access: { scope: 'conversations:read' },
    extensions: { ...FEED, ...NOT_FOUND },
    description: `Exports a conversation with its runs and timeline. ${LINES} Scope: conversations:read.`,
    args: { conversationId: t.arg({ type: 'UUID', required: true, description: 'The ID of the conversation.' }) },
    subscribe: (_root, { conversationId }, { domain }) => exportConversation(domain, conversationId),
    resolve: (line) => line,
  }),
);

builder.subscriptionField('environmentExport', (t) =>
  t.field({
    type: 'JSONObject',
    access: { scopes: EXPORT_SCOPES },
    extensions: FEED,
    description: `Exports all data of the environment except secrets: resources, integrations, webhook endpoints, triggers, conversations, workflow log and events, each oldest first. ${LINES} Needs a session of an owner or admin, or a key with all of these scopes: ${EXPORT_SCOPES.join(', ')}.`,
    subscribe: (_root, _args, { domain }) => exportEnvironment(domain),
    resolve: (line) => line,
  }),
);

import { exportConversation } from '../domain/exports/conversation.ts';
import { EXPORT_SCOPES, exportEnvironment } from '../domain/exports/environment.ts';
import { builder } from './builder.ts';
import type { SubscriptionExtensions } from './feed-end.ts';

const LINES =
  'Line by line: first { type: "export" }, then { type, data } for each row, last { type: "end", counts }; without that one it was broken off.';

/** A shutdown does not wait for the end of an export. */
const FEED = { feed: true } satisfies SubscriptionExtensions;

builder.subscriptionField('conversationExport', (t) =>
  t.field({
    type: 'JSONObject',
    authScopes: { scope: 'conversations:read' },
    extensions: FEED,
    description: `Everything that is kept of a conversation: itself, its runs, its timeline. ${LINES} Scope: conversations:read.`,
    args: { conversationId: t.arg({ type: 'UUID', required: true, description: 'Its durable identifier.' }) },
    subscribe: (_root, { conversationId }, { domain }) => exportConversation(domain, conversationId),
    resolve: (line) => line,
  }),
);

builder.subscriptionField('environmentExport', (t) =>
  t.field({
    type: 'JSONObject',
    authScopes: { scopes: EXPORT_SCOPES },
    extensions: FEED,
    description: `Everything that the environment keeps, but for secrets: resources, integrations, webhook endpoints, triggers, conversations, workflow log and events, each oldest first. ${LINES} Needs a session of an owner or admin, or a key with all of these scopes: ${EXPORT_SCOPES.join(', ')}.`,
    subscribe: (_root, _args, { domain }) => exportEnvironment(domain),
    resolve: (line) => line,
  }),
);

import { cancelRun } from '../domain/agent/cancel-run.ts';
import { findConversation } from '../domain/conversations/reads.ts';
import { builder } from './builder.ts';
import { Conversation } from './conversations.ts';

builder.mutationField('cancelRun', (t) =>
  t.prismaField({
    type: Conversation,
    authScopes: { scope: 'conversations:write' },
    description:
      'Ends the run of a conversation whose client does not come back: what it waits for is cancelled, the run has failed (or was interrupted where results had been accepted), results that still come are told unknown_call_id, and the conversation takes its next turn. Nothing happens where nothing waits. Error run_in_progress while a turn is at work. Scope: conversations:write.',
    args: { conversationId: t.arg({ type: 'UUID', required: true, description: 'Its durable identifier.' }) },
    resolve: async (query, _root, { conversationId }, { domain }) => {
      await cancelRun(domain, conversationId);
      return findConversation(domain, { conversationId }, query);
    },
  }),
);

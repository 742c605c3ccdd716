import { deleteConversation } from '../domain/conversations/delete.ts';
import { builder } from './builder.ts';

const DeletedConversation = builder.objectRef<{ readonly conversationId: string }>('DeletedConversation').implement({
  description: 'A conversation that is no more.',
  fields: (t) => ({
    conversationId: t.expose('conversationId', { type: 'UUID', description: 'What it was named by.' }),
  }),
});

builder.mutationField('deleteConversation', (t) =>
  t.field({
    type: DeletedConversation,
    authScopes: { scope: 'conversations:write' },
    description:
      'Deletes a conversation with its messages and runs, for ever. The trigger that started it stays used, and loses its content. Error run_in_progress while a turn is at work. Scope: conversations:write.',
    args: { conversationId: t.arg({ type: 'UUID', required: true, description: 'Its durable identifier.' }) },
    resolve: async (_root, { conversationId }, { domain }) => ({
      conversationId: await deleteConversation(domain, conversationId),
    }),
  }),
);

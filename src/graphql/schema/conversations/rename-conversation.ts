import { LIMITS } from '../../../contract/limits.ts';
import { findConversation } from '../../../domain/conversations/reads.ts';
import { renameConversation } from '../../../domain/conversations/rename.ts';
import { runnerAccess } from '../../../operation/access.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';
import { Conversation } from './conversations.ts';

const RenameConversationInput = builder.inputType('RenameConversationInput', {
  description: 'A conversation and its new name.',
  fields: (t) => ({
    conversationId: t.field({ type: 'UUID', required: true, description: 'The ID of the conversation.' }),
    name: t.string({
      required: true,
      description: `1 to ${LIMITS.conversationNameLength} characters, not blank. White space is folded.`,
    }),
  }),
});

mutation('renameConversation', {
  publishing: 'sets',
  access: runnerAccess('conversations:write'),
  description:
    'Replaces the name that the service gave a conversation. The conversation keeps its place in lists. Scope: conversations:write.',
  input: RenameConversationInput,
  errors: ['not_found', 'invalid_request'],
  resolve: async ({ conversationId, name }, { domain }) => {
    await renameConversation(domain, conversationId, { name });
    return { conversationId };
  },
  payload: (t) => ({
    conversation: t.prismaField({
      type: Conversation,
      description: 'The conversation with its new name.',
      resolve: (query, { conversationId }, _args, { domain }) => findConversation(domain, { conversationId }, query),
    }),
  }),
});

import { LIMITS } from '../../../contract/limits.ts';
import { changeConversation } from '../../../domain/conversations/change.ts';
import { findConversation } from '../../../domain/conversations/reads.ts';
import { runnerAccess } from '../../../operation/access.ts';
import { builder } from '../builder.ts';
import { mutation, type PayloadBuilder } from '../mutation.ts';
import { Conversation } from './conversations.ts';

const NAME = `1 to ${LIMITS.conversationNameLength} characters, not blank. White space is folded.`;

const RenameConversationInput = builder.inputType('RenameConversationInput', {
  description: 'A conversation and its new name.',
  fields: (t) => ({
    conversationId: t.field({ type: 'UUID', required: true, description: 'The ID of the conversation.' }),
    name: t.string({ required: true, description: NAME }),
  }),
});

const UpdateConversationInput = builder.inputType('UpdateConversationInput', {
  description: 'A conversation and its changes: at least one of `name` and `meta`.',
  fields: (t) => ({
    conversationId: t.field({ type: 'UUID', required: true, description: 'The ID of the conversation.' }),
    name: t.string({ description: `${NAME} Omit it to keep the name.` }),
    meta: t.field({
      type: 'JSONObject',
      description: `Labels to change: strings, numbers or booleans by name. Null removes a label, and other labels stay. The conversation can have ${LIMITS.metaKeys}.`,
    }),
  }),
});

const changed = (description: string) => (t: PayloadBuilder<{ readonly conversationId: string }>) => ({
  conversation: t.prismaField({
    type: Conversation,
    description,
    resolve: (query, { conversationId }, _args, { domain }) => findConversation(domain, { conversationId }, query),
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
    await changeConversation(domain, conversationId, { name });
    return { conversationId };
  },
  payload: changed('The conversation with its new name.'),
});

mutation('updateConversation', {
  publishing: 'sets',
  access: runnerAccess('conversations:write'),
  description:
    'Changes the name or the labels (`meta`) of a conversation. The conversation keeps its place in lists. Scope: conversations:write.',
  input: UpdateConversationInput,
  errors: ['not_found', 'invalid_request'],
  resolve: async ({ conversationId, ...changes }, { domain }) => {
    await changeConversation(domain, conversationId, changes);
    return { conversationId };
  },
  payload: changed('The conversation with its changes.'),
});

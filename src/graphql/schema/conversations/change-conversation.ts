import { changeConversation } from '../../../domain/conversations/change.ts';
import { runnerAccess } from '../../../operation/access.ts';
import { RENAME_CONVERSATION, UPDATE_CONVERSATION } from '../../../shapes/conversations.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { conversationField } from './conversation-field.ts';

mutation('renameConversation', {
  publishing: 'sets',
  access: runnerAccess('conversations:write'),
  description:
    'Replaces the name that the service gave a conversation. The conversation keeps its place in lists. Scope: conversations:write.',
  input: inputType(RENAME_CONVERSATION),
  errors: ['not_found', 'invalid_request'],
  resolve: async ({ conversationId, name }, { domain }) => {
    await changeConversation(domain, conversationId, { name });
    return { conversationId };
  },
  payload: conversationField('The conversation with its new name.'),
});

mutation('updateConversation', {
  publishing: 'sets',
  access: runnerAccess('conversations:write'),
  description:
    'Changes the name or the labels (`meta`) of a conversation. The conversation keeps its place in lists. Scope: conversations:write.',
  input: inputType(UPDATE_CONVERSATION),
  errors: ['not_found', 'invalid_request'],
  resolve: async ({ conversationId, ...changes }, { domain }) => {
    await changeConversation(domain, conversationId, changes);
    return { conversationId };
  },
  payload: conversationField('The conversation with its changes.'),
});

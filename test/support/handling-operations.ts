import type { SendOperation } from './all-operations.ts';
import { graphText } from './graph-content.ts';
import { mutationOf } from './results.ts';

const CONVERSATION = '{ conversation { name variables { name value } handling { mode reason } } }';

/** The request of each mutation of people who handle conversations. Nobody has the conversation of the fixtures. */
export const HANDLING_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Mutation.takeOver': (client, key, { conversationId }) =>
    client.graphql(mutationOf('takeOver', CONVERSATION), { input: { conversationId, force: true } }, { key }),
  'Mutation.sendAsMember': (client, key, { conversationId }) =>
    client.graphql(
      mutationOf('sendAsMember', CONVERSATION),
      { input: { conversationId, content: graphText('More') } },
      { key },
    ),
  'Mutation.handBack': (client, key, { conversationId }) =>
    client.graphql(mutationOf('handBack', CONVERSATION), { input: { conversationId } }, { key }),
  'Mutation.addConversationNote': (client, key, { conversationId }) =>
    client.graphql(
      mutationOf('addConversationNote', CONVERSATION),
      { input: { conversationId, text: 'More' } },
      { key },
    ),
  'Mutation.assignConversation': (client, key, { conversationId }) =>
    client.graphql(
      mutationOf('assignConversation', CONVERSATION),
      { input: { conversationId, memberId: null } },
      { key },
    ),
  'Mutation.suggestReply': (client, key, { conversationId }) =>
    client.graphql(mutationOf('suggestReply', '{ text }'), { input: { conversationId } }, { key }),
};

/** The request of what users of conversations can do as well. */
export const PRESENCE_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Mutation.setPresence': (client, key, { conversationId }) =>
    client.graphql(
      mutationOf('setPresence', '{ people { displayName kind isMe isTyping } }'),
      { input: { conversationId, isTyping: true } },
      { key },
    ),
};

/** The request of each root field of the team that names no conversation. */
export const TEAM_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Query.assignableMembers': (client, key) =>
    client.graphql('{ assignableMembers { memberId displayName } }', {}, { key }),
  'Mutation.deleteConversationNote': async (client, key, { conversationId, graph }) => {
    // Members and keys delete only their own notes.
    const add = mutationOf('addConversationNote', '{ note { id } }');
    const added = await client.graphql(add, { input: { conversationId, text: 'Mine' } }, { key });
    const conversationNoteId = added.body.data?.addConversationNote?.note?.id ?? graph.note;
    const remove = mutationOf('deleteConversationNote', `{ deletedId ${CONVERSATION.slice(1)}`);
    return client.graphql(remove, { input: { conversationNoteId } }, { key });
  },
};

/** The request of each of their REST routes. */
export const HANDLING_ROUTES: Readonly<Record<string, SendOperation>> = {
  'POST /v1/conversations/{conversation_id}/takeover': (client, key, { conversationId }) =>
    client.send('POST', `/v1/conversations/${conversationId}/takeover`, { key, body: { force: true } }),
  'POST /v1/conversations/{conversation_id}/member-messages': (client, key, { conversationId }) =>
    client.send('POST', `/v1/conversations/${conversationId}/member-messages`, {
      key,
      body: { content: [{ type: 'text', text: 'More' }] },
    }),
  'POST /v1/conversations/{conversation_id}/handback': (client, key, { conversationId }) =>
    client.send('POST', `/v1/conversations/${conversationId}/handback`, { key, body: {} }),
};

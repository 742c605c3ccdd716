import type { SendOperation } from './all-operations.ts';
import { graphText } from './graph-content.ts';
import { mutationOf } from './results.ts';

const CONVERSATION = '{ name variables { name value } messages { nodes { content { ... on TextPart { text } } } } }';
const TURNED = `{ turn { ... on FinishedTurn { name content conversation ${CONVERSATION} } } }`;
const CHANGED = `{ conversation ${CONVERSATION} }`;

/** The request of each mutation that replaces turns or copies conversations. */
export const BRANCH_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Mutation.regenerateTurn': (client, key, { conversationId }) =>
    client.graphql(mutationOf('regenerateTurn', TURNED), { input: { conversationId } }, { key }),
  'Mutation.editMessage': (client, key, { conversationId, replyId }) =>
    client.graphql(
      mutationOf('editMessage', TURNED),
      // The message of the user is the one before the reply.
      { input: { conversationId, messageId: String(Number(replyId) - 1), content: graphText('More') } },
      { key },
    ),
  'Mutation.selectVariant': (client, key, { conversationId, replyId }) =>
    client.graphql(mutationOf('selectVariant', CHANGED), { input: { conversationId, messageId: replyId } }, { key }),
  'Mutation.forkConversation': (client, key, { conversationId }) =>
    client.graphql(mutationOf('forkConversation', CHANGED), { input: { conversationId } }, { key }),
};

const PATH = '/v1/runner/conversation';

/** The request of each of their REST routes. */
export const BRANCH_ROUTES: Readonly<Record<string, SendOperation>> = {
  'POST /v1/runner/conversation/{conversation_id}/regenerate': (client, key, { conversationId }) =>
    client.send('POST', `${PATH}/${conversationId}/regenerate`, { key, body: {} }),
  'PATCH /v1/runner/conversation/{conversation_id}/messages/{message_id}': (client, key, { conversationId, replyId }) =>
    client.send('PATCH', `${PATH}/${conversationId}/messages/${Number(replyId) - 1}`, {
      key,
      body: { content: [{ type: 'text', text: 'More' }] },
    }),
  'POST /v1/runner/conversation/{conversation_id}/messages/{message_id}/select': (
    client,
    key,
    { conversationId, replyId },
  ) => client.send('POST', `${PATH}/${conversationId}/messages/${replyId}/select`, { key, body: {} }),
  'POST /v1/runner/conversation/{conversation_id}/fork': (client, key, { conversationId }) =>
    client.send('POST', `${PATH}/${conversationId}/fork`, { key, body: {} }),
};

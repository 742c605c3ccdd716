import type { FinishedTurn } from '../domain/agent/turn.ts';
import { runAgentTurn, sendMessage } from '../domain/agent/turns.ts';
import { builder, type InputFields } from './builder.ts';
import { ContentPartInput } from './content.ts';
import { Conversation } from './conversations.ts';
import { ConversationStatusEnum, RunStatusEnum } from './enums.ts';

const FinishedTurnObject = builder.objectRef<FinishedTurn>('FinishedTurn').implement({
  description: "A turn that ended with the assistant's reply.",
  fields: (t) => ({
    runId: t.expose('runId', { type: 'UUID', description: 'For observing only; never an input.' }),
    runStatus: t.expose('runStatus', { type: RunStatusEnum, description: 'completed.' }),
    conversationId: t.expose('conversationId', { type: 'UUID', description: 'What the next turn names.' }),
    conversationStatus: t.expose('conversationStatus', {
      type: ConversationStatusEnum,
      description: 'completed where the assistant has permanently completed the conversation.',
    }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the conversation was completed; null while active.',
    }),
    name: t.exposeString('name', { description: "The conversation's title." }),
    content: t.expose('content', { type: 'ReplyContent', description: "The assistant's reply; may be empty." }),
    model: t.exposeString('model', { description: 'The model that answered, as provider:name.' }),
    inputTokens: t.exposeInt('inputTokens', { description: 'Tokens read by the model in this turn.' }),
    outputTokens: t.exposeInt('outputTokens', { description: 'Tokens written by the model in this turn.' }),
    responseTime: t.float({
      description: 'Seconds from acceptance to the reply, to the millisecond.',
      resolve: ({ responseTimeMs }) => responseTimeMs / 1_000,
    }),
    requestId: t.string({
      description: 'The x-request-id of this request.',
      resolve: (_turn, _args, { requestId }) => requestId,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the conversation began.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When this turn was settled.' }),
    conversation: t.prismaField({
      type: Conversation,
      description: 'The conversation as it is now.',
      resolve: (query, { conversationId }, _args, { domain }) =>
        domain.db.conversation.findUniqueOrThrow({ ...query, where: { id: conversationId } }),
    }),
  }),
});

const AgentTurn = builder.unionType('AgentTurn', {
  description: 'How an agent turn ended.',
  types: [FinishedTurnObject],
  resolveType: () => FinishedTurnObject,
});

const FIRST_ONLY = 'With the first message only: an error where the conversation is continued.';

const turnFields = (t: InputFields) => ({
  content: t.field({ type: [ContentPartInput], description: 'What the user says: 1 to 64 parts. Required.' }),
  conversationId: t.field({ type: 'UUID', description: 'The conversation to continue; leave it out to start one.' }),
  variables: t.field({ type: 'JSONObject', description: `Strings by name, for the instructions. ${FIRST_ONLY}` }),
  meta: t.field({
    type: 'JSONObject',
    description: `Searchable labels: strings, numbers or booleans by name. ${FIRST_ONLY}`,
  }),
  historyLimit: t.int({ description: 'Earlier message pairs that the model is given, 0 to 100; 5 by default.' }),
});

const MessageInput = builder.inputType('MessageInput', {
  description: 'An ordinary chat message.',
  fields: turnFields,
});

const AgentTurnInput = builder.inputType('AgentTurnInput', {
  description: 'What starts or continues an agent conversation.',
  fields: turnFields,
});

const DEPLOYMENT_ARG = {
  type: 'UUID',
  required: true,
  description: 'A published deployment of the workspace.',
} as const;

builder.mutationField('sendMessage', (t) =>
  t.field({
    type: FinishedTurnObject,
    authScopes: { scope: 'conversations:write' },
    description: 'One turn of ordinary chat (v1): starts or continues a conversation. Scope: conversations:write.',
    args: {
      deploymentId: t.arg(DEPLOYMENT_ARG),
      input: t.arg({ type: MessageInput, required: true, description: 'The message.' }),
    },
    resolve: (_root, { deploymentId, input }, { domain }) => sendMessage(domain, deploymentId, input),
  }),
);

builder.mutationField('runAgentTurn', (t) =>
  t.field({
    type: AgentTurn,
    authScopes: { scope: 'conversations:write' },
    description:
      'One turn of a durable agent conversation (v2). It goes on when the client goes away. Scope: conversations:write.',
    args: {
      deploymentId: t.arg(DEPLOYMENT_ARG),
      input: t.arg({ type: AgentTurnInput, required: true, description: 'The turn.' }),
    },
    resolve: (_root, { deploymentId, input }, { domain }) => runAgentTurn(domain, deploymentId, input),
  }),
);

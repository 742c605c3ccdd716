import type { FinishedTurn, PausedTurn, TurnResult } from '../domain/agent/turn.ts';
import { runAgentTurn, sendMessage } from '../domain/agent/turns.ts';
import { findConversation } from '../domain/conversations/reads.ts';
import { builder } from './builder.ts';
import type { GraphContext } from './context.ts';
import { Conversation, PendingAction, ProgressItem } from './conversations.ts';
import { ConversationStatusEnum, RunStatusEnum } from './enums.ts';
import { runnerAccess } from './field-scope.ts';
import { AgentTurnInput, MessageInput, ResumeInput } from './turn-inputs.ts';

function currentConversation(query: object, turn: TurnResult, _args: object, { domain }: GraphContext) {
  return findConversation(domain, turn, query);
}

export const FinishedTurnObject = builder.objectRef<FinishedTurn>('FinishedTurn').implement({
  description: "A turn that ended with the assistant's reply.",
  fields: (t) => ({
    runId: t.expose('runId', { type: 'UUID', description: 'For observing only; never an input.' }),
    runStatus: t.expose('runStatus', {
      type: RunStatusEnum,
      description: 'completed, or interrupted after results were accepted.',
    }),
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
      resolve: currentConversation,
    }),
  }),
});

const PausedTurnObject = builder.objectRef<PausedTurn>('PausedTurn').implement({
  description: 'A turn that waits for its client: every pending call has to be resolved by a resume.',
  fields: (t) => ({
    runId: t.expose('runId', { type: 'UUID', description: 'For observing only; never an input.' }),
    runStatus: t.expose('runStatus', { type: RunStatusEnum, description: 'waiting_for_client_action.' }),
    conversationId: t.expose('conversationId', { type: 'UUID', description: 'What the resume names.' }),
    conversationStatus: t.expose('conversationStatus', { type: ConversationStatusEnum, description: 'active.' }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true, description: 'Null: it is active.' }),
    name: t.exposeString('name', { description: "The conversation's title." }),
    pendingCalls: t.expose('pendingCalls', { type: [PendingAction], description: 'What the client has to run.' }),
    progress: t.field({
      type: [ProgressItem],
      description: 'One item for each pending call.',
      resolve: ({ pendingCalls }) => pendingCalls,
    }),
    conversation: t.prismaField({
      type: Conversation,
      description: 'The conversation as it is now.',
      resolve: currentConversation,
    }),
  }),
});

const AgentTurn = builder.unionType('AgentTurn', {
  description: 'How an agent turn ended: with a reply, or waiting for its client.',
  types: [FinishedTurnObject, PausedTurnObject],
  resolveType: ({ outcome }) => (outcome === 'paused' ? 'PausedTurn' : 'FinishedTurn'),
});

export const DEPLOYMENT_ARG = {
  type: 'UUID',
  required: true,
  description: 'A published deployment of the workspace.',
} as const;

builder.mutationField('sendMessage', (t) =>
  t.field({
    type: FinishedTurnObject,
    ...runnerAccess('conversations:write'),
    description: 'One turn of ordinary chat (v1): starts or continues a conversation. Scope: conversations:write.',
    args: {
      deploymentId: t.arg(DEPLOYMENT_ARG),
      input: t.arg({ type: MessageInput, required: true, description: 'The message.' }),
    },
    resolve: async (_root, { deploymentId, input }, context) => {
      return sendMessage(context.domain, deploymentId, input);
    },
  }),
);

builder.mutationField('runAgentTurn', (t) =>
  t.field({
    type: AgentTurn,
    ...runnerAccess('conversations:write'),
    description:
      'Starts, continues or resumes a durable agent conversation (v2). It goes on when the client goes away. Scope: conversations:write.',
    args: {
      deploymentId: t.arg(DEPLOYMENT_ARG),
      input: t.arg({ type: AgentTurnInput, required: true, description: 'The turn.' }),
    },
    resolve: async (_root, { deploymentId, input }, context) => {
      return runAgentTurn(context.domain, deploymentId, input);
    },
  }),
);

builder.mutationField('resumeAgentTurn', (t) =>
  t.field({
    type: AgentTurn,
    ...runnerAccess('conversations:write'),
    description:
      'Sends the results of the pending calls. The first accepted set wins; the same set again gets the same outcome. Scope: conversations:write.',
    args: {
      deploymentId: t.arg(DEPLOYMENT_ARG),
      input: t.arg({ type: ResumeInput, required: true, description: 'The results.' }),
    },
    resolve: async (_root, { deploymentId, input }, context) => {
      return runAgentTurn(context.domain, deploymentId, { ...input });
    },
  }),
);

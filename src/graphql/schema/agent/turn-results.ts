import { cursorBefore } from '../../../domain/agent/live/follow-turns.ts';
import type { FinishedTurn, PausedTurn, StartedTurn, TurnResult } from '../../../domain/agent/turn.ts';
import { findConversation } from '../../../domain/conversations/reads.ts';
import type { OperationContext } from '../../../operation/context.ts';
import { builder } from '../builder.ts';
import { PendingAction, ProgressItem, waitingCalls } from '../conversations/calls.ts';
import { Conversation } from '../conversations/conversations.ts';
import { ConversationStatusEnum, FinishReasonEnum, RunStatusEnum } from '../enums.ts';
import { HandlingModeEnum } from '../handling-enums.ts';
import { tokenFields } from '../usage/token-fields.ts';

function currentConversation(query: object, turn: TurnResult, _args: object, { domain }: OperationContext) {
  return findConversation(domain, turn, query);
}

export const FinishedTurnObject = builder.objectRef<FinishedTurn>('FinishedTurn').implement({
  description: "A turn that ended with the assistant's reply.",
  fields: (t) => ({
    runId: t.expose('runId', {
      type: 'UUID',
      description: 'The ID of the run, for monitoring only. No operation takes it as input.',
    }),
    runStatus: t.expose('runStatus', {
      type: RunStatusEnum,
      description: 'completed, or interrupted if it failed after tool results were accepted.',
    }),
    conversationId: t.expose('conversationId', { type: 'UUID', description: 'The ID for the next turn.' }),
    conversationStatus: t.expose('conversationStatus', {
      type: ConversationStatusEnum,
      description: 'completed if the assistant has permanently completed the conversation.',
    }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the conversation was completed. Null: it is active.',
    }),
    name: t.exposeString('name', { description: 'The name of the conversation.' }),
    content: t.expose('content', { type: 'ReplyContent', description: "The assistant's reply. It can be empty." }),
    model: t.exposeString('model', { description: 'The model, as provider:name.' }),
    finishReason: t.expose('finishReason', {
      type: FinishReasonEnum,
      nullable: true,
      description: 'Why the reply ended. Null: unknown.',
    }),
    pendingActions: t.field({
      type: [PendingAction],
      internal: true,
      description: 'Always empty: no call is pending. PausedTurn has the same field.',
      resolve: () => [],
    }),
    progress: t.field({
      type: [ProgressItem],
      internal: true,
      description: 'Always empty: no call is pending. PausedTurn has the same field.',
      resolve: () => [],
    }),
    ...tokenFields((count, description) => t.exposeInt(count, { description })),
    responseTime: t.float({
      description: 'Seconds from the acceptance of the turn to the reply, with a precision of one millisecond.',
      resolve: ({ responseTimeMs }) => responseTimeMs / 1_000,
    }),
    requestId: t.string({
      description: 'The x-request-id of the request that started this turn.',
      resolve: (turn, _args, { requestId }) => turn.requestId ?? requestId,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      internal: true,
      description: 'When the conversation started.',
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When this turn ended.' }),
    handledBy: t.expose('handledBy', {
      type: HandlingModeEnum,
      nullable: true,
      description:
        'WAITING or MEMBER if the message was only stored, because the conversation waits for a person or a person has it. Null: the assistant replied.',
    }),
    conversation: t.prismaField({
      type: Conversation,
      description: 'The current state of the conversation.',
      resolve: currentConversation,
    }),
  }),
});

export const PausedTurnObject = builder.objectRef<PausedTurn>('PausedTurn').implement({
  description: 'A turn that waits for its client. A resume must send a result for each pending call.',
  fields: (t) => ({
    runId: t.expose('runId', {
      type: 'UUID',
      description: 'The ID of the run, for monitoring only. No operation takes it as input.',
    }),
    runStatus: t.expose('runStatus', {
      type: RunStatusEnum,
      internal: true,
      description: 'Always waiting_for_client_action.',
    }),
    conversationId: t.expose('conversationId', { type: 'UUID', description: 'The ID for the resume.' }),
    conversationStatus: t.expose('conversationStatus', {
      type: ConversationStatusEnum,
      internal: true,
      description: 'Always active.',
    }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      internal: true,
      description: 'Always null: the conversation is active.',
    }),
    name: t.exposeString('name', { description: 'The name of the conversation.' }),
    pendingActions: t.field({
      type: [PendingAction],
      description: 'The calls that the client must run.',
      resolve: ({ runId, pendingCalls }, _args, context) => waitingCalls(runId, pendingCalls, context),
    }),
    progress: t.field({
      type: [ProgressItem],
      internal: true,
      description: 'One item for each pending call.',
      resolve: ({ pendingCalls }) => pendingCalls,
    }),
    conversation: t.prismaField({
      type: Conversation,
      description: 'The current state of the conversation.',
      resolve: currentConversation,
    }),
  }),
});

export const StartedTurnObject = builder.objectRef<StartedTurn>('StartedTurn').implement({
  description: 'A turn that was accepted and runs in the background.',
  fields: (t) => ({
    runId: t.expose('runId', {
      type: 'UUID',
      description: 'The ID of the run, for monitoring only. No operation takes it as input.',
    }),
    runStatus: t.field({
      type: RunStatusEnum,
      internal: true,
      description: 'running, or completed if no turn runs because the message is for a person.',
      resolve: ({ handledBy }) => (handledBy ? 'completed' : 'running'),
    }),
    conversationId: t.expose('conversationId', {
      type: 'UUID',
      description: 'The ID for `turnEvents` and `stopTurn`.',
    }),
    handledBy: t.expose('handledBy', {
      type: HandlingModeEnum,
      nullable: true,
      description:
        'WAITING or MEMBER if the message was only stored, because the conversation waits for a person or a person has it. Null: the turn runs.',
    }),
    followCursor: t.string({
      description:
        'For `after` of `turnEvents`: the feed begins with this turn, or with the results that it continues with, even if the turn has ended meanwhile.',
      resolve: (turn, _args, { domain }) => cursorBefore(domain, turn),
    }),
    conversation: t.prismaField({
      type: Conversation,
      description: 'The current state of the conversation.',
      resolve: (query, { conversationId }, _args, { domain }) => findConversation(domain, { conversationId }, query),
    }),
  }),
});

export const AgentTurn = builder.unionType('AgentTurn', {
  description: 'The result of an agent turn: a reply, a pause for the client, or its start in the background.',
  types: [FinishedTurnObject, PausedTurnObject, StartedTurnObject],
  resolveType: ({ outcome }) =>
    (({ finished: 'FinishedTurn', paused: 'PausedTurn', started: 'StartedTurn' }) as const)[outcome],
});

export const MessageTurn = builder.unionType('MessageTurn', {
  internal: true,
  description: 'The result of a message: a reply, or its start in the background.',
  types: [FinishedTurnObject, StartedTurnObject],
  resolveType: ({ outcome }) => (outcome === 'finished' ? 'FinishedTurn' : 'StartedTurn'),
});

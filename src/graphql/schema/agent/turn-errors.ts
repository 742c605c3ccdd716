import type { ErrorCode, ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { CallStatus } from '../../../contract/statuses.ts';
import { findConversation } from '../../../domain/conversations/reads.ts';
import type { OperationContext } from '../../../operation/context.ts';
import { builder } from '../builder.ts';
import { PendingAction, type PendingCall, waitingCalls } from '../conversations/calls.ts';
import { Conversation } from '../conversations/conversations.ts';
import { MessageAuthor } from '../conversations/handling.ts';
import { Run } from '../conversations/runs.ts';
import { ClientToolCall } from '../conversations/timeline.ts';
import { CallStatusEnum } from '../enums.ts';
import { type ErrorFieldBuilder, errorType, type ReturnedError, registerErrors } from '../errors.ts';
import { HandlingModeEnum } from '../handling-enums.ts';
import { dateOrNull, type Facts, factsOf, isReader, UNREADABLE } from './error-facts.ts';
import { MODEL_ERRORS } from './model-failed.ts';

const ClientActionRequired = errorType(
  'ClientActionRequired',
  'The conversation waits for the results of its client tools. Send them with `resumeAgentTurn`.',
  (t) => ({
    pendingActions: t.field({
      type: [PendingAction],
      description: 'The calls that wait for a result.',
      resolve: (error, _args, context) => {
        const { run_id: runId = null, pending_client_actions: waiting = [] } = factsOf(error);
        const calls = waiting.map(({ call_id: callId, expires_at: expiresAt, ...call }): PendingCall => {
          return { callId, ...call, expiresAt: dateOrNull(expiresAt) };
        });
        return waitingCalls(runId, calls, context);
      },
    }),
  }),
);

const RunInProgress = errorType(
  'RunInProgress',
  'A turn of the conversation is running. Wait until it has ended.',
  (t) => ({
    runId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The ID of the running turn. Null: only queued messages wait.',
      resolve: (error) => factsOf(error).run_id ?? null,
    }),
    run: t.prismaField({
      type: Run,
      nullable: true,
      description: `The running turn. ${UNREADABLE}`,
      resolve: (query, error, _args, context) => {
        const { run_id: id } = factsOf(error);
        return id && isReader(context) ? context.domain.db.run.findFirst({ ...query, where: { id } }) : null;
      },
    }),
  }),
);

/** The conversation that an error is about. */
const conversationFields = (t: ErrorFieldBuilder) => ({
  conversationId: t.field({
    type: 'UUID',
    description: 'The ID of the conversation.',
    resolve: (error) => factsOf(error).conversation_id ?? '',
  }),
  conversation: t.prismaField({
    type: Conversation,
    nullable: true,
    description: `The conversation. ${UNREADABLE}`,
    resolve: (query, error, _args, context) => {
      const { conversation_id: conversationId } = factsOf(error);
      if (!conversationId || !isReader(context)) return null;
      return findConversation(context.domain, { conversationId }, query).catch(nullIfNotFound);
    },
  }),
});

const TriggerAlreadyUsed = errorType(
  'TriggerAlreadyUsed',
  'The trigger has already started a conversation. Continue that one.',
  conversationFields,
);

function callsOf(error: ReturnedError, { domain }: OperationContext) {
  const { conversation_id: conversationId = '', run_id: runId, call_ids: callIds = [] } = factsOf(error);
  const where = { conversationId, runId: runId ?? '', kind: 'client_tool' as const, callId: { in: [...callIds] } };
  return domain.db.timelineItem.findMany({ where, orderBy: { id: 'asc' } });
}

function nullIfNotFound(error: unknown): null {
  if ((error as Partial<ServiceError>).code === 'not_found') return null;
  throw error;
}

const callIds = (name: string, description: string, calls: string) =>
  errorType(name, description, (t) => ({
    callIds: t.stringList({ description: calls, resolve: (error) => [...(factsOf(error).call_ids ?? [])] }),
  }));

const authorOf = (author: Facts['author']) =>
  author ? { displayName: author.display_name, kind: author.kind, id: '' } : null;

interface EffectFacts {
  readonly call_id: string;
  readonly name: string;
  readonly status: CallStatus;
}

const TurnEffect = builder.objectRef<EffectFacts>('TurnEffect').implement({
  description: 'An action that may have changed something outside of Parley.',
  fields: (t) => ({
    callId: t.exposeString('call_id', { description: 'The ID of its call.' }),
    name: t.exposeString('name', { description: 'The name of the tool.' }),
    status: t.expose('status', { type: CallStatusEnum, description: 'The status of the call.' }),
  }),
});

registerErrors({
  turn_has_effects: errorType(
    'TurnHasEffects',
    'Actions of the turns to replace may have changed something. They are not undone: show them, and repeat the request with `acknowledgeEffects`.',
    (t) => ({
      effects: t.field({
        type: [TurnEffect],
        description: `The actions, oldest first: at most ${LIMITS.listedEffects}.`,
        resolve: (error) => [...(factsOf(error).effects ?? [])],
      }),
      effectCount: t.int({ description: 'How many there are.', resolve: (error) => factsOf(error).effect_count ?? 0 }),
    }),
  ),
  message_superseded: errorType(
    'MessageSuperseded',
    'The message is not in the active line any more. Read the conversation again.',
    (t) => ({
      supersededBy: t.id({
        nullable: true,
        description: 'The `itemId` of the message whose turn replaced it. Null: there is no such message.',
        resolve: (error) => factsOf(error).superseded_by ?? null,
      }),
    }),
  ),
  handling_conflict: errorType(
    'HandlingConflict',
    'A person answers in the conversation, it waits for one, or another person has it.',
    (t) => ({
      mode: t.field({
        type: HandlingModeEnum,
        description: 'Who answers its user.',
        resolve: (error) => factsOf(error).handling ?? 'member',
      }),
      member: t.field({
        type: MessageAuthor,
        nullable: true,
        description: 'The person who has it. Null: nobody has.',
        resolve: (error) => authorOf(factsOf(error).author),
      }),
      since: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Since when. Null: the assistant has always answered.',
        resolve: (error) => dateOrNull(factsOf(error).since),
      }),
    }),
  ),
  fork_too_large: errorType('ForkTooLarge', 'The conversation is too large to be copied. Fork it at an earlier item.'),
  client_action_required: ClientActionRequired,
  run_in_progress: RunInProgress,
  trigger_already_used: TriggerAlreadyUsed,
  missing_tool_results: callIds(
    'MissingToolResults',
    'A pending call has no result in the request.',
    'The calls without a result.',
  ),
  unknown_call_id: callIds(
    'UnknownCallId',
    'A result belongs to no pending call of the conversation. Read its pending actions again.',
    'The IDs that no call has. Empty: the conversation waits for nothing.',
  ),
  trigger_required: errorType('TriggerRequired', 'The workflow starts only from a trigger: send its ID.'),
  trigger_conversation_mismatch: errorType(
    'TriggerConversationMismatch',
    'The trigger did not start the conversation of the request. Omit one of the two.',
  ),
  invalid_tool_result: errorType('InvalidToolResult', 'A result does not have the form that its tool requires.'),
  action_result_conflict: errorType(
    'ActionResultConflict',
    'The service accepted other results for these calls. Read the conversation again.',
    (t) => ({
      callIds: t.stringList({
        description: 'All calls of the step that asked for the results.',
        resolve: (error) => [...(factsOf(error).call_ids ?? [])],
      }),
      calls: t.field({
        type: [ClientToolCall],
        nullable: true,
        description: `These calls, with their status and the accepted \`output\`. ${UNREADABLE}`,
        resolve: (error, _args, context) => (isReader(context) ? callsOf(error, context) : null),
      }),
    }),
  ),
  conversation_completed: errorType(
    'ConversationCompleted',
    'The conversation is permanently completed. Start a new one.',
    (t) => ({
      ...conversationFields(t),
      completedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When the assistant completed it. Null: it was deleted meanwhile.',
        resolve: (error) => dateOrNull(factsOf(error).completed_at),
      }),
    }),
  ),
  action_expired: errorType('ActionExpired', 'The time to answer these calls is over. Refresh the conversation.'),
  run_expired: errorType('RunExpired', 'The run that asked for these results has expired. Send a new message.'),
});

/** Errors of a new message. */
export const MESSAGE_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'not_found',
  'trigger_required',
  'trigger_conversation_mismatch',
  'trigger_expired',
  'trigger_already_used',
  'client_action_required',
  'run_in_progress',
  'conversation_completed',
  ...MODEL_ERRORS,
];

/** Errors of a turn that replaces others. */
export const BRANCH_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'not_found',
  'handling_conflict',
  'message_superseded',
  'turn_has_effects',
  'client_action_required',
  'run_in_progress',
  'conversation_completed',
  ...MODEL_ERRORS,
];

/** Errors of a fork. */
export const FORK_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'not_found',
  'message_superseded',
  'run_in_progress',
  'fork_too_large',
];

/** Errors of a change to another variant. */
export const SELECT_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'handling_conflict',
  'not_found',
  'message_superseded',
  'run_in_progress',
  'fork_too_large',
  'turn_has_effects',
  'client_action_required',
  'conversation_completed',
];

/** Errors of a message without a conversation. */
export const ONE_SHOT_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'not_found',
  'trigger_required',
  'trigger_expired',
  'trigger_already_used',
  ...MODEL_ERRORS,
];

/** Errors of tool results. If the model fails after results were accepted, the turn is interrupted: that is no error. */
export const RESUME_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'budget_reached',
  'not_found',
  'missing_tool_results',
  'unknown_call_id',
  'invalid_tool_result',
  'action_result_conflict',
  'conversation_completed',
  'run_expired',
  'action_expired',
];

import { historyItemId } from '../../../contract/ids.ts';
import { followTurns } from '../../../domain/agent/live/follow-turns.ts';
import type { TurnEvent } from '../../../domain/agent/live/turn-events.ts';
import { findConversation } from '../../../domain/conversations/reads.ts';
import { runnerAccess } from '../../../operation/access.ts';
import type { SubscriptionExtensions } from '../../../operation/feed-end.ts';
import { builder } from '../builder.ts';
import { PendingAction, waitingCalls } from '../conversations/calls.ts';
import { Conversation } from '../conversations/conversations.ts';
import { Run } from '../conversations/runs.ts';
import { HistoryItem } from '../conversations/timeline.ts';
import { loadEdge } from '../edges.ts';
import { FinishReasonEnum, HistoryIncludeEnum, RunStatusEnum } from '../enums.ts';
import { ErrorCodeEnum } from '../error-codes.ts';
import { TurnEventEnum } from '../events/event-enums.ts';
import { feedPosition, resolveFeedEvent } from '../feed-position.ts';
import type { DeclaredErrors } from '../mutation.ts';

type Event<Kind extends TurnEvent['kind']> = Extract<TurnEvent, { kind: Kind }>;

const TYPES = {
  'turn.started': 'TurnStarted',
  'reasoning.delta': 'ReasoningDelta',
  'text.delta': 'TextDelta',
  'step.restarted': 'StepRestarted',
  item: 'TurnItem',
  'items.superseded': 'ItemsSuperseded',
  'turn.paused': 'TurnPaused',
  'turn.ended': 'TurnEnded',
} as const satisfies Record<TurnEvent['kind'], string>;

const TurnEventInterface = builder.interfaceRef<TurnEvent>('TurnEvent').implement({
  description: 'An event of a turn: its text while the model writes it, its stored items, its pauses and its end.',
  resolveType: ({ kind }) => TYPES[kind],
  fields: (t) => ({
    event: t.expose('kind', { type: TurnEventEnum, description: 'The type of the event.' }),
    cursor: t.exposeString('cursor', {
      description:
        'For `after` of the next subscription to this conversation: it continues after this event, also during a text and after the turn.',
    }),
    conversationId: t.expose('conversationId', { type: 'UUID', description: 'The ID of the conversation.' }),
  }),
});

function eventType<Kind extends TurnEvent['kind']>(
  kind: Kind,
  description: string,
  fields: Parameters<ReturnType<typeof builder.objectRef<Event<Kind>>>['implement']>[0]['fields'],
): void {
  builder.objectRef<Event<Kind>>(TYPES[kind]).implement({
    extensions: { eventName: kind },
    description,
    interfaces: [TurnEventInterface] as never,
    fields: fields as never,
  });
}

const RUN_ID = { type: 'UUID', description: 'The ID of the run.' } as const;

/** The run of an event that names it. */
const RUN = {
  type: Run,
  nullable: true,
  description: 'The run as it is now. Null: its conversation was deleted in the meantime.',
} as const;

const MESSAGE_KEY = 'Names the message that the text belongs to. The `TurnItem` of the message has it as `completes`.';

eventType('turn.started', 'A turn started. The next item is the message of the user.', (t) => ({
  runId: t.expose('runId', RUN_ID),
  run: t.field({ ...RUN, resolve: ({ runId }, _args, context, info) => loadEdge(runId, context, info) }),
}));

eventType(
  'reasoning.delta',
  'Reasoning that the model wrote before the text or the calls of a step. Only if the workflow shows reasoning. It is not stored: after a reconnect the feed has the reasoning of the step that is running.',
  (t) => ({
    messageKey: t.exposeString('messageKey', {
      description: 'Names the step: the key of its message, if it writes one.',
    }),
    offset: t.exposeInt('offset', {
      description: 'Where the text starts in the reasoning of the step, in UTF-16 code units.',
    }),
    text: t.exposeString('text', { description: 'The reasoning to append.' }),
  }),
);

eventType('text.delta', 'Text that the model wrote. The deltas of a message add up to its stored text.', (t) => ({
  messageKey: t.exposeString('messageKey', { description: MESSAGE_KEY }),
  offset: t.exposeInt('offset', {
    description:
      'Where the text starts in the text of the message, in UTF-16 code units: the length of the earlier text.',
  }),
  text: t.exposeString('text', { description: 'The text to append.' }),
}));

eventType(
  'step.restarted',
  'The text and the reasoning of the message so far are void, because the model failed or its process died. Discard them. New text starts at offset 0.',
  (t) => ({
    messageKey: t.exposeString('messageKey', { description: 'The message whose text and reasoning are void.' }),
  }),
);

eventType('item', 'An item of the timeline that was stored or changed.', (t) => ({
  item: t.expose('item', {
    type: HistoryItem,
    description: 'The item in its current state. It replaces an earlier one with the same ID.',
  }),
  completes: t.exposeString('messageKey', {
    nullable: true,
    description:
      'The key of the message whose deltas this item replaces. Null for items other than messages of the assistant.',
  }),
}));

eventType(
  'items.superseded',
  'Items left the active line of the conversation, because a message was edited, a turn runs again or another variant was selected. Remove them. Items of a variant that is active again follow as `TurnItem`.',
  (t) => ({
    itemIds: t.idList({
      description: 'The `itemId` of each of these items.',
      resolve: ({ items }) => items.map(({ id }) => historyItemId(id)),
    }),
  }),
);

eventType('turn.paused', 'The turn waits for its client. `resumeAgentTurn` sends the results.', (t) => ({
  runId: t.expose('runId', RUN_ID),
  run: t.field({ ...RUN, resolve: ({ runId }, _args, context, info) => loadEdge(runId, context, info) }),
  pendingActions: t.field({
    type: [PendingAction],
    description: 'The calls that wait for a result.',
    resolve: ({ runId, pendingCalls }, _args, context) => waitingCalls(runId, pendingCalls, context),
  }),
}));

eventType('turn.ended', 'The turn ended: with a reply, interrupted, failed or expired.', (t) => ({
  runId: t.field({ ...RUN_ID, resolve: ({ turn }) => turn.runId }),
  run: t.field({ ...RUN, resolve: ({ turn }, _args, context, info) => loadEdge(turn.runId, context, info) }),
  runStatus: t.field({
    type: RunStatusEnum,
    description: 'How it ended: COMPLETED, INTERRUPTED, FAILED or EXPIRED.',
    resolve: ({ turn }) => turn.status,
  }),
  finishReason: t.field({
    type: FinishReasonEnum,
    nullable: true,
    description: 'Why the reply ended. Null: the turn failed, or the provider gave no known reason.',
    resolve: ({ turn }) => turn.finishReason,
  }),
  errorCode: t.field({
    type: ErrorCodeEnum,
    nullable: true,
    description: 'Why the turn failed. Null: it did not fail.',
    resolve: ({ turn }) => turn.errorCode,
  }),
  reply: t.exposeString('reply', {
    nullable: true,
    description:
      'The text of the reply, complete or partial. JSON if the deployment has an output schema. Null: no reply is stored.',
  }),
  conversation: t.prismaField({
    type: Conversation,
    description: 'The current state of the conversation.',
    resolve: (query, { conversationId }, _args, { domain }) => findConversation(domain, { conversationId }, query),
  }),
}));

builder.subscriptionField('turnEvents', (t) =>
  t.field({
    type: TurnEventInterface,
    access: runnerAccess('conversations:read'),
    extensions: { feed: true, errors: ['not_found'] } satisfies SubscriptionExtensions & DeclaredErrors,
    description:
      'Follows the turns of a conversation while they run, v1 and v2. Without `after` it begins with the turn that is running or waiting, from its first character, or with the next turn. From a cursor it continues without gaps or repeats, on any process and after a crash. If the conversation is deleted, the stream ends with error not_found. Scope: conversations:read.',
    args: {
      conversationId: t.arg({
        type: 'UUID',
        idOf: 'Conversation',
        required: true,
        description: 'The ID of the conversation.',
      }),
      include: t.arg({
        type: [HistoryIncludeEnum],
        description: 'Items that the feed only has on request: HANDLING. It never has summaries.',
      }),
      after: t.arg.string({
        description:
          'The cursor of the last received event, or the followCursor of a page of its history. If the page shows the latest turn, the first event is its start, pause or end, and the text begins with its first character.',
      }),
    },
    subscribe: (_root, { conversationId, after, include }, context) =>
      followTurns(context.domain, { conversationId, include, after: feedPosition(context, after) }),
    resolve: resolveFeedEvent,
  }),
);

import type { EnumName } from '../contract/enum-names.ts';
import type { RunStatus } from '../contract/statuses.ts';
import { isPermanent } from './error.ts';
import { type ConversationState, fromWireItem, type HistoryItem, type PendingToolCall } from './history.ts';
import type { Settings } from './options.ts';
import { fromGraphState, type GraphState, ITEM_FIELDS, STATE_FIELDS } from './read-history.ts';
import { followSubscription, StreamUnavailableError } from './subscription.ts';

/** The subscription to the turns of one conversation. */
export const FEED = `subscription ($conversationId: ID!, $after: String) {
  turnEvents(conversationId: $conversationId, after: $after, include: [HANDLING]) { type: __typename cursor
    ... on TurnStarted { runId }
    ... on ReasoningDelta { messageKey offset text }
    ... on TextDelta { messageKey offset text }
    ... on StepRestarted { messageKey }
    ... on TurnItem { completes item { ${ITEM_FIELDS} } }
    ... on ItemsSuperseded { itemIds }
    ... on TurnPaused { runId pendingActions { callId name arguments } }
    ... on TurnEnded { runStatus conversation { ${STATE_FIELDS} } } } }`;

/** The events that are the same in the GraphQL API and in the SDK. */
type PlainEvent =
  | { readonly type: 'TurnStarted'; readonly runId: string }
  | {
      readonly type: 'ReasoningDelta' | 'TextDelta';
      readonly messageKey: string;
      readonly offset: number;
      readonly text: string;
    }
  | { readonly type: 'StepRestarted'; readonly messageKey: string }
  | { readonly type: 'ItemsSuperseded'; readonly itemIds: readonly string[] }
  | { readonly type: 'TurnPaused'; readonly runId: string; readonly pendingActions: readonly PendingToolCall[] };

/** An event of the feed of a conversation's turns. */
export type TurnEvent =
  | PlainEvent
  | { readonly type: 'TurnItem'; readonly completes: string | null; readonly item: HistoryItem }
  | { readonly type: 'TurnEnded'; readonly hasFailed: boolean; readonly state: ConversationState };

type GraphEvent =
  | PlainEvent
  | { readonly type: 'TurnItem'; readonly completes: string | null; readonly item: object }
  | { readonly type: 'TurnEnded'; readonly runStatus: EnumName<RunStatus>; readonly conversation: GraphState };

/** What the assistant is writing. */
export interface LiveText {
  /** Names the message. It stays the same while the text grows. */
  readonly messageKey: string;
  /** The text so far. Empty while the model thinks. */
  readonly text: string;
  /** The reasoning so far. Empty unless the workflow shows reasoning. It is gone when the message is stored. */
  readonly reasoning: string;
}

/**
 * Reports every event after a cursor. Resolves when the signal is aborted.
 * @throws {StreamUnavailableError} @throws {ParleyError} if a retry cannot succeed
 */
export function followTurns(
  settings: Settings,
  { conversationId, after, signal }: { conversationId: string; after: string; signal: AbortSignal },
  onEvent: (event: TurnEvent) => void,
): Promise<void> {
  return followSubscription<{ readonly turnEvents: GraphEvent & { readonly cursor: string } }>({
    ...settings,
    query: FEED,
    variables: { conversationId },
    after,
    signal,
    onEvent({ turnEvents }) {
      onEvent(fromGraphEvent(turnEvents));
      return turnEvents.cursor;
    },
    onDisconnect(error) {
      if (error instanceof StreamUnavailableError || isPermanent(error)) throw error;
    },
  });
}

function fromGraphEvent(event: GraphEvent): TurnEvent {
  if (event.type === 'TurnItem') return { ...event, item: fromWireItem(event.item) };
  if (event.type !== 'TurnEnded') return event;
  const { type, runStatus, conversation } = event;
  return { type, hasFailed: runStatus === 'FAILED', state: fromGraphState(conversation) };
}

/** The text after an event. Null if nothing is being written: its step is stored, its text is void, or the turn ended. */
export function textAfter(live: LiveText | null, event: TurnEvent): LiveText | null {
  if (event.type === 'TurnItem') return completes(event, live) ? null : live;
  if (event.type !== 'TextDelta' && event.type !== 'ReasoningDelta') return null;
  const { messageKey, offset, text } = event;
  const before = live?.messageKey === messageKey ? live : { messageKey, text: '', reasoning: '' };
  const part = event.type === 'TextDelta' ? 'text' : 'reasoning';
  // An incomplete text would be wrong. The stored message follows.
  return offset > before[part].length ? null : { ...before, [part]: before[part].slice(0, offset) + text };
}

/** Whether an item is the message that is being written, or a call that the model made without a message. */
function completes({ completes: key, item }: Extract<TurnEvent, { type: 'TurnItem' }>, live: LiveText | null): boolean {
  return key === live?.messageKey || (live?.text === '' && 'callId' in item);
}

import { numberOfItem } from '../contract/ids.ts';
import type { ConversationStatus, FinishReason, RunStatus } from '../contract/statuses.ts';
import type { Message, MessageRating } from './content.ts';
import { ParleyError } from './error.ts';
import {
  type ConversationState,
  type Handling,
  type HistoryItem,
  handlingAfter,
  mergeItems,
  messagesOf,
  type PendingToolCall,
  type ProgressItem,
  summaryOf,
  type ToolSummary,
} from './history.ts';
import type { LiveText } from './turn-feed.ts';

/**
 * The status of an agent controller:
 * - `idle`: no conversation is open.
 * - `loading`: the first page is loading.
 * - `running`: the assistant is working.
 * - `awaiting_input`: tool calls are pending.
 * - `success`: the latest turn succeeded, or was stopped.
 * - `error`: the latest turn failed or the conversation cannot be read. {@link AgentState.error} has the reason.
 * - `closed`: after {@link AgentController.close}.
 */
export type AgentStatus = 'idle' | 'loading' | 'running' | 'awaiting_input' | 'success' | 'error' | 'closed';

/** The position of the next older page. */
export interface PageInfo {
  /** An opaque cursor. Null if there is no older page. */
  readonly nextCursor: string | null;
  /** Whether {@link AgentController.loadMoreHistory} can load a page. */
  readonly hasMore: boolean;
}

/**
 * The state of an agent conversation. Immutable: each change makes a new object.
 *
 * @example
 * const { messages, pendingToolCalls, status } = client.agent.getState();
 */
export interface AgentState {
  /** Store this ID to open the conversation again. Null until the service has created the conversation. */
  readonly conversationId: string | null;
  /** `active`, or `completed`: a completed conversation accepts no more turns. */
  readonly conversationStatus: ConversationStatus | null;
  /** The latest run, for support and logs. No method accepts it. */
  readonly runId: string | null;
  /** The status of the latest turn. Null before the first turn and for chat conversations. */
  readonly runStatus: RunStatus | null;
  /**
   * Why the latest reply ended: `stopped` after {@link AgentController.stop}. Null while the turn is active, without a
   * reply and if it is unknown, for example with `live: false`.
   */
  readonly finishReason: FinishReason | null;
  /**
   * The text of the message that the assistant is writing, also in a turn of another client and after a reload. Null if
   * no text is being written. It becomes null in the same change that adds the stored message to `messages`.
   */
  readonly live: LiveText | null;
  /** The messages in `history`, oldest first. */
  readonly messages: readonly Message[];
  /** The active line from the oldest loaded page until now, oldest first, without gaps or duplicates. */
  readonly history: readonly HistoryItem[];
  /** The next older page of `history`. Null until the first page is loaded. */
  readonly historyPageInfo: PageInfo | null;
  /** The same as `historyPageInfo`. */
  readonly messagesPageInfo: PageInfo | null;
  /** Calls without an output, including calls whose handler is running. */
  readonly pendingToolCalls: readonly PendingToolCall[];
  /** All calls of the latest run, in order. */
  readonly toolSummary: readonly ToolSummary[];
  /** One item for each pending call. */
  readonly progress: readonly ProgressItem[];
  /** Set while a person answers, or the conversation waits for one. Null: the assistant answers. */
  readonly handling: Handling | null;
  /** The summary of all other fields. */
  readonly status: AgentStatus;
  /** The reason of the status `error`. Null with any other status. */
  readonly error: ParleyError | null;
}

export const INITIAL_STATE: AgentState = {
  conversationId: null,
  conversationStatus: null,
  runId: null,
  runStatus: null,
  finishReason: null,
  live: null,
  messages: [],
  history: [],
  historyPageInfo: null,
  messagesPageInfo: null,
  pendingToolCalls: [],
  toolSummary: [],
  progress: [],
  handling: null,
  status: 'idle',
  error: null,
};

const SETTLED: readonly (RunStatus | null)[] = ['completed', 'interrupted', 'failed', 'expired'];

/** Merges items into a state. */
export function withItems(state: AgentState, items: readonly HistoryItem[]): AgentState {
  return withHistory(state, mergeItems(state.history, items));
}

export function withHistory(state: AgentState, history: AgentState['history']): AgentState {
  return history === state.history ? state : { ...state, history, messages: messagesOf(history) };
}

/** Sets the rating of a message, by its ID or the ID of its item. */
export function withRating(
  state: AgentState,
  messageId: number | string,
  rating: MessageRating | undefined,
): AgentState {
  const item = state.history.find(({ id }) => numberOfItem(id) === numberOfItem(messageId));
  return item?.type === 'message' ? withItems(state, [{ ...item, rating }]) : state;
}

/** Sets the position of the next older page. */
export function withPageInfo(state: AgentState, nextCursor: string | null): AgentState {
  const info = { nextCursor, hasMore: nextCursor !== null };
  return { ...state, historyPageInfo: info, messagesPageInfo: info };
}

/**
 * Applies a conversation's state, unless it is outdated. Responses and events can overtake each other. An update is
 * outdated if it reports a settled run as active, a resolved call as pending or a completed conversation as active.
 */
export function withConversation(
  state: AgentState,
  conversation: ConversationState,
  earlierRuns: ReadonlySet<string>,
): AgentState {
  const { runId, runStatus, conversationStatus } = conversation;
  const isOutdated =
    (runId !== null && earlierRuns.has(runId)) ||
    (runId === state.runId && SETTLED.includes(state.runStatus) && !SETTLED.includes(runStatus)) ||
    (state.conversationStatus === 'completed' && conversationStatus !== 'completed');
  if (isOutdated) return state;
  const resolved = new Set(state.history.flatMap((item) => (isResolved(item) ? [item.callId] : [])));
  const pendingToolCalls = conversation.pendingToolCalls.filter(({ callId }) => !resolved.has(callId));
  if (conversation.pendingToolCalls.length > 0 && pendingToolCalls.length === 0) return state;
  const isSame = runId === state.runId && runStatus === state.runStatus;
  return {
    ...state,
    conversationStatus,
    runId,
    runStatus,
    handling: handlingAfter(conversation.handling ? state.history : [], state.handling, conversation.handling),
    finishReason: conversation.finishReason ?? (isSame ? state.finishReason : null),
    // The response of a turn can arrive before the feed reports its message.
    live: runStatus === 'running' ? state.live : null,
    pendingToolCalls,
    toolSummary: conversation.toolSummary ?? summaryOf(state.history),
    progress: pendingToolCalls.map(({ callId, name }) => ({
      type: 'client_action_required',
      callId,
      name,
      summary: `${name} waits for its result.`,
    })),
  };
}

function isResolved(item: HistoryItem): item is HistoryItem & { readonly type: 'client_tool' } {
  return item.type === 'client_tool' && item.status !== 'pending';
}

/** The part of a state that does not come from the service. */
export interface LocalState {
  readonly closed: boolean;
  readonly loading: boolean;
  /** Requests in flight with a user message. */
  readonly turns: number;
  /** Requests in flight with tool results. */
  readonly resumes: number;
  readonly error: ParleyError | null;
}

/** Sets `status` and `error`. */
export function withStatus(state: AgentState, local: LocalState): AgentState {
  const activity = activityOf(state, local);
  if (activity) return { ...state, status: activity, error: null };
  const error = local.error ?? failureOf(state);
  if (error) return { ...state, status: 'error', error };
  return { ...state, status: state.conversationId === null ? 'idle' : 'success', error: null };
}

/** The status while something is in progress. It takes precedence over an earlier error. */
function activityOf({ runStatus }: AgentState, { closed, loading, turns, resumes, error }: LocalState) {
  if (closed) return 'closed';
  if (resumes > 0) return 'running';
  const isWaiting = runStatus === 'waiting_for_client_action';
  if (turns > 0) return isWaiting ? 'awaiting_input' : 'running';
  if (error) return undefined;
  if (loading) return 'loading';
  if (isWaiting) return 'awaiting_input';
  return runStatus === 'running' ? 'running' : undefined;
}

function failureOf({ runStatus, runId, finishReason, error }: AgentState): ParleyError | null {
  const code = runStatus === null ? undefined : finishReason === 'budget' ? 'budget_reached' : FAILURES[runStatus];
  if (!code || finishReason === 'stopped') return null;
  // The same object for the same failure, so that comparing states by identity finds no change.
  if (error?.code === code && error.details.run_id === runId) return error;
  return new ParleyError({ code, message: MESSAGES[code], details: { run_id: runId } });
}

const FAILURES: Partial<Record<RunStatus, keyof typeof MESSAGES>> = {
  failed: 'run_failed',
  interrupted: 'run_interrupted',
  expired: 'run_expired',
};

const MESSAGES = {
  budget_reached: 'A budget is reached, so the assistant is pausing. What it has done is stored.',
  run_failed: 'The latest turn failed. The user message is stored. Send the next message to continue.',
  run_interrupted: 'The latest turn was interrupted. Its tool results are stored. Call continue() to resume.',
  run_expired: 'The latest turn expired: its tool results did not arrive in time.',
} as const;

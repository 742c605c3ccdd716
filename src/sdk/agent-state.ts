import type { ConversationStatus, RunStatus } from '../contract/statuses.ts';
import type { Message } from './content.ts';
import { ParleyError } from './error.ts';
import {
  type ConversationState,
  type HistoryItem,
  mergeItems,
  messagesOf,
  type PendingToolCall,
  type ProgressItem,
  summaryOf,
  type ToolSummary,
} from './history.ts';

/**
 * Where an agent controller is: `idle` before a conversation, `loading` its first page, `running` while the assistant
 * works, `awaiting_input` while tool calls wait, `success` when the latest turn has ended well, `error` when it has not
 * or the conversation cannot be read (then {@link AgentState.error} says why, and only then it is set), `closed` after
 * {@link AgentController.close}.
 */
export type AgentStatus = 'idle' | 'loading' | 'running' | 'awaiting_input' | 'success' | 'error' | 'closed';

/** What lies before the items that are loaded. */
export interface PageInfo {
  /** Opaque; null where nothing older is left. */
  readonly nextCursor: string | null;
  /** Whether {@link AgentController.loadMoreHistory} has anything to load. */
  readonly hasMore: boolean;
}

/**
 * All that a page shows of an agent conversation. A new object with each change; never changed itself.
 *
 * @example
 * const { messages, pendingToolCalls, status } = client.agent.getState();
 */
export interface AgentState {
  /** The one thing to keep: it opens the conversation again. Null before the first turn has been answered. */
  readonly conversationId: string | null;
  /** `completed` is permanent: nothing more can be said. */
  readonly conversationStatus: ConversationStatus | null;
  /** For support and logs; never an input. */
  readonly runId: string | null;
  /** Where the latest turn stands; null before the first, and of ordinary chat. */
  readonly runStatus: RunStatus | null;
  /** What user and assistant said, oldest first: the messages of `history`. */
  readonly messages: readonly Message[];
  /** The timeline, oldest first, from the oldest page that is loaded to now; without gaps or repeats. */
  readonly history: readonly HistoryItem[];
  readonly historyPageInfo: PageInfo | null;
  /** The same place, for who shows messages alone. */
  readonly messagesPageInfo: PageInfo | null;
  /** Calls that wait for {@link AgentController.resolveTool}, those with a handler included. */
  readonly pendingToolCalls: readonly PendingToolCall[];
  /** Every call of the latest run, in order. */
  readonly toolSummary: readonly ToolSummary[];
  /** One item for each pending call. */
  readonly progress: readonly ProgressItem[];
  /** What a page shows of all that in a word. */
  readonly status: AgentStatus;
  /** Set exactly while `status` is `error`. */
  readonly error: ParleyError | null;
}

export const INITIAL_STATE: AgentState = {
  conversationId: null,
  conversationStatus: null,
  runId: null,
  runStatus: null,
  messages: [],
  history: [],
  historyPageInfo: null,
  messagesPageInfo: null,
  pendingToolCalls: [],
  toolSummary: [],
  progress: [],
  status: 'idle',
  error: null,
};

const ENDED: readonly (RunStatus | null)[] = ['completed', 'interrupted', 'failed', 'expired'];

/** Items put into a state. */
export function withItems(state: AgentState, items: readonly HistoryItem[]): AgentState {
  const history = mergeItems(state.history, items);
  return history === state.history ? state : { ...state, history, messages: messagesOf(history) };
}

/** Older pages begin here. */
export function withPageInfo(state: AgentState, nextCursor: string | null): AgentState {
  const info = { nextCursor, hasMore: nextCursor !== null };
  return { ...state, historyPageInfo: info, messagesPageInfo: info };
}

/**
 * A conversation's state put into what is known. Answers and feeds overtake each other, and nothing leaves an end: so
 * what says that an ended run still works, or that a resolved call still waits, was read before and changes nothing.
 */
export function withConversation(
  state: AgentState,
  told: ConversationState,
  earlierRuns: ReadonlySet<string>,
): AgentState {
  const { runId, runStatus, conversationStatus } = told;
  const isBefore =
    (runId !== null && earlierRuns.has(runId)) ||
    (runId === state.runId && ENDED.includes(state.runStatus) && !ENDED.includes(runStatus)) ||
    (state.conversationStatus === 'completed' && conversationStatus !== 'completed');
  if (isBefore) return state;
  const resolved = new Set(state.history.flatMap((item) => (isResolved(item) ? [item.callId] : [])));
  const pendingToolCalls = told.pendingToolCalls.filter(({ callId }) => !resolved.has(callId));
  if (told.pendingToolCalls.length > 0 && pendingToolCalls.length === 0) return state;
  return {
    ...state,
    conversationStatus,
    runId,
    runStatus,
    pendingToolCalls,
    toolSummary: told.toolSummary ?? summaryOf(state.history),
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

/** What the controller knows beside what the service has told. */
export interface LocalState {
  readonly closed: boolean;
  readonly loading: boolean;
  /** Requests that have not been answered: for a turn, and with the results of tools. */
  readonly turns: number;
  readonly resumes: number;
  readonly error: ParleyError | null;
}

/** Status and error of a state. */
export function withStatus(state: AgentState, local: LocalState): AgentState {
  const works = workOf(state, local);
  if (works) return { ...state, status: works, error: null };
  const error = local.error ?? failureOf(state);
  if (error) return { ...state, status: 'error', error };
  return { ...state, status: state.conversationId === null ? 'idle' : 'success', error: null };
}

/** What is going on, whatever has gone wrong before. */
function workOf({ runStatus }: AgentState, { closed, loading, turns, resumes, error }: LocalState) {
  if (closed) return 'closed';
  if (resumes > 0) return 'running';
  const waits = runStatus === 'waiting_for_client_action';
  if (turns > 0) return waits ? 'awaiting_input' : 'running';
  if (error) return undefined;
  if (loading) return 'loading';
  if (waits) return 'awaiting_input';
  return runStatus === 'running' ? 'running' : undefined;
}

function failureOf({ runStatus, runId, error }: AgentState): ParleyError | null {
  const code = runStatus === null ? undefined : FAILURES[runStatus];
  if (!code) return null;
  // The same object for the same fault, so that who watches it sees no change.
  if (error?.code === code && error.details.run_id === runId) return error;
  return new ParleyError({ code, message: MESSAGES[code], details: { run_id: runId } });
}

const FAILURES: Partial<Record<RunStatus, keyof typeof MESSAGES>> = {
  failed: 'run_failed',
  interrupted: 'run_interrupted',
  expired: 'run_expired',
};

const MESSAGES = {
  run_failed: 'The latest turn failed. What the user said is stored; the next turn may follow.',
  run_interrupted: 'The latest turn was interrupted. What was accepted is kept: continue() goes on with it.',
  run_expired: 'The latest turn waited too long for its tools and expired.',
} as const;

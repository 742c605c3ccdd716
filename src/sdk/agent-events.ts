import { type AgentState, withConversation, withHistory, withItems } from './agent-state.ts';
import { type ConversationState, handlingAfter } from './history.ts';
import { type TurnEvent, textAfter } from './turn-feed.ts';

/** Applies an event of the feed. */
export function withEvent(state: AgentState, event: TurnEvent, earlierRuns: ReadonlySet<string>): AgentState {
  const changed = changedBy(state, event);
  const conversation = conversationAfter(changed, event);
  const next = conversation ? withConversation(changed, conversation, earlierRuns) : changed;
  // A piece of text can arrive after the response of its turn.
  return { ...next, live: next.runStatus === 'running' ? textAfter(next.live, event) : null };
}

function changedBy(state: AgentState, event: TurnEvent): AgentState {
  if (event.type === 'TurnItem') {
    const { item } = event;
    return { ...withItems(state, [item]), handling: handlingAfter([item], state.handling) };
  }
  if (event.type !== 'ItemsSuperseded') return state;
  return withHistory(
    state,
    state.history.filter(({ id }) => !event.itemIds.includes(id)),
  );
}

/** The conversation's state after an event; undefined if the event does not change it. */
function conversationAfter(state: AgentState, event: TurnEvent): ConversationState | undefined {
  if (event.type === 'TurnEnded') return event.state;
  const { runId, runStatus, pendingToolCalls } = state;
  const conversationStatus = state.conversationStatus ?? 'active';
  const active = { conversationStatus, runId, runStatus, pendingToolCalls, toolSummary: undefined };
  if (event.type === 'TurnStarted') {
    // The response of a turn can arrive before the feed reports its start.
    if (event.runId === runId) return undefined;
    return { ...active, runId: event.runId, runStatus: 'running', pendingToolCalls: [] };
  }
  if (event.type === 'TurnPaused') {
    const { pendingActions } = event;
    return { ...active, runId: event.runId, runStatus: 'waiting_for_client_action', pendingToolCalls: pendingActions };
  }
  if (event.type !== 'TurnItem' || !('callId' in event.item)) return undefined;
  const { callId, status } = event.item;
  const left = pendingToolCalls.filter((call) => call.callId !== callId || status === 'pending');
  // The last result of a round continues the turn. A cancelled call ends it.
  const isResumed = left.length < pendingToolCalls.length && left.length === 0 && status === 'completed';
  return { ...active, pendingToolCalls: left, ...(isResumed && { runStatus: 'running' }) };
}

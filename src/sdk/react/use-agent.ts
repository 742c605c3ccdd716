import { useEffect, useState } from 'react';
import type { AgentController, AgentOptions } from '../agent-api.ts';
import type { AgentState } from '../agent-state.ts';
import type { ParleyClient } from '../client.ts';
import { useControllerState } from './use-store.ts';

/** A state, and what can be done. */
export type UseAgent = AgentState &
  Pick<
    AgentController,
    'start' | 'open' | 'continue' | 'resolveTool' | 'loadMoreHistory' | 'loadMoreMessages' | 'close' | 'abort'
  >;

/**
 * An agent conversation of the component's own. With a `conversationId` that conversation is opened, also when the id
 * changes; it is closed with the component. What goes wrong while it is opened is told by `error`. Options are those of
 * the first render.
 *
 * @example
 * const { messages, pendingToolCalls, status, start, resolveTool } = useAgent(client, cid);
 */
export function useAgent(client: ParleyClient, conversationId?: string | null, options?: AgentOptions): UseAgent {
  const [agent] = useState(() => client.createAgent(options));
  const state = useControllerState(agent);
  useEffect(() => {
    // The state tells what went wrong. A conversation that was begun here and then put into the address is open already.
    const { conversationId: open, status } = agent.getState();
    if (conversationId && (open !== conversationId || status === 'closed')) agent.open(conversationId).catch(() => {});
  }, [agent, conversationId]);
  useEffect(() => () => agent.close(), [agent]);
  return { ...state, ...agent };
}

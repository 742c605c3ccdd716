import * as React from 'react';
import type { AgentController, AgentOptions } from '../agent-api.ts';
import type { AgentState } from '../agent-state.ts';
import type { ParleyClient } from '../client.ts';
import { useController, useControllerState } from './use-controller.ts';

/** The state of an agent conversation and the methods of its controller. */
export type UseAgent = AgentState &
  Pick<
    AgentController,
    | 'start'
    | 'settled'
    | 'open'
    | 'continue'
    | 'regenerate'
    | 'edit'
    | 'selectVariant'
    | 'fork'
    | 'resolveTool'
    | 'stop'
    | 'rateMessage'
    | 'loadMoreHistory'
    | 'loadMoreMessages'
    | 'close'
    | 'abort'
  >;

/**
 * An agent conversation that belongs to the component. Closed when the component unmounts.
 *
 * - `conversationId`: opens this conversation. A changed ID opens the other one. Without an ID the state is empty.
 * - `client`: a different client opens the conversation again.
 * - `options`: calls always use the tools of the latest render. `limit`, `live` and `pollIntervalMs` apply when a
 *   conversation is opened.
 *
 * If opening fails, `status` is `error` and `error` has the reason.
 *
 * @example
 * const { messages, pendingToolCalls, status, start, resolveTool } = useAgent(client, cid);
 */
export function useAgent(client: ParleyClient, conversationId?: string | null, options: AgentOptions = {}): UseAgent {
  const latest = React.useRef(options);
  const [previousId, setPreviousId] = React.useState(conversationId);
  if (previousId !== conversationId) setPreviousId(conversationId);
  const isCleared = Boolean(previousId) && !conversationId;
  const agent = useController(client, () => client.createAgent(() => latest.current), isCleared);
  const state = useControllerState(agent);
  React.useEffect(() => {
    latest.current = options;
  });
  React.useEffect(() => {
    const { conversationId: openId, status } = agent.getState();
    // A conversation that was started here and whose ID was then passed in is already open.
    if (!conversationId || (openId === conversationId && status !== 'closed')) return;
    // The state has the error.
    agent.open(conversationId).catch(() => {});
  }, [agent, conversationId]);
  React.useEffect(() => () => agent.close(), [agent]);
  return { ...state, ...agent };
}

import type { RunStatus } from '../contract/statuses.ts';
import type { ContinueOptions } from './agent-api.ts';
import type { AgentSession } from './agent-session.ts';
import type { AgentState } from './agent-state.ts';
import { asParleyError, isAborted, type ParleyError } from './error.ts';
import { newKey, type Request, sendJson } from './http.ts';
import type { Settings } from './options.ts';
import { anyOf } from './pause.ts';
import { capabilitiesOf, warnOfIgnored } from './tool-round.ts';

/** Sends the turns of an agent controller. */
interface AgentTurns {
  /** Sends a request that runs a turn. The state is up to date when this resolves, and when it rejects with a 409. */
  sendTurn(
    session: AgentSession,
    kind: 'turns' | 'resumes',
    turn: Partial<Request>,
    options?: Pick<ContinueOptions, 'signal' | 'idempotencyKey'>,
  ): Promise<AgentState>;
  /** Sends the outputs of the round once it is complete; each set of outputs once. */
  submitOutputs(session: AgentSession): Promise<AgentState>;
}

/** The part of a turn's response that the SDK uses. It reads the rest as the state of the conversation. */
interface TurnResult {
  readonly conversation_id: string;
  readonly run_status: RunStatus;
  /** Missing if the assistant can call every connected tool. */
  readonly ignored_client_tools?: Parameters<typeof warnOfIgnored>[1];
}

export function createTurns(settings: Settings): AgentTurns {
  let submitting: { session: AgentSession; round: string; result: Promise<AgentState> } | undefined;

  const sendTurn: AgentTurns['sendTurn'] = async (session, kind, turn, options = {}) => {
    const { signal, release } = anyOf(session.signal, options.signal);
    session.count(kind, 1);
    try {
      const client_capabilities = capabilitiesOf(session.tools);
      const request = {
        method: 'POST',
        path: `/v2/runner/${settings.deploymentId()}/conversation`,
        ...turn,
        body: { ...turn.body, ...(client_capabilities && { client_capabilities }) },
        key: options.idempotencyKey ?? newKey(),
        signal,
      } as const;
      const isNew = session.state.conversationId === null;
      const result = await (isNew && session.isLive ? begin(session, request) : send(request));
      session.setConversationId(result.conversation_id);
      warnOfIgnored(session.tools, result.ignored_client_tools);
      await session.catchUp();
    } catch (thrown) {
      const error = asParleyError(thrown);
      await showFailure(session, error);
      throw error;
    } finally {
      release();
      session.count(kind, -1);
    }
    return session.state;
  };

  const send = (request: Request) => sendJson<TurnResult>(settings, request);

  /**
   * Starts a conversation in the background and follows it, so that the state shows the reply while it is written. The
   * second request has the same key. It waits for the outcome of the turn, which is a response or an error.
   */
  async function begin(session: AgentSession, request: Request): Promise<TurnResult> {
    const started = await send({ ...request, prefer: 'respond-async' });
    // The turn has already finished, or the service does not know this preference.
    if (started.run_status !== 'running') return started;
    session.setConversationId(started.conversation_id);
    const [result] = await Promise.all([send(request), session.catchUp()]);
    return result;
  }

  return {
    sendTurn,
    async submitOutputs(session) {
      const tool_results = session.round.results(session.state);
      if (!tool_results) return session.state;
      const round = JSON.stringify(tool_results);
      if (submitting?.session === session && submitting.round === round) return submitting.result;
      const conversation_id = session.state.conversationId;
      const result = sendTurn(session, 'resumes', { body: { conversation_id, tool_results } }).finally(() => {
        if (submitting?.result === result) submitting = undefined;
      });
      submitting = { session, round, result };
      return result;
    },
  };
}

/** Updates the state after a turn was rejected or failed. */
async function showFailure(session: AgentSession, error: ParleyError): Promise<void> {
  if (session.signal.aborted) return;
  const { conversation_id } = error.details;
  // The model failed in a conversation that this turn created.
  if (error.type === 'api_error' && typeof conversation_id === 'string') session.setConversationId(conversation_id);
  if (session.state.conversationId !== null) await session.catchUp();
  if (error.status !== 409 && !isAborted(error)) session.set({ error });
}

import type {
  AgentController,
  AgentOptions,
  ContinueOptions,
  GetOptions,
  LoadMoreOptions,
  OpenOptions,
  StartOptions,
} from './agent-api.ts';
import { AgentSession, readNewest } from './agent-session.ts';
import {
  type AgentState,
  INITIAL_STATE,
  withConversation,
  withItems,
  withPageInfo,
  withStatus,
} from './agent-state.ts';
import { toWireContent } from './content.ts';
import { asParleyError, isAborted, ParleyError } from './error.ts';
import type { JsonObject } from './history.ts';
import { sendJson } from './http.ts';
import type { Settings } from './options.ts';
import { anyOf } from './pause.ts';
import { readPage } from './read-history.ts';
import { createStore } from './store.ts';
import { capabilitiesOf } from './tool-round.ts';

/** A controller of its own; see {@link AgentController}. */
export function createAgent(settings: Settings, defaults: AgentOptions = {}): AgentController {
  const store = createStore<AgentState>(INITIAL_STATE);
  let session: AgentSession | undefined;
  let loading: Promise<AgentState> | undefined;
  let submitting: { readonly round: string; readonly answer: Promise<AgentState> } | undefined;

  /** Another conversation in place of the one that is open. */
  function begin(conversationId: string | null, options: AgentOptions): AgentSession {
    settings.deploymentId();
    const next: AgentSession = new AgentSession(settings, store, withDefaults(defaults, options), () => {
      // The state tells what went wrong with it.
      if (session === next) submit(next).catch((error: unknown) => next.sendLater(asParleyError(error)));
    });
    session?.end();
    session = next;
    loading = undefined;
    submitting = undefined;
    next.begin(conversationId);
    return next;
  }

  function opened(): AgentSession & { readonly state: AgentState & { readonly conversationId: string } } {
    if (session && !session.signal.aborted && session.state.conversationId !== null) return session as never;
    throw new ParleyError({ code: 'invalid_call', message: 'No conversation is open: start or open one first.' });
  }

  async function open(conversationId: string, options: OpenOptions = {}): Promise<AgentState> {
    const own = begin(conversationId, options);
    own.set({ loading: true });
    try {
      await own.refresh();
      own.set({ loading: false });
    } catch (error) {
      own.set({ loading: false, error: asParleyError(error) });
      throw error;
    }
    return own.state;
  }

  /** A turn's request; the state is as after it when this resolves, and as of now when it rejects with a 409. */
  async function turn(
    own: AgentSession,
    kind: 'turns' | 'resumes',
    body: object,
    given: Pick<ContinueOptions, 'signal' | 'idempotencyKey'> = {},
  ): Promise<AgentState> {
    const { signal, release } = anyOf(own.signal, given.signal);
    own.count(kind, 1);
    try {
      const path = `/v2/runner/${settings.deploymentId()}/conversation`;
      const client_capabilities = capabilitiesOf(own.tools);
      const whole = { ...body, ...(client_capabilities && { client_capabilities }) };
      const answer = await sendJson<{ conversation_id: string }>(settings, {
        method: 'POST',
        path,
        body: whole,
        key: given.idempotencyKey,
        signal,
      });
      own.name(answer.conversation_id);
      await own.catchUp();
    } catch (thrown) {
      const error = asParleyError(thrown);
      await afterFault(own, error);
      throw error;
    } finally {
      release();
      own.count(kind, -1);
    }
    return own.state;
  }

  async function submit(own: AgentSession): Promise<AgentState> {
    const tool_results = own.round.results(own.state);
    if (!tool_results) return own.state;
    const round = JSON.stringify(tool_results);
    if (submitting?.round === round) return submitting.answer;
    const conversation_id = own.state.conversationId;
    const answer = turn(own, 'resumes', { conversation_id, tool_results }).finally(() => {
      if (submitting?.answer === answer) submitting = undefined;
    });
    submitting = { round, answer };
    return answer;
  }

  async function loadMore({ limit }: LoadMoreOptions): Promise<AgentState> {
    const own = opened();
    const { conversationId, historyPageInfo } = own.state;
    const cursor = historyPageInfo?.nextCursor;
    if (!cursor) return own.state;
    own.prepend(await readPage(settings, { conversationId, limit: limit ?? own.limit, signal: own.signal, cursor }));
    return own.state;
  }

  function loadMoreHistory(options: LoadMoreOptions = {}): Promise<AgentState> {
    if (loading) return loading;
    const own = loadMore(options).finally(() => {
      if (loading === own) loading = undefined;
    });
    loading = own;
    return own;
  }

  const close = () => session?.close();

  return {
    async start(options: StartOptions = {}) {
      const { conversationId, content, triggerId, variables, meta, historyLimit, signal, idempotencyKey, ...rest } =
        options;
      const isOpen = conversationId && session?.state.conversationId === conversationId && !session.signal.aborted;
      if (conversationId && !isOpen) await open(conversationId, rest);
      const own = isOpen || conversationId ? connected(opened(), rest) : begin(null, rest);
      const body = { ...turnBody({ content, historyLimit }), trigger_id: triggerId, variables, meta };
      return turn(own, 'turns', { ...body, conversation_id: conversationId }, { signal, idempotencyKey });
    },
    async get(conversationId, { limit = 20, signal }: GetOptions = {}) {
      const page = await readNewest(settings, { conversationId, limit, signal }, true);
      const read = withPageInfo(withItems({ ...INITIAL_STATE, conversationId }, page.items), page.nextCursor);
      return withStatus(withConversation(read, page.state, new Set()), NOTHING);
    },
    open,
    loadMoreHistory,
    loadMoreMessages: loadMoreHistory,
    async continue({ content = 'Continue.', historyLimit, signal, idempotencyKey, ...rest }: ContinueOptions = {}) {
      const own = connected(opened(), rest);
      const conversation_id = own.state.conversationId;
      return turn(
        own,
        'turns',
        { ...turnBody({ content, historyLimit }), conversation_id },
        { signal, idempotencyKey },
      );
    },
    async resolveTool(callId, output: JsonObject) {
      const own = opened();
      // It may be a call that the feed has not told of yet.
      if (!isPending(own.state, callId)) await own.refresh();
      if (!isPending(own.state, callId)) throw notPending(callId);
      own.round.set(callId, output);
      return submit(own);
    },
    subscribe: store.subscribe,
    getState: store.get,
    close,
    abort: close,
  };
}

const NOTHING = { closed: false, loading: false, turns: 0, resumes: 0, error: null };

/** Options, and for what they leave out the controller's own. */
function withDefaults(defaults: AgentOptions, options: AgentOptions): AgentOptions {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** With the tools that are given anew. */
function connected<Session extends AgentSession>(own: Session, options: AgentOptions): Session {
  own.tools = withDefaults(own.tools, options);
  return own;
}

function turnBody({ content, historyLimit }: Pick<StartOptions, 'content' | 'historyLimit'>) {
  return { content: toWireContent(content), history_limit: historyLimit };
}

/** What is shown once a turn was refused or has failed. */
async function afterFault(own: AgentSession, error: ParleyError): Promise<void> {
  if (own.signal.aborted) return;
  const { conversation_id: begun } = error.details;
  // The model failed in a conversation that has come to be by this turn.
  if (error.type === 'api_error' && typeof begun === 'string') own.name(begun);
  if (own.state.conversationId !== null) await own.catchUp();
  if (error.status !== 409 && !isAborted(error)) own.set({ error });
}

const isPending = (state: AgentState, callId: string) => state.pendingToolCalls.some((call) => call.callId === callId);

function notPending(callId: string): ParleyError {
  return new ParleyError({
    code: 'unknown_call_id',
    message: 'This call does not wait for a result, or does not any more.',
    details: { call_ids: [callId] },
  });
}

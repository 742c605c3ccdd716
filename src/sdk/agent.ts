import type {
  AgentController,
  AgentOptions,
  AgentReplaceOptions,
  ContinueOptions,
  GetOptions,
  LoadMoreOptions,
  OpenOptions,
  StartOptions,
} from './agent-api.ts';
import { AgentSession } from './agent-session.ts';
import {
  type AgentState,
  type AgentStatus,
  INITIAL_STATE,
  withConversation,
  withItems,
  withPageInfo,
  withStatus,
} from './agent-state.ts';
import { createTurns } from './agent-turns.ts';
import { editRequest, forkConversation, regenerateRequest, selectVariant } from './branches.ts';
import { toWireContent } from './content.ts';
import { asParleyError, invalidCall, ParleyError } from './error.ts';
import type { JsonObject } from './history.ts';
import type { Request } from './http.ts';
import type { Settings } from './options.ts';
import { rateMessage } from './rate-message.ts';
import { readPage } from './read-history.ts';
import { createStore, firstState } from './store.ts';
import { isOutput } from './tool-round.ts';

const BUSY: readonly AgentStatus[] = ['loading', 'running', 'awaiting_input'];

/** Makes an {@link AgentController}. */
export function createAgent(settings: Settings, defaults: AgentOptions | (() => AgentOptions) = {}): AgentController {
  const store = createStore<AgentState>(INITIAL_STATE);
  let session: AgentSession | undefined;
  let loading: Promise<AgentState> | undefined;
  const { sendTurn, submitOutputs } = createTurns(settings);

  /** Replaces the open conversation. */
  function begin(conversationId: string | null, options: AgentOptions): AgentSession {
    settings.deploymentId();
    const next: AgentSession = new AgentSession(settings, store, {
      defaults: () => (typeof defaults === 'function' ? defaults() : defaults),
      options,
      onRoundComplete() {
        // Nobody awaits this promise. The state has the error.
        if (session === next) submitOutputs(next).catch((error: unknown) => next.sendLater(asParleyError(error)));
      },
    });
    session?.end();
    session = next;
    loading = undefined;
    next.begin(conversationId);
    return next;
  }

  function openSession(): AgentSession & { readonly state: AgentState & { readonly conversationId: string } } {
    if (session && !session.signal.aborted && session.state.conversationId !== null) return session as never;
    throw invalidCall('No conversation is open. Call start or open first.');
  }

  async function open(conversationId: string, options: OpenOptions = {}): Promise<AgentState> {
    const opened = begin(conversationId, options);
    opened.set({ loading: true });
    try {
      await opened.refresh();
      opened.set({ loading: false });
    } catch (error) {
      opened.set({ loading: false, error: asParleyError(error) });
      throw error;
    }
    return opened.state;
  }

  async function loadMore({ limit }: LoadMoreOptions): Promise<AgentState> {
    const current = openSession();
    const { conversationId, historyPageInfo } = current.state;
    const cursor = historyPageInfo?.nextCursor;
    if (!cursor) return current.state;
    const options = { conversationId, limit: limit ?? current.limit, signal: current.signal, cursor };
    current.prepend(await readPage(settings, options, current.isLive));
    return current.state;
  }

  function loadMoreHistory(options: LoadMoreOptions = {}): Promise<AgentState> {
    if (loading) return loading;
    const page = loadMore(options).finally(() => {
      if (loading === page) loading = undefined;
    });
    loading = page;
    return page;
  }

  async function replace(
    options: AgentReplaceOptions,
    requestOf: (conversationId: string) => Request,
  ): Promise<AgentState> {
    const current = openSession();
    current.connect(options);
    return sendTurn(current, 'turns', requestOf(current.state.conversationId), options);
  }

  const close = () => session?.close();

  return {
    async start(options: StartOptions = {}) {
      const { conversationId, content, triggerId, variables, meta, historyLimit, signal, idempotencyKey, ...rest } =
        options;
      const isOpen = conversationId && session?.state.conversationId === conversationId && !session.signal.aborted;
      if (conversationId && !isOpen) await open(conversationId, rest);
      const current = conversationId ? openSession() : begin(null, rest);
      current.connect(rest);
      const body = { ...turnBody({ content, historyLimit }), trigger_id: triggerId, variables, meta };
      return sendTurn(
        current,
        'turns',
        { body: { ...body, conversation_id: conversationId } },
        { signal, idempotencyKey },
      );
    },
    settled: () => firstState(store, ({ status }) => !BUSY.includes(status)),
    async get(conversationId, { limit = 20, signal }: GetOptions = {}) {
      const page = await readPage(settings, { conversationId, limit, signal }, true);
      const read = withPageInfo(withItems({ ...INITIAL_STATE, conversationId }, page.items), page.nextCursor);
      return withStatus(withConversation(read, page.state, new Set()), AT_REST);
    },
    open,
    loadMoreHistory,
    loadMoreMessages: loadMoreHistory,
    async continue({ content = 'Continue.', historyLimit, signal, idempotencyKey, ...tools }: ContinueOptions = {}) {
      const current = openSession();
      current.connect(tools);
      const body = { ...turnBody({ content, historyLimit }), conversation_id: current.state.conversationId };
      return sendTurn(current, 'turns', { body }, { signal, idempotencyKey });
    },
    regenerate: (options = {}) => replace(options, (id) => regenerateRequest(id, options)),
    edit: (messageId, content, options = {}) => replace(options, (id) => editRequest(id, messageId, content, options)),
    async selectVariant(messageId, options) {
      const current = openSession();
      try {
        return await selectVariant(settings, current.state.conversationId, messageId, options);
      } finally {
        await current.catchUp();
      }
    },
    fork: async (itemId, options) => forkConversation(settings, openSession().state.conversationId, itemId, options),
    async resolveTool(callId, output: JsonObject) {
      const current = openSession();
      if (!isOutput(output)) throw invalidOutput(output);
      // The feed may not have reported the call yet.
      if (!isPending(current.state, callId)) await current.refresh();
      if (!isPending(current.state, callId)) throw unknownCall(callId);
      current.round.set(callId, output);
      return submitOutputs(current);
    },
    async stop() {
      const current = session;
      if (!current || current.signal.aborted) return store.get();
      // A turn that starts a conversation can be stopped once the service has created the conversation.
      await firstState(store, ({ conversationId, status }) => conversationId !== null || !BUSY.includes(status));
      if (current.state.conversationId !== null && !current.signal.aborted) await current.stop();
      return store.get();
    },
    async rateMessage(messageId, options) {
      const current = openSession();
      const rating = await rateMessage(settings, current.state.conversationId, messageId, options);
      current.setRating(messageId, rating);
      return current.state;
    },
    subscribe: store.subscribe,
    getState: store.get,
    close,
    abort: close,
  };
}

const AT_REST = { closed: false, loading: false, turns: 0, resumes: 0, error: null };

function turnBody({ content, historyLimit }: Pick<StartOptions, 'content' | 'historyLimit'>) {
  return { content: toWireContent(content), history_limit: historyLimit };
}

const isPending = (state: AgentState, callId: string) => state.pendingToolCalls.some((call) => call.callId === callId);

function invalidOutput(output: unknown): ParleyError {
  const message = `The output of a tool call must be an object. You passed ${JSON.stringify(output)}.`;
  return invalidCall(message, 'output');
}

function unknownCall(callId: string): ParleyError {
  return new ParleyError({
    code: 'unknown_call_id',
    status: 400,
    type: 'invalid_request_error',
    message: `The call "${callId}" is not pending: its ID is wrong or it has been resolved.`,
    param: 'callId',
    details: { call_ids: [callId] },
  });
}

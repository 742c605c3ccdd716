import { numberOfItem } from '../contract/ids.ts';
import type { ReplaceOptions } from './branch-api.ts';
import { editRequest, forkConversation, regenerateRequest, selectVariant } from './branches.ts';
import { refreshMessages, replaceTurn } from './chat-branches.ts';
import { createFollower } from './chat-follower.ts';
import { readMessages, showAborted } from './chat-messages.ts';
import { type Message, toWireContent } from './content.ts';
import type {
  ChatState,
  ConversationChanges,
  ConversationController,
  ListOptions,
  LoadMessagesOptions,
  MessageOptions,
} from './conversation-api.ts';
import { fromWirePage, fromWireSummary, type WirePage, type WireSummary } from './conversation-pages.ts';
import { asParleyError, invalidCall, isAborted } from './error.ts';
import { streamEvents } from './event-stream.ts';
import { handlingOf, mergeItems } from './history.ts';
import { conversationPath, type Request, sendJson } from './http.ts';
import type { Settings } from './options.ts';
import { anyOf } from './pause.ts';
import { rateMessage } from './rate-message.ts';
import { stopTurn } from './stop-turn.ts';
import { createStore, firstState } from './store.ts';
import { type ConversationTurn, fromWireTurn, type WireTurn } from './turn.ts';
import { fromWire } from './wire.ts';

const INITIAL: ChatState = {
  id: null,
  conversationStatus: null,
  status: 'idle',
  live: null,
  data: null,
  messages: [],
  handling: null,
  handlingChanges: [],
  messagesPageInfo: null,
  conversations: [],
  error: null,
};

/** Makes a {@link ConversationController}. */
export function createConversation(settings: Settings): ConversationController {
  const store = createStore<ChatState>(INITIAL);
  const follower = createFollower(settings, store);
  let pending = new AbortController();
  /** The turn of this controller that is running. */
  let running: Promise<ConversationTurn> | undefined;

  function abortPending(): void {
    pending.abort();
    pending = new AbortController();
    running = undefined;
  }

  /** Runs a call and shows its status. An aborted call no longer changes the state. */
  async function withStatus<T>(
    status: 'loading' | 'running',
    callerSignal: AbortSignal | undefined,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const controllerSignal = pending.signal;
    const { signal, release } = anyOf(controllerSignal, callerSignal);
    store.set({ status, error: null });
    try {
      const result = await call(signal);
      if (!controllerSignal.aborted) store.set({ status: 'success' });
      return result;
    } catch (thrown) {
      const error = asParleyError(thrown);
      const outcome = isAborted(error) ? ({ status: 'idle' } as const) : ({ status: 'error', error } as const);
      const conversationStatus = error.code === 'conversation_completed' ? 'completed' : store.get().conversationStatus;
      if (!controllerSignal.aborted) store.set({ ...outcome, conversationStatus, live: null });
      throw error;
    } finally {
      release();
    }
  }

  async function turn(
    options: CallOptions,
    send: (request: TurnRequest) => Promise<WireTurn>,
    isReplacement = false,
  ): Promise<ConversationTurn> {
    if (running) {
      throw invalidCall('A turn of this conversation is running. Wait for it, or call abort() first.');
    }
    follower.pause();
    const own = takeTurn(options, send, isReplacement).finally(() => {
      if (running !== own) return;
      running = undefined;
      follower.resume();
    });
    running = own;
    return own;
  }

  function takeTurn(
    { idempotencyKey: key, signal: callerSignal }: CallOptions,
    send: (request: TurnRequest) => Promise<WireTurn>,
    withVariants: boolean,
  ) {
    const controllerSignal = pending.signal;
    return withStatus('running', callerSignal, async (signal) => {
      const data = fromWireTurn(await send({ key, signal }));
      const { conversationId, conversationStatus } = data;
      // The turn succeeded, even if its messages cannot be read now.
      const read = readMessages(settings, store, { conversationId, signal, withVariants });
      const line = await read.catch(() => data.handledBy && { handling: handlingOf(data.handledBy) });
      if (controllerSignal.aborted) return data;
      store.set({ id: conversationId, conversationStatus, data, live: null, ...line });
      return data;
    });
  }

  async function replace(options: ReplaceOptions, requestOf: (conversationId: string) => Request) {
    const replacing = requestOf(openId());
    return turn(options, (request) => replaceTurn(settings, store, { ...replacing, ...request }, follower.watch), true);
  }

  function openId(): string {
    const { id } = store.get();
    if (id !== null) return id;
    throw invalidCall('No conversation is open. Call start with an ID or take a turn first.');
  }

  const requestOf = (options: MessageOptions, tail?: string) =>
    ({
      method: 'POST',
      path: path(tail),
      body: { ...bodyOf(options), conversation_id: store.get().id ?? undefined },
    }) as const;

  async function streamTurn(request: Request): Promise<WireTurn> {
    // A message for a person gets no reply now.
    if (!store.get().handling) store.set({ live: '' });
    for await (const { event, data } of streamEvents(settings, request)) {
      // The conversation exists from here on, even if the rest of the reply never arrives.
      if (event === 'start') store.set({ id: String(data.conversation_id) });
      if (event === 'delta') store.set({ live: `${store.get().live ?? ''}${data.text}` });
      // The data of `done` is the response of the same path without /stream.
      if (event === 'done') return data as unknown as WireTurn;
    }
    throw asParleyError('the stream ended before the reply did');
  }

  /** The follower shows the stored messages, too. If this read fails, loadMessages can repeat it. */
  function showAbortedSoon(): void {
    if (!follower.isFollowing()) showAborted(settings, store, pending.signal).catch(() => {});
  }

  async function update(conversationId: string, body: ConversationChanges): Promise<void> {
    const path = conversationPath(conversationId);
    await sendJson(settings, { method: 'PATCH', path, body, isRepeatable: true });
  }

  const path = (tail = '') => `/v1/runner/${settings.deploymentId()}/conversation${tail}`;

  return {
    start(conversationId) {
      abortPending();
      follower.pause();
      store.set({ ...INITIAL, conversations: store.get().conversations, id: conversationId ?? null });
      follower.resume();
    },
    follow: follower.follow,
    run: (options) => turn(options, (request) => sendJson<WireTurn>(settings, { ...requestOf(options), ...request })),
    async stream(options) {
      const controllerSignal = pending.signal;
      try {
        return await turn(options, (request) => streamTurn({ ...requestOf(options, '/stream'), ...request }));
      } catch (error) {
        if (isAborted(error) && !controllerSignal.aborted) showAbortedSoon();
        throw error;
      }
    },
    regenerate: (options = {}) => replace(options, (id) => regenerateRequest(id, options)),
    edit: (messageId, content, options = {}) => replace(options, (id) => editRequest(id, messageId, content, options)),
    async selectVariant(messageId, options) {
      const { signal } = pending;
      try {
        return await selectVariant(settings, openId(), messageId, options);
      } finally {
        await refreshMessages(settings, store, signal);
      }
    },
    fork: async (itemId, options) => forkConversation(settings, openId(), itemId, options),
    async loadMessages({ page, pageSize, append = false }: LoadMessagesOptions = {}) {
      const id = openId();
      const read = async (signal: AbortSignal) => {
        const wire = await sendJson<WirePage<object>>(settings, {
          method: 'GET',
          path: conversationPath(id, 'messages'),
          query: { page, page_size: pageSize },
          signal,
        });
        const loaded = fromWirePage(wire, (item) => fromWire<Message>(item));
        const { items, ...messagesPageInfo } = loaded;
        if (!signal.aborted)
          store.set({ messages: append ? mergeItems(store.get().messages, items) : items, messagesPageInfo });
        return loaded;
      };
      // The status of a running turn takes precedence.
      return store.get().status === 'running' ? read(pending.signal) : withStatus('loading', undefined, read);
    },
    async rateMessage(messageId, options) {
      const id = openId();
      const controllerSignal = pending.signal;
      const rating = await rateMessage(settings, id, messageId, options);
      if (controllerSignal.aborted) return store.get();
      const isRated = (message: Message) => message.id === numberOfItem(messageId);
      store.set({
        messages: store.get().messages.map((message) => (isRated(message) ? { ...message, rating } : message)),
      });
      return store.get();
    },
    async list({ meta = {}, page, pageSize }: ListOptions = {}) {
      const labels = Object.entries(meta).map(([name, value]) => [name, String(value)]);
      const wire = await sendJson<WirePage<WireSummary>>(settings, {
        method: 'GET',
        path: `/v1/runner/${settings.deploymentId()}/conversations`,
        query: { ...Object.fromEntries(labels), page, page_size: pageSize },
      });
      const listed = fromWirePage(wire, fromWireSummary);
      store.set({ conversations: listed.items });
      return listed;
    },
    rename: (conversationId, name) => update(conversationId, { name }),
    update,
    async stop() {
      const own = running;
      const { signal } = pending;
      // A new conversation has its ID when the service has accepted its first message.
      await firstState(store, ({ id, status }) => id !== null || status !== 'running');
      const { id } = store.get();
      if (id === null || signal.aborted) return store.get();
      await stopTurn(settings, id, signal);
      if (own) await own.catch(() => {});
      else await firstState(store, ({ status }) => status !== 'running');
      const line = await readMessages(settings, store, { conversationId: id, signal });
      if (!signal.aborted) store.set(line);
      return store.get();
    },
    abort() {
      const { status, live } = store.get();
      const isBusy = running !== undefined || status === 'loading';
      const isStreaming = running !== undefined && live !== null;
      abortPending();
      if (!isBusy) return;
      store.set({ live: null, status: 'idle' });
      follower.resume();
      if (isStreaming) showAbortedSoon();
    },
    subscribe: store.subscribe,
    getState: store.get,
  };
}

type CallOptions = Pick<MessageOptions, 'signal' | 'idempotencyKey'>;

interface TurnRequest {
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

function bodyOf({ content, variables, meta, historyLimit, triggerId }: MessageOptions) {
  return { content: toWireContent(content), variables, meta, history_limit: historyLimit, trigger_id: triggerId };
}

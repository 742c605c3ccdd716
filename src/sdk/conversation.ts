import type { ConversationStatus, RunStatus } from '../contract/statuses.ts';
import { fromWireMessage, type Message, toWireContent, type WireMessage } from './content.ts';
import type {
  ChatState,
  ConversationController,
  ConversationSummary,
  ListOptions,
  LoadMessagesOptions,
  MessageOptions,
  NumberedPage,
} from './conversation-api.ts';
import { asParleyError, isAborted, ParleyError } from './error.ts';
import { streamEvents } from './event-stream.ts';
import { messagesOf } from './history.ts';
import { type Request, sendJson } from './http.ts';
import type { Settings } from './options.ts';
import { anyOf } from './pause.ts';
import { readPage } from './read-history.ts';
import { createStore } from './store.ts';
import { fromWireTurn, type WireTurn } from './turn.ts';

const INITIAL: ChatState = {
  id: null,
  status: 'idle',
  live: null,
  data: null,
  messages: [],
  messagesPageInfo: null,
  conversations: [],
  error: null,
};

/** Items that the newest page is asked for after a turn. */
const NEWEST = 20;

/** A controller of its own; see {@link ConversationController}. */
export function createConversation(settings: Settings): ConversationController {
  const store = createStore<ChatState>(INITIAL);
  let end = new AbortController();
  let isRunning = false;

  function renew(): void {
    end.abort();
    end = new AbortController();
    isRunning = false;
  }

  /** What is under way, told by the state; what was given up tells nothing. */
  async function during<T>(status: 'loading' | 'running', given: AbortSignal | undefined, work: Work<T>): Promise<T> {
    const own = end.signal;
    const { signal, release } = anyOf(own, given);
    store.set({ status, error: null });
    try {
      const result = await work(signal);
      if (!own.aborted) store.set({ status: 'success' });
      return result;
    } catch (thrown) {
      const error = asParleyError(thrown);
      const told = isAborted(error) ? ({ status: 'idle' } as const) : ({ status: 'error', error } as const);
      if (!own.aborted) store.set({ ...told, live: null });
      throw error;
    } finally {
      release();
    }
  }

  async function turn(options: MessageOptions, take: (request: TurnRequest) => Promise<WireTurn>) {
    if (isRunning) {
      throw new ParleyError({
        code: 'invalid_call',
        message: 'A turn of this conversation is under way: wait for it.',
      });
    }
    isRunning = true;
    const own = end.signal;
    try {
      return await during('running', options.signal, async (signal) => {
        const body = { ...bodyOf(options), conversation_id: store.get().id ?? undefined };
        const data = fromWireTurn(await take({ method: 'POST', body, key: options.idempotencyKey, signal }));
        // The turn stands, whether or not its messages can be read now.
        const messages = await newMessages(data.conversationId, signal).catch(() => []);
        if (!own.aborted) store.set({ id: data.conversationId, data, live: null, messages: merged(messages) });
        return data;
      });
    } finally {
      if (!own.aborted) isRunning = false;
    }
  }

  /** The newest messages, down to those that are loaded. */
  async function newMessages(conversationId: string, signal: AbortSignal): Promise<readonly Message[]> {
    const { items } = await readPage(settings, { conversationId, limit: NEWEST, signal });
    const last = store.get().messages.at(-1)?.id ?? 0;
    return messagesOf(items).filter(({ id }) => id > last);
  }

  function merged(messages: readonly Message[]): readonly Message[] {
    const byId = new Map([...store.get().messages, ...messages].map((message) => [message.id, message]));
    return [...byId.values()].sort((one, other) => one.id - other.id);
  }

  async function streamed(request: TurnRequest): Promise<WireTurn> {
    store.set({ live: '' });
    for await (const { event, data } of streamEvents(settings, { ...request, path: path('/stream') })) {
      // A conversation has come to be, also where the rest of its reply never comes.
      if (event === 'start') store.set({ id: String(data.conversation_id) });
      if (event === 'delta') store.set({ live: `${store.get().live}${data.text}` });
      // The event is the answer of the same path without stream.
      if (event === 'done') return data as unknown as WireTurn;
    }
    throw new ParleyError({ code: 'connection_error', message: 'The stream ended before the reply did.' });
  }

  const path = (tail = '') => `/v1/runner/${settings.deploymentId()}/conversation${tail}`;

  return {
    start(conversationId) {
      renew();
      store.set({ ...INITIAL, conversations: store.get().conversations, id: conversationId ?? null });
    },
    run: (options) => turn(options, (request) => sendJson<WireTurn>(settings, { ...request, path: path() })),
    stream: (options) => turn(options, streamed),
    async loadMessages({ page, pageSize, append = false }: LoadMessagesOptions = {}) {
      const { id } = store.get();
      if (id === null) throw new ParleyError({ code: 'invalid_call', message: 'There is no conversation yet.' });
      const read = async (signal: AbortSignal) => {
        const query = { page, page_size: pageSize };
        const messagesPath = `/v1/runner/conversation/${encodeURIComponent(id)}/messages`;
        const wire = await sendJson<WirePage<WireMessage>>(settings, {
          method: 'GET',
          path: messagesPath,
          query,
          signal,
        });
        const loaded = fromWirePage(wire, fromWireMessage);
        const { items, ...messagesPageInfo } = loaded;
        if (!signal.aborted) store.set({ messages: append ? merged(items) : items, messagesPageInfo });
        return loaded;
      };
      // A turn that is at work is told of in the first place.
      return isRunning ? read(end.signal) : during('loading', undefined, read);
    },
    async list({ meta = {}, page, pageSize }: ListOptions = {}) {
      const listPath = `/v1/runner/${settings.deploymentId()}/conversations`;
      const labels = Object.entries(meta).map(([name, value]) => [name, String(value)]);
      const query = { ...Object.fromEntries(labels), page, page_size: pageSize };
      const wire = await sendJson<WirePage<WireSummary>>(settings, { method: 'GET', path: listPath, query });
      const listed = fromWirePage(wire, fromWireSummary);
      store.set({ conversations: listed.items });
      return listed;
    },
    abort() {
      renew();
      const { status } = store.get();
      const isBusy = status === 'running' || status === 'loading';
      store.set({ live: null, ...(isBusy && { status: 'idle' }) });
    },
    subscribe: store.subscribe,
    getState: store.get,
  };
}

type TurnRequest = Omit<Request, 'path'>;

type Work<T> = (signal: AbortSignal) => Promise<T>;

function bodyOf({ content, variables, meta, historyLimit, triggerId }: MessageOptions) {
  return { content: toWireContent(content), variables, meta, history_limit: historyLimit, trigger_id: triggerId };
}

interface WirePage<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly page: number;
  readonly page_size: number;
  readonly has_more: boolean;
}

interface WireSummary {
  readonly conversation_id: string;
  readonly deployment_id: string;
  readonly name: string;
  readonly meta: ConversationSummary['meta'];
  readonly message_count: number;
  readonly status: ConversationStatus;
  readonly run_status: RunStatus | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
}

function fromWirePage<Wire, Item>(wire: WirePage<Wire>, fromWire: (item: Wire) => Item): NumberedPage<Item> {
  const { items, total, page, page_size: pageSize, has_more: hasMore } = wire;
  return { items: items.map(fromWire), total, page, pageSize, hasMore };
}

function fromWireSummary(wire: WireSummary): ConversationSummary {
  return {
    conversationId: wire.conversation_id,
    deploymentId: wire.deployment_id,
    name: wire.name,
    meta: wire.meta,
    messageCount: wire.message_count,
    status: wire.status,
    runStatus: wire.run_status,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
    completedAt: wire.completed_at,
  };
}

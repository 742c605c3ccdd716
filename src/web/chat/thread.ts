import { LIMITS } from '../../contract/limits.ts';
import type { ConversationController, ConversationTurn, MessageContent, ParleyClient } from '../../sdk/index.ts';
import { ParleyError } from '../../sdk/index.ts';
import { isSame, isUncertain, NEW_THREAD, type Outgoing, replyText, type ThreadState } from './thread-state.ts';

/** What can be done in the open conversation, and how far it has come. */
export interface Thread {
  getState(): ThreadState;
  subscribe(listener: () => void): () => void;
  /** Shows another conversation, or a new one. */
  open(conversationId: string | null): Promise<void>;
  /** Says something; a trigger's message by its id. What becomes of it is told by the state. */
  send(content: MessageContent, triggerId?: string): Promise<void>;
  /** Ends the reply here; what was written of it is stored. */
  stop(): void;
  /** Sends a message again that was not answered. */
  retry(message: Outgoing): Promise<void>;
  /** Forgets a message that was not taken. */
  discard(message: Outgoing): void;
  loadEarlier(): Promise<void>;
}

interface Watch {
  /** A turn has ended well. */
  onTurn(turn: ConversationTurn): void;
}

interface Streamed {
  readonly turn: ConversationTurn | ParleyError;
  /** The reply, as far as it came. */
  readonly shown: string;
}

const PAGE_SIZE = 20;
/** Pairs of messages that the assistant is told of earlier: more than the service's default, for chats go on for long. */
const HISTORY = 20;
/** Milliseconds between looks at a turn that was left: it ends once the service has noticed. */
const LOOKS = [0, 100, 200, 400, 800, 1_600, 3_200];

let made = 0;

/** The conversation of a page: a controller of the SDK, and what people want to know beside its state. */
export function createThread(client: ParleyClient, conversation: ConversationController, watch: Watch): Thread {
  let state = NEW_THREAD;
  const listeners = new Set<() => void>();
  /** Ends what belongs to the conversation that was open before. */
  let left = new AbortController();
  /** Of the reply that is being written. */
  let stopped = new AbortController();
  let lowestPage = 1;

  function set(patch: Partial<ThreadState>): void {
    state = { ...state, ...patch };
    for (const listener of [...listeners]) listener();
  }

  const newestId = () => conversation.getState().messages.at(-1)?.id ?? 0;

  /** The newest messages, beside those that are loaded. */
  async function loadNewest(): Promise<void> {
    // Pages are numbered from the oldest: the number of the newest one is known once the total is.
    const { total } = await loadPage(LIMITS.page);
    const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
    const { items } = await loadPage(last);
    const isShort = items.length < PAGE_SIZE / 2 && last > 1;
    if (isShort) await loadPage(last - 1);
    lowestPage = isShort ? last - 1 : last;
  }
  const loadPage = (page: number) => conversation.loadMessages({ page, pageSize: PAGE_SIZE, append: true });

  /** Waits until no turn is at work any more, and loads what is stored then. @throws {ParleyError} */
  async function settle(id: string, signal: AbortSignal): Promise<void> {
    for (const wait of LOOKS) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      const { runStatus, conversationStatus } = await client.agent.get(id, { signal });
      if (!signal.aborted) set({ ended: conversationStatus === 'completed' });
      if (runStatus !== 'running') break;
    }
    if (!signal.aborted) await loadNewest();
  }

  async function open(conversationId: string | null): Promise<void> {
    left.abort();
    stopped.abort();
    left = new AbortController();
    const { signal } = left;
    conversation.start(conversationId ?? undefined);
    set({ ...NEW_THREAD, opening: conversationId ? 'loading' : 'done' });
    if (!conversationId) return;
    const fault = await settle(conversationId, signal).catch(asFault);
    if (signal.aborted) return;
    set(fault ? { opening: fault } : { opening: 'done', earlier: lowestPage > 1 ? 'some' : 'none' });
  }

  /** Messages that were not taken, without the one that is sent again. */
  function unsentBut({ key }: Outgoing): readonly Outgoing[] {
    const { outgoing, unsent } = state;
    const wasTaken = outgoing?.phase !== 'failed' || outgoing.stored;
    return (wasTaken ? unsent : [...unsent, outgoing]).filter((one) => one.key !== key);
  }

  /** The turn that was taken, or why there was none, and what came of its reply. */
  async function streamed({ content, triggerId, idempotencyKey }: Outgoing): Promise<Streamed> {
    stopped = new AbortController();
    let shown = '';
    const stopWatching = conversation.subscribe(({ live }) => {
      shown = live ?? shown;
    });
    const said = triggerId ? { triggerId } : { content };
    const options = { ...said, historyLimit: HISTORY, idempotencyKey, signal: stopped.signal };
    const turn = await conversation.stream(options).catch(asFault);
    stopWatching();
    return { turn, shown };
  }

  async function take(outgoing: Outgoing): Promise<void> {
    if (state.outgoing?.phase === 'sending') return;
    const { signal } = left;
    const before = newestId();
    const sending = { ...outgoing, phase: 'sending', shown: '', stored: false, error: null } as const;
    set({ outgoing: sending, unsent: unsentBut(outgoing) });
    const { turn, shown } = await streamed(outgoing);
    if (signal.aborted) return;
    if (turn instanceof ParleyError) return fail(outgoing, { error: turn, shown, before, signal });
    const answered = { ...outgoing, phase: 'answered', shown: replyText(turn) } as const;
    set({ outgoing: newestId() > before ? null : answered, ended: turn.conversationStatus === 'completed' });
    watch.onTurn(turn);
  }

  interface Failure {
    readonly error: ParleyError;
    readonly shown: string;
    /** The newest message before. */
    readonly before: number;
    readonly signal: AbortSignal;
  }

  /** Says why it ended, and then shows what is stored of it, which is the truth. */
  async function fail(outgoing: Outgoing, { error, shown, before, signal }: Failure): Promise<void> {
    const wasStopped = error.code === 'aborted';
    const how = wasStopped ? ({ phase: 'stopped', error: null } as const) : ({ phase: 'failed', error } as const);
    const failed: Outgoing = { ...outgoing, ...how, shown, stored: false };
    set({ outgoing: failed, ended: state.ended || error.code === 'conversation_completed' });
    const { id } = conversation.getState();
    const wasRefused = error.status >= 400 && error.status < 500;
    if (id === null || wasRefused) return;
    await settle(id, signal).catch(() => {});
    if (signal.aborted || state.outgoing !== failed) return;
    const since = conversation.getState().messages.filter((message) => message.id > before);
    const isStored = since.some(({ role, content }) => role === 'user' && isSame(content, outgoing.content));
    if (isStored) set({ outgoing: { ...failed, stored: true } });
  }

  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    open,
    send: (content, triggerId) => {
      const fresh = { phase: 'sending', shown: '', stored: false, error: null } as const;
      made += 1;
      return take({ ...fresh, key: made, content, triggerId, idempotencyKey: newKey() });
    },
    stop: () => stopped.abort(),
    // Where nobody knows whether it was taken, the service is asked by the same key, and else anew.
    retry: (message) =>
      take(
        message.error && isUncertain(message.error) && !message.stored
          ? message
          : { ...message, idempotencyKey: newKey() },
      ),
    discard({ key }) {
      const unsent = state.unsent.filter((one) => one.key !== key);
      set({ unsent, ...(state.outgoing?.key === key && { outgoing: null }) });
    },
    async loadEarlier() {
      if (state.earlier !== 'some') return;
      const { signal } = left;
      set({ earlier: 'loading' });
      const loaded = await loadPage(lowestPage - 1).catch(() => undefined);
      if (signal.aborted) return;
      if (loaded) lowestPage -= 1;
      set({ earlier: lowestPage > 1 ? 'some' : 'none' });
    },
  };
}

/** What the SDK rejects with, and nothing else. */
const asFault = (error: ParleyError) => error;

/** As the SDK makes them: crypto.randomUUID is there on secure pages alone. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

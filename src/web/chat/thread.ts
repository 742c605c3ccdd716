import { LIMITS } from '../../contract/limits.ts';
import type {
  ConversationController,
  ConversationTurn,
  Message,
  MessageContent,
  ParleyClient,
} from '../../sdk/index.ts';
import { ParleyError } from '../../sdk/index.ts';
import { newKey } from '../hosted/new-key.ts';
import { isUncertain, NEW_THREAD, type Outgoing, replyText, type ThreadState, withStored } from './thread-state.ts';

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
/** Milliseconds between looks for a reply that was left: it is stored once the service has noticed. */
const LOOKS = [0, 100, 200, 400, 800, 1_600, 3_200];
/** The same where no word of it was seen: there may be none. */
const SHORT_LOOKS = [100, 300];

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

  const isBusy = () => state.outgoing?.phase === 'sending' || state.outgoing?.phase === 'stopping';
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

  /** What is stored behind a message, looked for until a reply is there. @throws {ParleyError} */
  async function storedSince(
    after: number,
    waits: readonly number[],
    signal: AbortSignal,
  ): Promise<readonly Message[]> {
    let since: readonly Message[] = [];
    for (const wait of waits) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      if (signal.aborted || state.outgoing?.phase === 'sending') break;
      await loadNewest();
      since = conversation.getState().messages.filter(({ id }) => id > after);
      if (since.at(-1)?.role === 'assistant') break;
    }
    return since;
  }

  async function open(conversationId: string | null): Promise<void> {
    left.abort();
    stopped.abort();
    left = new AbortController();
    const { signal } = left;
    conversation.start(conversationId ?? undefined);
    set({ ...NEW_THREAD, opening: conversationId ? 'loading' : 'done' });
    if (!conversationId) return;
    // First of all whether it is there: who asks for messages of one that is not is taken for a stranger.
    const found = await client.agent
      .get(conversationId, { signal })
      .then((snapshot) => loadNewest().then(() => snapshot))
      .catch(asFault);
    if (signal.aborted) return;
    if (found instanceof ParleyError) return set({ opening: found });
    const ended = found.conversationStatus === 'completed';
    set({ opening: 'done', ended, earlier: lowestPage > 1 ? 'some' : 'none' });
    // Its reply may still be on its way to the store: that of a page that was left, or another window's.
    const newest = conversation.getState().messages.at(-1);
    if (newest?.role === 'user') await storedSince(newest.id, LOOKS, signal).catch(asFault);
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
    // A trigger begins a conversation; where it has, its message is sent again as any other.
    const said = triggerId && conversation.getState().id === null ? { triggerId } : { content };
    const options = { ...said, historyLimit: HISTORY, idempotencyKey, signal: stopped.signal };
    const turn = await conversation.stream(options).catch(asFault);
    stopWatching();
    return { turn, shown };
  }

  async function take(outgoing: Outgoing): Promise<void> {
    if (isBusy()) return;
    const { signal } = left;
    const sending = {
      ...outgoing,
      after: newestId(),
      phase: 'sending',
      shown: '',
      stored: false,
      error: null,
    } as const;
    set({ outgoing: sending, unsent: unsentBut(outgoing) });
    const { turn, shown } = await streamed(sending);
    if (signal.aborted) return;
    if (turn instanceof ParleyError) return fail({ ...sending, shown }, turn, signal);
    const answered = { ...sending, phase: 'answered', shown: replyText(turn) } as const;
    set({ outgoing: newestId() > sending.after ? null : answered, ended: turn.conversationStatus === 'completed' });
    watch.onTurn(turn);
  }

  /** Says why it ended, and then shows what is stored of it. */
  async function fail(sent: Outgoing, error: ParleyError, signal: AbortSignal): Promise<void> {
    const wasStopped = error.code === 'aborted';
    const failed: Outgoing = wasStopped ? { ...sent, phase: 'stopping' } : { ...sent, phase: 'failed', error };
    set({ outgoing: failed, ended: state.ended || error.code === 'conversation_completed' });
    const wasRefused = error.status >= 400 && error.status < 500;
    const isKnown = conversation.getState().id !== null && !wasRefused;
    const looks = sent.shown ? LOOKS : SHORT_LOOKS;
    const since = isKnown ? await storedSince(sent.after, looks, signal).catch(() => []) : [];
    if (signal.aborted || state.outgoing !== failed) return;
    set({ outgoing: withStored(wasStopped ? { ...failed, phase: 'stopped' } : failed, since) });
  }

  async function retry(message: Outgoing): Promise<void> {
    const isUnknown = message.error !== null && isUncertain(message.error) && !message.stored;
    if (!isUnknown) return take({ ...message, idempotencyKey: newKey() });
    // Nobody knows whether it was taken, so the service is asked before it is sent again, and by the same key.
    const { signal } = left;
    const isNew = conversation.getState().id === null;
    const since = isNew ? [] : await storedSince(message.after, [0], signal).catch(() => []);
    if (signal.aborted) return;
    const known = withStored(message, since);
    if (!known.stored) return take(message);
    if (state.outgoing?.key === message.key) set({ outgoing: known });
    else discard(message);
  }

  function discard({ key }: Outgoing): void {
    const unsent = state.unsent.filter((one) => one.key !== key);
    set({ unsent, ...(state.outgoing?.key === key && { outgoing: null }) });
  }

  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    open,
    send: (content, triggerId) => {
      const fresh = { phase: 'sending', shown: '', stored: false, error: null, after: 0 } as const;
      made += 1;
      return take({ ...fresh, key: made, content, triggerId, idempotencyKey: newKey() });
    },
    stop: () => stopped.abort(),
    retry,
    discard,
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

import {
  type ConversationController,
  type ConversationTurn,
  type MessageContent,
  ParleyError,
} from '../../sdk/index.ts';
import { newKey } from '../hosted/requests.ts';
import type { MessagePages } from './message-pages.ts';
import { isUncertain, type Outgoing, replyText, type ThreadStore, withStored } from './thread-state.ts';

/** Milliseconds between reads for the reply of a closed stream: the service stores it when it notices the close. */
const REPLY_DELAYS_MS = [0, 100, 200, 400, 800, 1_600, 3_200];
/** The same if no text of the reply arrived: there may be no reply. */
const SHORT_REPLY_DELAYS_MS = [100, 300];

interface SenderOptions {
  readonly store: ThreadStore;
  readonly conversation: ConversationController;
  readonly pages: MessagePages;
  /** Called after each successful turn. */
  onTurn(turn: ConversationTurn): void;
}

/** Sends the messages of the open conversation. */
export interface Sender {
  /** Starts with another conversation. The signal is aborted when that conversation is left. */
  reset(signal: AbortSignal): void;
  send(content: MessageContent, triggerId?: string): Promise<void>;
  /**
   * Stops the running reply, also of another window. The service stores the part that it has written.
   * @throws {ParleyError}
   */
  stop(): Promise<void>;
  /** Sends a failed message again. */
  retry(message: Outgoing): Promise<void>;
  /** Removes a message that the service did not accept. */
  discard(message: Outgoing): void;
}

/** The end of a turn whose next step found no room in a budget. */
const PAUSING = new ParleyError({ code: 'budget_reached', message: 'budget_reached' });

let lastKey = 0;

export function createSender({ store, conversation, pages, onTurn }: SenderOptions): Sender {
  /** Aborted when another conversation is opened. */
  let leaving: AbortSignal = new AbortController().signal;
  /** Aborts the reply that is streaming. */
  let streaming = new AbortController();

  const isSending = () => store.get().outgoing?.phase === 'sending';

  function storedSince(after: number, delaysMs: readonly number[]) {
    const left = leaving;
    return pages.waitForReply(after, delaysMs, () => left.aborted || isSending());
  }

  /** The messages that the service did not accept, without the one that is sent now. */
  function unsentExcept({ key }: Outgoing): readonly Outgoing[] {
    const { outgoing, unsent } = store.get();
    const wasRejected = outgoing?.phase === 'failed' && !outgoing.stored;
    return (wasRejected ? [...unsent, outgoing] : unsent).filter((message) => message.key !== key);
  }

  async function stream({ content, triggerId, idempotencyKey }: Outgoing) {
    streaming = new AbortController();
    let reply = '';
    const unsubscribe = conversation.subscribe(({ live }) => {
      reply = live ?? reply;
    });
    // A trigger starts a conversation. In an existing conversation, its message is sent like any other.
    const message = triggerId && conversation.getState().id === null ? { triggerId } : { content };
    const options = { ...message, idempotencyKey, signal: streaming.signal };
    const turn = await conversation.stream(options).catch(asError);
    unsubscribe();
    return { turn, reply };
  }

  async function transmit(message: Outgoing): Promise<void> {
    const phase = store.get().outgoing?.phase;
    if (phase === 'sending' || phase === 'stopping') return;
    const left = leaving;
    const after = pages.newestId();
    const sending: Outgoing = { ...message, after, phase: 'sending', reply: '', stored: false, error: null };
    store.set({ outgoing: sending, unsent: unsentExcept(message) });
    const { turn, reply } = await stream(sending);
    if (left.aborted) return;
    if (turn instanceof ParleyError) return showFailure({ ...sending, reply }, turn);
    if (turn.finishReason === 'budget') return showFailure({ ...sending, reply }, PAUSING);
    showReply(sending, turn);
    onTurn(turn);
  }

  function showReply(sent: Outgoing, turn: ConversationTurn): void {
    const wasStopped = store.get().outgoing?.phase === 'stopping';
    const stored = pages.newestId() > sent.after;
    const replied: Outgoing = { ...sent, phase: wasStopped ? 'stopped' : 'answered', reply: replyText(turn), stored };
    store.set({ outgoing: stored && !wasStopped ? null : replied });
  }

  async function stop(): Promise<void> {
    const { outgoing } = store.get();
    if (outgoing?.phase !== 'sending') return void (await conversation.stop());
    const reply = conversation.getState().live ?? '';
    store.set({ outgoing: { ...outgoing, phase: 'stopping', reply } });
    // Without an answer to this request, the page stops reading the reply.
    await conversation.stop().catch(() => streaming.abort());
  }

  /** Shows why a turn ended, and then what the service has stored of it. */
  async function showFailure(sent: Outgoing, error: ParleyError): Promise<void> {
    const left = leaving;
    const wasStopped = error.code === 'aborted';
    const failed: Outgoing = wasStopped ? { ...sent, phase: 'stopping' } : { ...sent, phase: 'failed', error };
    store.set({ outgoing: failed });
    const wasRejected = error.status >= 400 && error.status < 500;
    const canBeStored = conversation.getState().id !== null && !wasRejected;
    const delaysMs = sent.reply ? REPLY_DELAYS_MS : SHORT_REPLY_DELAYS_MS;
    const since = canBeStored ? await storedSince(sent.after, delaysMs).catch(() => []) : [];
    if (left.aborted || store.get().outgoing !== failed) return;
    store.set({ outgoing: withStored(wasStopped ? { ...failed, phase: 'stopped' } : failed, since) });
  }

  function discard({ key }: Outgoing): void {
    const { outgoing, unsent } = store.get();
    const rest = unsent.filter((message) => message.key !== key);
    store.set({ unsent: rest, ...(outgoing?.key === key && { outgoing: null }) });
  }

  async function retry(message: Outgoing): Promise<void> {
    const mayBeStored = message.error !== null && isUncertain(message.error) && !message.stored;
    if (!mayBeStored) return transmit({ ...message, idempotencyKey: newKey() });
    // First look whether the service has stored it. If not, send it with the same key. If the answer cannot be read, do
    // not send it: the service may not recognize the key of a visitor, and would store the message twice.
    const left = leaving;
    const isNew = conversation.getState().id === null;
    const since = isNew ? [] : await storedSince(message.after, [0]).catch(asError);
    if (left.aborted || since instanceof ParleyError) return;
    const checked = withStored(message, since);
    if (!checked.stored) return transmit(message);
    if (store.get().outgoing?.key === message.key) store.set({ outgoing: checked });
    else discard(message);
  }

  return {
    reset(signal) {
      streaming.abort();
      leaving = signal;
    },
    send(content, triggerId) {
      lastKey += 1;
      const empty = { phase: 'sending', reply: '', stored: false, error: null, after: 0 } as const;
      return transmit({ ...empty, key: lastKey, content, triggerId, idempotencyKey: newKey() });
    },
    stop,
    retry,
    discard,
  };
}

/** The SDK rejects with a ParleyError only. */
export const asError = (error: ParleyError) => error;

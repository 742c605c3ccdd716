import { type ConversationController, type ConversationTurn, type ParleyClient, ParleyError } from '../../sdk/index.ts';
import { createMessagePages } from './message-pages.ts';
import { asError, createSender, type Sender } from './sender.ts';
import { createThreadStore, NEW_THREAD, type ThreadState } from './thread-state.ts';

/** The conversation of a chat page: the SDK's controller and the state that the page needs in addition. */
export interface Thread extends Omit<Sender, 'reset'> {
  getState(): ThreadState;
  subscribe(listener: () => void): () => void;
  /** Shows another conversation, or a new one. */
  open(conversationId: string | null): Promise<void>;
  loadEarlier(): Promise<void>;
}

interface ThreadOptions {
  /** Called after each successful turn. */
  onTurn(turn: ConversationTurn): void;
}

export function createThread(
  client: ParleyClient,
  conversation: ConversationController,
  { onTurn }: ThreadOptions,
): Thread {
  const store = createThreadStore();
  const pages = createMessagePages(conversation);
  const { reset, ...sender } = createSender({ store, conversation, pages, onTurn });
  /** Aborted when another conversation is opened. */
  let opened = new AbortController();

  const earlier = () => (pages.hasEarlier() ? 'some' : 'none');

  /** Loads the conversation. Resolves with whether it is completed, or with the reason why it cannot be loaded. */
  async function load(conversationId: string, signal: AbortSignal): Promise<boolean | ParleyError> {
    // This request checks that the conversation exists. Reading its messages first would return 401 if it does not.
    const snapshot = await client.agent.get(conversationId, { signal }).catch(asError);
    if (snapshot instanceof ParleyError) return snapshot;
    const failure = await pages.loadNewest().catch(asError);
    return failure ?? snapshot.conversationStatus === 'completed';
  }

  async function open(conversationId: string | null): Promise<void> {
    opened.abort();
    opened = new AbortController();
    const { signal } = opened;
    reset(signal);
    conversation.start(conversationId ?? undefined);
    store.set({ ...NEW_THREAD, opening: conversationId ? 'loading' : 'done' });
    if (!conversationId) return;
    const result = await load(conversationId, signal);
    if (signal.aborted) return;
    if (result instanceof ParleyError) return store.set({ opening: result });
    store.set({ opening: 'done', ended: result, earlier: earlier() });
  }

  return {
    ...sender,
    getState: store.get,
    subscribe: store.subscribe,
    open,
    async loadEarlier() {
      if (store.get().earlier !== 'some') return;
      const { signal } = opened;
      store.set({ earlier: 'loading' });
      await pages.loadEarlier().catch(asError);
      if (!signal.aborted) store.set({ earlier: earlier() });
    },
  };
}

import { mergeMessages, NEWEST } from './chat-messages.ts';
import type { ChatState } from './conversation-api.ts';
import { isPermanent, ParleyError } from './error.ts';
import { messagesOf } from './history.ts';
import type { Settings } from './options.ts';
import { readDownTo, readNewest } from './read-history.ts';
import type { Store } from './store.ts';
import { POLL_MS, type SynchronizedState, synchronize } from './synchronize.ts';
import { type LiveText, type TurnEvent, textAfter } from './turn-feed.ts';

/** Follows the open conversation of a chat controller. */
interface ChatFollower {
  /** Follows until the returned function is called. */
  follow(): () => void;
  /** Closes the connection while a turn of this controller runs: its own response shows the reply. */
  pause(): void;
  /** Follows the conversation that is open now. */
  resume(): void;
  isFollowing(): boolean;
}

export function createFollower(settings: Settings, store: Store<ChatState>): ChatFollower {
  let followers = 0;
  let following: AbortController | undefined;

  function pause(): void {
    if (!following) return;
    following.abort();
    following = undefined;
    const { live, status } = store.get();
    if (live !== null || status === 'running')
      store.set({ live: null, ...(status === 'running' && { status: 'idle' }) });
  }

  function resume(): void {
    pause();
    const { id } = store.get();
    if (followers === 0 || id === null) return;
    following = new AbortController();
    void run(synchronizedChat(settings, store, id, following.signal));
  }

  return {
    follow() {
      followers += 1;
      if (followers === 1) resume();
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        followers -= 1;
        if (followers === 0) pause();
      };
    },
    pause,
    resume,
    isFollowing: () => followers > 0,
  };
}

async function run(target: SynchronizedState): Promise<void> {
  try {
    const { followCursor } = await target.readPage(true);
    await synchronize(target, followCursor);
  } catch (error) {
    if (target.signal.aborted) return;
    if (isPermanent(error)) return target.fail(error);
    await synchronize(target, null);
  }
}

function synchronizedChat(
  settings: Settings,
  store: Store<ChatState>,
  conversationId: string,
  signal: AbortSignal,
): SynchronizedState {
  let text: LiveText | null = null;
  /** The newest item that was read. */
  let known: string | undefined;
  const show = (patch: Partial<ChatState>) => {
    if (!signal.aborted) store.set({ ...patch, live: text?.text ?? null });
  };
  return {
    settings,
    conversationId,
    signal,
    live: true,
    pollIntervalMs: POLL_MS.default,
    async readPage(live) {
      const options = { conversationId, limit: NEWEST, signal };
      const newest = await readNewest(settings, options, live);
      const page = await readDownTo(settings, { ...options, page: newest, known });
      known = page.items.at(-1)?.id ?? known;
      if (!live) text = null;
      const { conversationStatus } = page.state;
      show({ messages: mergeMessages(store.get().messages, messagesOf(page.items)), conversationStatus });
      return page;
    },
    apply(event) {
      text = textAfter(text, event);
      const added = event.type === 'TurnItem' ? messagesOf([event.item]) : [];
      const { messages, status } = store.get();
      show({ ...(added.length > 0 && { messages: mergeMessages(messages, added) }), ...statusAfter(event, status) });
    },
    fail(error) {
      text = null;
      show({ status: 'error', error });
    },
  };
}

/** What an event of a turn of another client changes. */
function statusAfter(event: TurnEvent, status: ChatState['status']): Partial<ChatState> {
  if (RUNNING.has(event.type)) return { status: 'running', error: null };
  if (event.type !== 'TurnEnded') return event.type === 'TurnPaused' && status === 'running' ? ENDED : {};
  const { conversationStatus } = event.state;
  if (status !== 'running') return { conversationStatus };
  if (!event.hasFailed) return { conversationStatus, ...ENDED };
  const message = 'The latest turn failed. The user message is stored. Send the next message to continue.';
  return { conversationStatus, status: 'error', error: new ParleyError({ code: 'run_failed', message }) };
}

const RUNNING: ReadonlySet<TurnEvent['type']> = new Set(['TurnStarted', 'ReasoningDelta', 'TextDelta']);

const ENDED = { status: 'success' } as const;

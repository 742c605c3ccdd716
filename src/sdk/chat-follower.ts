import { numberOfItem } from '../contract/ids.ts';
import type { WatchTurn } from './chat-branches.ts';
import { NEWEST, withPage } from './chat-messages.ts';
import type { ChatState } from './conversation-api.ts';
import { isPermanent, ParleyError } from './error.ts';
import { changesOf, type HistoryItem, type HistoryPage, handlingAfter, mergeItems, messagesOf } from './history.ts';
import type { Settings } from './options.ts';
import { readDownTo } from './read-history.ts';
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
  /** Shows a turn of this controller until the signal is aborted. Its status follows from its own response. */
  readonly watch: WatchTurn;
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
    void run(synchronizedChat(settings, store, id, following));
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
    watch(id, after, signal) {
      void synchronize(synchronizedChat(settings, store, id, { signal, isOwn: true }), after);
    },
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
  { signal, isOwn = false }: { readonly signal: AbortSignal; readonly isOwn?: boolean },
): SynchronizedState {
  let text: LiveText | null = null;
  /** The items of the last page. */
  let known: readonly HistoryItem[] = [];
  /** How often the active line was reported to have lost items. */
  let line = 0;
  let hasNewVariants = false;
  const show = (patch: Partial<ChatState>) => {
    if (!signal.aborted) store.set({ ...patch, live: text?.text ?? null });
  };
  async function readPage(live: boolean): Promise<HistoryPage> {
    const lineBefore = line;
    const before = store.get();
    const page = await readDownTo(settings, { conversationId, limit: NEWEST, signal }, { known, live });
    // The page may have items that left the line while it was read.
    if (line !== lineBefore) return readPage(live);
    known = page.items;
    if (!live) text = null;
    const { conversationStatus } = page.state;
    show({ ...withPage(store.get(), before, page), conversationStatus });
    return page;
  }
  return {
    settings,
    conversationId,
    signal,
    live: true,
    pollIntervalMs: POLL_MS.default,
    readPage,
    apply(event) {
      text = textAfter(text, event);
      const state = store.get();
      show({ ...lineAfter(event, state), ...(!isOwn && statusAfter(event, state.status)) });
      if (event.type === 'ItemsSuperseded') {
        line += 1;
        hasNewVariants = true;
      }
      if (event.type !== 'TurnEnded' || !hasNewVariants || isOwn) return;
      hasNewVariants = false;
      // Only a page has the variants. Without them the messages are complete otherwise.
      readPage(true).catch(() => {});
    },
    fail(error) {
      text = null;
      show(isOwn ? {} : { status: 'error', error });
    },
  };
}

function lineAfter(event: TurnEvent, { messages, handlingChanges, handling }: ChatState): Partial<ChatState> {
  if (event.type === 'TurnItem') {
    const { item } = event;
    return {
      messages: mergeItems(messages, messagesOf([item])),
      handlingChanges: mergeItems(handlingChanges, changesOf([item])),
      handling: handlingAfter([item], handling),
    };
  }
  if (event.type !== 'ItemsSuperseded') return {};
  const superseded = event.itemIds.map(numberOfItem);
  const isActive = ({ id }: { readonly id: number | string }) => !superseded.includes(numberOfItem(id));
  return { messages: messages.filter(isActive), handlingChanges: handlingChanges.filter(isActive) };
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

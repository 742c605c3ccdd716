import type { ChatState } from './conversation-api.ts';
import { changesOf, type HistoryPage, handlingAfter, mergeItems, messagesOf, withoutReplaced } from './history.ts';
import type { Settings } from './options.ts';
import { pause } from './pause.ts';
import { readPage } from './read-history.ts';
import type { Store } from './store.ts';

/** Items that are read after a turn. */
export const NEWEST = 20;

/** Milliseconds between reads for an aborted reply: the service stores it when it notices that the stream is closed. */
const ABORTED_REPLY_DELAYS_MS = [0, 50, 100, 200, 400, 800, 1_600];

type Line = Pick<ChatState, 'messages' | 'handling' | 'handlingChanges'>;

/** The state after a page of the newest items. `before` is the state when the page was requested. */
export function withPage(state: ChatState, before: ChatState, page: HistoryPage): Line {
  const known = withoutReplaced(state.handlingChanges, before.handlingChanges, page);
  const handlingChanges = mergeItems(known, changesOf(page.items));
  return {
    messages: mergeItems(withoutReplaced(state.messages, before.messages, page), messagesOf(page.items)),
    handlingChanges,
    handling: handlingAfter(handlingChanges, state.handling, page.state.handling),
  };
}

/** All loaded messages with the newest stored ones. With `withVariants` also their variants. @throws {ParleyError} */
export async function readMessages(
  settings: Settings,
  store: Store<ChatState>,
  options: { readonly conversationId: string; readonly signal: AbortSignal; readonly withVariants?: boolean },
): Promise<Line> {
  const { withVariants = false, ...read } = options;
  const before = store.get();
  const page = await readPage(settings, { ...read, limit: NEWEST }, withVariants);
  return withPage(store.get(), before, page);
}

/** Shows the question and the partial reply of an aborted stream as soon as the service has stored them. */
export async function showAborted(settings: Settings, store: Store<ChatState>, signal: AbortSignal): Promise<void> {
  const { id: conversationId, messages: shown } = store.get();
  const before = shown.at(-1)?.id ?? 0;
  if (conversationId === null) return;
  for (const delayMs of ABORTED_REPLY_DELAYS_MS) {
    await pause(delayMs, signal);
    const line = await readMessages(settings, store, { conversationId, signal });
    // The next turn shows them.
    if (signal.aborted || store.get().status === 'running') return;
    store.set(line);
    const last = line.messages.at(-1);
    if (last && last.id > before && last.role === 'assistant') return;
  }
}

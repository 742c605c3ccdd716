import type { Message } from './content.ts';
import type { ChatState } from './conversation-api.ts';
import { type HistoryPage, messagesOf, withKnownVariants, withoutReplaced } from './history.ts';
import type { Settings } from './options.ts';
import { pause } from './pause.ts';
import { readPage } from './read-history.ts';
import type { Store } from './store.ts';

/** Items that are read after a turn. */
export const NEWEST = 20;

/** Milliseconds between reads for an aborted reply: the service stores it when it notices that the stream is closed. */
const ABORTED_REPLY_DELAYS_MS = [0, 50, 100, 200, 400, 800, 1_600];

/** Merges messages by ID, oldest first. */
export function mergeMessages(known: readonly Message[], added: readonly Message[]): readonly Message[] {
  const byId = new Map(known.map((message) => [message.id, message]));
  for (const message of added) byId.set(message.id, withKnownVariants(message, byId.get(message.id)));
  return [...byId.values()].sort((one, other) => one.id - other.id);
}

/** The messages after a page of the newest items. `before` are those that were known when the page was requested. */
export function withNewest(
  known: readonly Message[],
  before: readonly Message[],
  page: HistoryPage,
): readonly Message[] {
  return mergeMessages(withoutReplaced(known, before, page), messagesOf(page.items));
}

/** All loaded messages with the newest stored ones. With `withVariants` also their variants. @throws {ParleyError} */
export async function readMessages(
  settings: Settings,
  store: Store<ChatState>,
  options: { readonly conversationId: string; readonly signal: AbortSignal; readonly withVariants?: boolean },
): Promise<readonly Message[]> {
  const { withVariants = false, ...read } = options;
  const before = store.get().messages;
  const page = await readPage(settings, { ...read, limit: NEWEST }, withVariants);
  return withNewest(store.get().messages, before, page);
}

/** Shows the question and the partial reply of an aborted stream as soon as the service has stored them. */
export async function showAborted(settings: Settings, store: Store<ChatState>, signal: AbortSignal): Promise<void> {
  const { id: conversationId, messages: shown } = store.get();
  const before = shown.at(-1)?.id ?? 0;
  if (conversationId === null) return;
  for (const delayMs of ABORTED_REPLY_DELAYS_MS) {
    await pause(delayMs, signal);
    const messages = await readMessages(settings, store, { conversationId, signal });
    // The next turn shows them.
    if (signal.aborted || store.get().status === 'running') return;
    store.set({ messages });
    const last = messages.at(-1);
    if (last && last.id > before && last.role === 'assistant') return;
  }
}

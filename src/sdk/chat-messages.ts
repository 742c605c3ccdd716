import type { Message } from './content.ts';
import type { ChatState } from './conversation-api.ts';
import { messagesOf } from './history.ts';
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
  const byId = new Map([...known, ...added].map((message) => [message.id, message]));
  return [...byId.values()].sort((one, other) => one.id - other.id);
}

const newestId = ({ messages }: ChatState) => messages.at(-1)?.id ?? 0;

/** All loaded messages with the newest stored ones. */
export async function readMessages(
  settings: Settings,
  store: Store<ChatState>,
  conversationId: string,
  signal: AbortSignal,
): Promise<readonly Message[]> {
  const { items } = await readPage(settings, { conversationId, limit: NEWEST, signal });
  const newest = newestId(store.get());
  return mergeMessages(
    store.get().messages,
    messagesOf(items).filter(({ id }) => id > newest),
  );
}

/** Shows the question and the partial reply of an aborted stream as soon as the service has stored them. */
export async function showAborted(settings: Settings, store: Store<ChatState>, signal: AbortSignal): Promise<void> {
  const { id } = store.get();
  const before = newestId(store.get());
  if (id === null) return;
  for (const delayMs of ABORTED_REPLY_DELAYS_MS) {
    await pause(delayMs, signal);
    const messages = await readMessages(settings, store, id, signal);
    // The next turn shows them.
    if (signal.aborted || store.get().status === 'running') return;
    store.set({ messages });
    const last = messages.at(-1);
    if (last && last.id > before && last.role === 'assistant') return;
  }
}

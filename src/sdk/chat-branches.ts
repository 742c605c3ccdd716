import { readMessages } from './chat-messages.ts';
import type { ChatState } from './conversation-api.ts';
import { newKey, type Request, sendJson } from './http.ts';
import type { Settings } from './options.ts';
import { anyOf } from './pause.ts';
import type { Store } from './store.ts';
import type { WireTurn } from './turn.ts';

/** A turn that was accepted, or its outcome. */
type Replaced = WireTurn & { readonly run_status: string; readonly follow_cursor: string };

/** Shows a turn of this client while it runs. */
export type WatchTurn = (conversationId: string, after: string, signal: AbortSignal) => void;

/**
 * Runs a turn that replaces others, in the background, and shows it while it is written. The second request has the same key:
 * it waits for the outcome. The messages are up to date when this rejects.
 * @throws {ParleyError}
 */
export async function replaceTurn(
  settings: Settings,
  store: Store<ChatState>,
  { key = newKey(), ...rest }: Request & { readonly signal: AbortSignal },
  watch: WatchTurn,
): Promise<WireTurn> {
  const request = { ...rest, key };
  const over = new AbortController();
  const { signal, release } = anyOf(request.signal, over.signal);
  try {
    const started = await sendJson<Replaced>(settings, { ...request, prefer: 'respond-async' });
    // Otherwise a request with the same key has run the turn before.
    if (started.run_status !== 'running') return started;
    watch(started.conversation_id, started.follow_cursor, signal);
    return await sendJson<Replaced>(settings, request);
  } catch (error) {
    await refreshMessages(settings, store, request.signal);
    throw error;
  } finally {
    over.abort();
    release();
  }
}

/** Shows the messages of the active line. If they cannot be read now, the next read shows them. */
export async function refreshMessages(settings: Settings, store: Store<ChatState>, signal: AbortSignal): Promise<void> {
  const { id: conversationId } = store.get();
  if (conversationId === null || signal.aborted) return;
  const read = readMessages(settings, store, { conversationId, signal, withVariants: true });
  const line = await read.catch(() => undefined);
  if (line && !signal.aborted) store.set(line);
}

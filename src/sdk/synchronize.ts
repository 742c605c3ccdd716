import { isAborted, isPermanent, type ParleyError } from './error.ts';
import type { HistoryPage } from './history.ts';
import type { Settings } from './options.ts';
import { backoffMs, pause } from './pause.ts';
import { followTurns, type TurnEvent } from './turn-feed.ts';

/** Milliseconds between polls. */
export const POLL_MS = { default: 2_000, min: 500, max: 60_000 };

/** How long the conversation is polled before the event stream is tried again. */
const POLLING_MS = 60_000;

/** A conversation state that follows the service. */
export interface SynchronizedState {
  readonly settings: Settings;
  readonly conversationId: string;
  readonly signal: AbortSignal;
  /** False: poll only. */
  readonly live: boolean;
  readonly pollIntervalMs: number;
  /**
   * Reads the newest page into the state. With `live`, the page has the cursor that the feed starts after. Without, the
   * feed is not open, so a text that was being written is outdated.
   */
  readPage(live: boolean): Promise<HistoryPage>;
  apply(event: TurnEvent): void;
  /** The conversation cannot be read any more and a retry cannot succeed. */
  fail(error: ParleyError): void;
}

/** Updates a state until its signal is aborted: from the event stream, or by polling if no events arrive. */
export async function synchronize(target: SynchronizedState, from: string | null): Promise<void> {
  let start = from;
  for (let attempt = 0; !target.signal.aborted; attempt += 1) {
    try {
      const after = start ?? (await pollThenReadCursor(target));
      // If the stream fails, start again from a page: changes since the cursor may be missing.
      start = null;
      attempt = 0;
      if (after !== null) await followTurns(target.settings, { ...target, after }, target.apply);
    } catch (error) {
      if (isAborted(error)) return;
      if (isPermanent(error) && error.code !== 'invalid_cursor') return target.fail(error);
    }
    await pause(backoffMs(attempt), target.signal).catch(() => {});
  }
}

/** Returns the cursor that the event stream starts after; null without `live`. */
async function pollThenReadCursor(target: SynchronizedState): Promise<string | null> {
  await poll(target);
  return (await target.readPage(target.live)).followCursor;
}

/** Reads the newest page at an interval: without end if `live` is false, otherwise for a minute. */
async function poll({ readPage, live, pollIntervalMs, signal }: SynchronizedState): Promise<void> {
  const end = live ? Date.now() + POLLING_MS : Number.POSITIVE_INFINITY;
  while (Date.now() < end) {
    await readPage(false);
    await pause(pollIntervalMs, signal);
  }
}

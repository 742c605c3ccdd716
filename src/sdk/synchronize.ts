import { isAborted, type ParleyError } from './error.ts';
import { type Change, FeedImpossible, isFinal, readFeed } from './feed.ts';
import type { HistoryPage } from './history.ts';
import type { Settings } from './options.ts';
import { backoffMs, pause } from './pause.ts';

/** How long it is polled before the feed is tried again. */
const POLLING_MS = 60_000;

/** What is kept in step with the service. */
export interface Synchronized {
  readonly settings: Settings;
  readonly conversationId: string;
  readonly signal: AbortSignal;
  /** False: polls alone. */
  readonly live: boolean;
  readonly pollIntervalMs: number;
  /** Reads the newest page and puts it into the state; with `live`, with the place where the feed goes on. */
  paint(live: boolean): Promise<HistoryPage>;
  apply(change: Change): void;
  /** The conversation cannot be read any more, and asking again would be of no use. */
  fail(error: ParleyError): void;
}

/**
 * Keeps a state in step until its signal ends it: by the feed, again from the last cursor whenever it is cut off; by
 * polling where there is none.
 */
export async function synchronize(target: Synchronized, from: string | null): Promise<void> {
  const place = { cursor: from, attempt: 0 };
  while (!target.signal.aborted) {
    try {
      await keepUp(target, place);
    } catch (error) {
      if (isAborted(error)) return;
      // Painted anew: what was told since the cursor may be missing.
      if (error instanceof FeedImpossible || isLostPlace(error)) place.cursor = null;
      else if (isFinal(error)) return target.fail(error);
    }
    await pause(backoffMs(place.attempt), target.signal).catch(() => {});
    place.attempt += 1;
  }
}

/** One stretch: the feed until it is cut off, or polling for a while. */
async function keepUp(target: Synchronized, place: { cursor: string | null; attempt: number }): Promise<void> {
  const { settings, conversationId, signal } = target;
  if (place.cursor === null) {
    await poll(target);
    place.cursor = (await target.paint(target.live)).followCursor;
    place.attempt = 0;
    return;
  }
  await readFeed(settings, { conversationId, after: place.cursor, signal }, (change) => {
    place.cursor = change.cursor;
    place.attempt = 0;
    target.apply(change);
  });
}

/** The cursor is of no use, as after SECRET_KEY has changed. */
const isLostPlace = (error: unknown) => isFinal(error) && error.code === 'invalid_cursor';

/** Reads the newest page again and again: for good where nothing else is wanted, else for a while. */
async function poll({ paint, live, pollIntervalMs, signal }: Synchronized): Promise<void> {
  const end = live ? Date.now() + POLLING_MS : Number.POSITIVE_INFINITY;
  while (Date.now() < end) {
    await paint(false);
    await pause(pollIntervalMs, signal);
  }
}

import type { RatingValue } from '../contract/statuses.ts';
import type { MessageRating } from './content.ts';
import { conversationPath, sendJson } from './http.ts';
import type { Settings } from './options.ts';
import { fromWire } from './wire.ts';

/** Options of `rateMessage`. */
export interface RateMessageOptions {
  /** Whether the reply helped. Null removes the rating. */
  readonly rating: RatingValue | null;
  /** At most 2,000 characters. Replaces an earlier comment, even if it is left out. */
  readonly comment?: string | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Rates a reply. Resolves with its rating, or undefined if the rating was removed. @throws {ParleyError} */
export async function rateMessage(
  settings: Settings,
  conversationId: string,
  messageId: number | string,
  { rating, comment, signal }: RateMessageOptions,
): Promise<MessageRating | undefined> {
  const path = conversationPath(conversationId, 'messages', messageId, 'rating');
  const wire = await sendJson<{ readonly rating?: object }>(settings, {
    method: 'PUT',
    path,
    body: { rating, comment },
    signal,
  });
  return fromWire(wire.rating);
}

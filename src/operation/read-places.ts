import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { addressKey } from '../domain/access/rate-limits.ts';
import type { Exchange } from './exchange.ts';

/** A place that is free so soon needs no timer. */
const SHORT_MS = 100;

interface Places {
  taken: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits the reads of strangers that are in memory at the same time, by IP address: from the execution until the client has
 * read the response, and longer after a large one, by its size. Further ones wait, so clients of one address share its
 * places. Without this, a client that reads nothing could fill the memory with the same long conversation, and one that
 * reads it again and again would hold up all others.
 */
export class ReadPlaces {
  readonly #places = new Map<string, Places>();
  readonly #entered = new WeakSet<Exchange>();

  /**
   * Takes a place until the response of the request has ended. A request takes only one.
   * @throws {ServiceError} rate_limited
   */
  async enter(exchange: Exchange): Promise<void> {
    if (this.#entered.has(exchange)) return;
    this.#entered.add(exchange);
    const key = addressKey(exchange.address);
    const places = this.#places.get(key) ?? { taken: 0, waiting: [] };
    this.#places.set(key, places);
    if (places.taken < LIMITS.strangerReads) places.taken += 1;
    else await this.#wait(places);
    exchange.onEnd((size) => {
      const heldMs = (size / LIMITS.strangerReadBytesPerSecond) * 1_000;
      if (heldMs < SHORT_MS) this.#leave(key, places);
      else setTimeout(() => this.#leave(key, places), heldMs).unref();
    });
  }

  /** The one that leaves hands over its place. */
  #wait({ waiting }: Places): Promise<void> {
    if (waiting.length >= LIMITS.strangerReadsWaiting) throw tooMany();
    return new Promise((resolve, reject) => {
      const refuse = () => {
        waiting.splice(waiting.indexOf(take), 1);
        reject(tooMany());
      };
      const timer = setTimeout(refuse, LIMITS.strangerReadSeconds * 1_000);
      const take = () => {
        clearTimeout(timer);
        resolve();
      };
      waiting.push(take);
    });
  }

  #leave(key: string, places: Places): void {
    const next = places.waiting.shift();
    if (next) {
      next();
      return;
    }
    places.taken -= 1;
    if (places.taken === 0) this.#places.delete(key);
  }
}

function tooMany(): ServiceError {
  const message = 'Your address reads too much at the same time. Read the responses first, or request smaller pages.';
  return new ServiceError('rate_limited', message, { retryAfterMs: 1_000 });
}

import { LIMITS } from '../contract/limits.ts';
import { AddressPlaces } from './address-places.ts';
import type { Exchange } from './exchange.ts';

/**
 * Limits the reads of strangers that are in memory at the same time, by IP address: from the execution until the client has
 * read the response, and longer after a large one. Without this, a client that reads nothing could fill the memory with the
 * same long conversation, and one that reads it again and again would hold up all others.
 */
export class ReadPlaces {
  readonly #places = new AddressPlaces(
    () => ({ places: LIMITS.strangerReads, bytesPerSecond: LIMITS.strangerReadBytesPerSecond }),
    'Your address reads too much at the same time. Read the responses first, or request smaller pages.',
  );
  readonly #entered = new WeakSet<Exchange>();

  /**
   * Takes a place until the response of the request has ended. A request takes only one.
   * @throws {ServiceError} rate_limited
   */
  async enter(exchange: Exchange): Promise<void> {
    if (this.#entered.has(exchange)) return;
    this.#entered.add(exchange);
    exchange.onEnd(await this.#places.enter(exchange.address));
  }
}

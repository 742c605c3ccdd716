import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { formatCount } from '../contract/quantities.ts';
import { addressKey } from '../domain/access/rate-limits.ts';
import type { Caller } from '../domain/caller.ts';

/** Limits the open streams per caller in this process. A stream carries one subscription or several operations. */
export class StreamCaps {
  readonly #open = new Map<string, number>();

  /**
   * Counts a stream. Returns a function to call when the stream closes.
   * @throws {ServiceError} rate_limited
   */
  enter(caller: Caller | undefined, address: string): () => void {
    const isServer = caller?.kind === 'api_key';
    const key = isServer || caller?.kind === 'session' ? caller.id : addressKey(address);
    const most = isServer ? LIMITS.streamsOfKey : LIMITS.streamsOfPerson;
    const count = this.#open.get(key) ?? 0;
    if (count >= most) {
      throw new ServiceError(
        'rate_limited',
        `The maximum of ${formatCount(most)} open streams is reached. Close a stream first.`,
      );
    }
    this.#open.set(key, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#open.get(key) ?? 1) - 1;
      if (left > 0) this.#open.set(key, left);
      else this.#open.delete(key);
    };
  }
}

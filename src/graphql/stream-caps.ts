import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { addressKey } from '../domain/access/rate-limits.ts';
import type { GraphContext } from './context.ts';

/** Counts what callers hold open in this process: subscriptions, and streams that carry several. */
export class StreamCaps {
  readonly #open = new Map<string, number>();

  /**
   * Answers what to call when it is closed.
   * @throws {ServiceError} rate_limited
   */
  enter({ caller, open }: Pick<GraphContext, 'caller' | 'open'>): () => void {
    const isServer = caller?.kind === 'api_key';
    const isKnown = isServer || caller?.kind === 'session';
    const key = isKnown ? caller.id : addressKey(open.request.address);
    const most = isServer ? LIMITS.streamsOfKey : LIMITS.streamsOfPerson;
    const count = this.#open.get(key) ?? 0;
    if (count >= most) {
      throw new ServiceError('rate_limited', `${most} streams are open already. Close one first.`);
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

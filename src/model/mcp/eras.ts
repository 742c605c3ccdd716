import type { PriorDiscovery } from '@modelcontextprotocol/client';
import { BoundedCache, bytesOfJson } from '../../cache/bounded-cache.ts';

/** Short, because a server can be replaced by one with another revision. */
const KNOWN_MS = 10 * 60_000;

interface Known {
  readonly prior: PriorDiscovery;
  /** By `performance.now()`. */
  readonly until: number;
}

/** Remembers which revision of the protocol a server has, so that a call needs no request for it. */
export class Eras {
  readonly #cache = new BoundedCache<Known>('mcpEras');

  get(key: string): PriorDiscovery | undefined {
    const known = this.#cache.get(key);
    return known && known.until > performance.now() ? known.prior : undefined;
  }

  set(key: string, prior: PriorDiscovery): void {
    this.#cache.set(key, { prior, until: performance.now() + KNOWN_MS }, bytesOfJson(prior));
  }

  forget(key: string): void {
    this.#cache.delete(key);
  }
}

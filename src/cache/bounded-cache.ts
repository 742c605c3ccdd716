import { LRUCache } from 'lru-cache';
import { CACHES, type CacheBounds, type CacheName } from '../contract/cache-limits.ts';

/** Bytes of an entry in addition to its key and its value. */
const ENTRY_BYTES = 200;

/**
 * The only form of a cache that lives longer than a request: `CACHES` bounds its entries and bytes. An entry that alone exceeds
 * the bytes is not stored.
 */
export class BoundedCache<Value extends NonNullable<unknown>> {
  readonly #entries: LRUCache<string, Value>;

  constructor(name: CacheName, { maxEntries, maxBytes }: Pick<CacheBounds, 'maxEntries' | 'maxBytes'> = CACHES[name]) {
    this.#entries = new LRUCache({ max: maxEntries, maxSize: maxBytes });
  }

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  /** Stores a value that takes about this many bytes without its key. */
  set(key: string, value: Value, bytes: number): void {
    this.#entries.set(key, value, { size: Math.ceil(2 * key.length + bytes) + ENTRY_BYTES });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}

/** Bytes of a value that is plain data, from its length as JSON. */
export function bytesOfJson(value: unknown): number {
  return bytesOfJsonText(JSON.stringify(value) ?? '');
}

/** The same, if its JSON is at hand. */
export function bytesOfJsonText(text: string): number {
  return 4 * text.length;
}

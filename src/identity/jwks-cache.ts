import type { JWTVerifyGetKey } from 'jose';
import { BoundedCache } from '../cache/bounded-cache.ts';
import { LIMITS } from '../contract/limits.ts';

/** How long keys are used before they are read again. A key that its owner removes works this long. */
const FRESH_MS = 5 * 60_000;

/** How long keys are used if they cannot be read again. */
const STALE_MS = 60 * 60_000;

/** The minimum interval between requests that a failure or an unknown key causes, so that strangers cannot cause more. */
const COOL_DOWN_MS = 15_000;

interface Keys {
  readonly find: JWTVerifyGetKey;
  readonly readAt: number;
}

interface Entry {
  keys: Keys | undefined;
  /** Until then, no failure and no unknown key causes a request. */
  quietUntil: number;
  /** Requests at the same time wait for the same reply. */
  loading: Promise<Keys | undefined> | undefined;
}

/** Public keys by their URL. Environments share them, because they contain no secret. */
export class JwksCache {
  readonly #load: (url: string) => Promise<JWTVerifyGetKey>;
  readonly #monotonicMs: () => number;
  readonly #entries = new BoundedCache<Entry>('issuerKeys');

  constructor(load: (url: string) => Promise<JWTVerifyGetKey>, monotonicMs: () => number) {
    this.#load = load;
    this.#monotonicMs = monotonicMs;
  }

  /** The keys of a URL. Undefined if they could not be read, now or a short time ago. */
  async keysOf(url: string): Promise<JWTVerifyGetKey | undefined> {
    const entry = this.#entryOf(url);
    if (this.#isYoungerThan(entry.keys, FRESH_MS)) return entry.keys?.find;
    const keys = await this.#refresh(url, entry);
    return (keys ?? (this.#isYoungerThan(entry.keys, STALE_MS) ? entry.keys : undefined))?.find;
  }

  /** Reads the keys again, because `known` does not contain the one of a JWT. Undefined if there is nothing newer. */
  async newerKeysOf(url: string, known: JWTVerifyGetKey): Promise<JWTVerifyGetKey | undefined> {
    const entry = this.#entryOf(url);
    const current = entry.keys?.find;
    if (current && current !== known) return current;
    const keys = await this.#refresh(url, entry);
    if (keys) entry.quietUntil = keys.readAt + COOL_DOWN_MS;
    return keys?.find;
  }

  #refresh(url: string, entry: Entry): Promise<Keys | undefined> {
    if (entry.loading) return entry.loading;
    if (this.#monotonicMs() < entry.quietUntil) return Promise.resolve(undefined);
    entry.loading = this.#load(url)
      .then(
        (find) => {
          entry.keys = { find, readAt: this.#monotonicMs() };
          return entry.keys;
        },
        () => {
          entry.quietUntil = this.#monotonicMs() + COOL_DOWN_MS;
          return undefined;
        },
      )
      .finally(() => {
        entry.loading = undefined;
      });
    return entry.loading;
  }

  #isYoungerThan(keys: Keys | undefined, ageMs: number): boolean {
    return keys !== undefined && this.#monotonicMs() - keys.readAt < ageMs;
  }

  #entryOf(url: string): Entry {
    const known = this.#entries.get(url);
    if (known) return known;
    const entry: Entry = { keys: undefined, quietUntil: Number.NEGATIVE_INFINITY, loading: undefined };
    // Only configured URLs get here. The keys come later.
    this.#entries.set(url, entry, LIMITS.jwksBytes);
    return entry;
  }
}

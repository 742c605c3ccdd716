/** Characters of the texts whose compiled form is cached. A compiled text takes about 100 bytes per character. */
const MAX_TEXT = 1024 * 1024;

interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
}

/** The compiled forms that were used last, bounded by the length of their texts. */
export class CompiledCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  #size = 0;

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    // The last entry of a map is the one that was set last.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: Value, { length }: string): void {
    // An empty text takes memory too.
    const size = length + 1_000;
    this.delete(key);
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= MAX_TEXT || oldest === key) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}

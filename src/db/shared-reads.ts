/** A value that JSON writes without loss: equal texts mean equal values. */
export type SharedValue = string | number | boolean | null | Date | readonly string[] | Ids;

/**
 * The IDs of `WHERE id = ANY (${ids})`. Reads that differ only in their IDs become one. Each gets the rows with its own IDs,
 * so the rows need their column `id`.
 */
export class Ids {
  readonly ids: readonly string[];

  constructor(ids: readonly string[]) {
    this.ids = ids;
  }
}

/** Limit: IDs of one statement. */
const MAX_IDS = 1_000;

type Send = (values: unknown[]) => Promise<object[]>;

interface Pending {
  readonly values: unknown[];
  /** Where the IDs are among the values. -1: the read has no IDs. */
  readonly at: number;
  readonly ids: Set<string>;
  readonly send: Send;
  readonly rows: PromiseWithResolvers<object[]>;
}

/**
 * Reads that concurrent requests share. Equal reads of one turn of the event loop become one statement. It is sent after the
 * last of them was requested, so its snapshot is as new as that of a statement for each. No result is kept.
 */
export class SharedReads {
  #pending = new Map<string, Pending>();

  /** The rows of a read. `kind` identifies the text and the scope. Callers must not change the rows. */
  async rows(kind: string, values: readonly unknown[], send: Send): Promise<object[]> {
    const at = values.findIndex((value) => value instanceof Ids);
    const own = at < 0 ? [] : (values[at] as Ids).ids;
    const key = JSON.stringify([kind, at < 0 ? values : values.with(at, null)]);
    const pending = this.#join(key, own) ?? this.#add(key, { values: [...values], at, send });
    for (const id of own) pending.ids.add(id);
    const rows = await pending.rows.promise;
    if (pending.ids.size <= own.length) return rows;
    return (rows as { readonly id: string }[]).filter(({ id }) => own.includes(id));
  }

  #join(key: string, own: readonly string[]): Pending | undefined {
    const pending = this.#pending.get(key);
    return pending && pending.ids.size + own.length <= MAX_IDS ? pending : undefined;
  }

  #add(key: string, parts: Pick<Pending, 'values' | 'at' | 'send'>): Pending {
    const pending: Pending = { ...parts, ids: new Set(), rows: withResolvers() };
    this.#pending.set(key, pending);
    // Runs after the requests that have arrived.
    setImmediate(() => this.#send(key, pending));
    return pending;
  }

  #send(key: string, { values, at, ids, send, rows }: Pending): void {
    // A full one has been replaced.
    if (this.#pending.get(key)?.rows === rows) this.#pending.delete(key);
    if (at >= 0) values[at] = [...ids];
    send(values).then(rows.resolve, rows.reject);
  }
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers<T>(): PromiseWithResolvers<T> {
  let [resolve, reject]: [PromiseWithResolvers<T>['resolve'], PromiseWithResolvers<T>['reject']] = [() => {}, () => {}];
  const promise = new Promise<T>((...functions) => {
    [resolve, reject] = functions;
  });
  return { promise, resolve, reject };
}

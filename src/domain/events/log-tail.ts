import type { PubSub } from '../../db/pub-sub.ts';
import { Tail, type TailRead } from '../../db/tail.ts';
import { BATCH, type OrderedBatch, type OrderedRow } from './order.ts';
import { advance, hasSeen, isBefore, isSame, type LogPosition } from './position.ts';

/** An item, and the position after it. */
export interface TailItem<Item> {
  readonly item: Item;
  readonly position: LogPosition;
}

/** The next items after a position, and the position to continue from. */
export interface TailBatch<Item> {
  readonly items: readonly TailItem<Item>[];
  /** The items without their positions. */
  readonly values: readonly Item[];
  readonly position: LogPosition;
}

/** How a tail reads rows and converts them to items. */
export interface LogSource<Row, Item> {
  read(from: LogPosition): Promise<OrderedBatch<Row>>;
  toItem(row: Row, position: LogPosition): Item;
}

interface CachedRow<Row, Item> extends TailItem<Item> {
  readonly row: Row;
}

/**
 * Caches the latest rows in transaction order: the gap-free range (start, end]. Readers with a position in that range are
 * served from the cache and share its items.
 */
export class LogTail<Row extends OrderedRow, Item> extends Tail {
  readonly #source: LogSource<Row, Item>;
  readonly #catchingUp = new Map<string, Promise<OrderedBatch<Row>>>();
  #cached: CachedRow<Row, Item>[] = [];
  #start: LogPosition;
  #end: LogPosition;
  /** The latest batch from the cache: most subscribers are at the same position, and share it. */
  #latest: { readonly from: LogPosition; readonly batch: TailBatch<Item> } | undefined;

  constructor(pubSub: PubSub, topics: readonly string[], from: LogPosition, source: LogSource<Row, Item>) {
    super(pubSub, topics);
    this.#source = source;
    // Rows in the snapshot of one subscriber may be new for another.
    this.#start = { ...from, snapshot: null };
    this.#end = this.#start;
  }

  /** Returns the items after a position, or no items if the tail has not read that far. Cached items come at once. */
  read(from: LogPosition): TailBatch<Item> | Promise<TailBatch<Item>> {
    this.requireReadable();
    return isBefore(from, this.#start) ? this.#readBefore(from) : this.#cachedAfter(from);
  }

  async #readBefore(from: LogPosition): Promise<TailBatch<Item>> {
    let position = from;
    while (isBefore(position, this.#start)) {
      const batch = await this.#catchUp(position);
      const items = batch.rows.map(({ row, position: after }) => ({
        item: this.#source.toItem(row, after),
        position: after,
      }));
      if (items.length > 0) return batchOf(items, batch.position);
      if (!isBefore(position, batch.position)) return batchOf(items, position);
      position = batch.position;
    }
    return this.#cachedAfter(position);
  }

  protected async readNext(): Promise<TailRead> {
    const { rows, position, isHeldBack: heldBack } = await this.#source.read(this.#end);
    this.#end = position;
    this.#latest = undefined;
    for (const one of rows) this.#cached.push({ ...one, item: this.#source.toItem(one.row, one.position) });
    const dropped = this.#cached.splice(0, Math.max(0, this.#cached.length - BATCH));
    this.#start = dropped.at(-1)?.position ?? this.#start;
    return { hasNewRows: rows.length > 0, hasMore: rows.length === BATCH, isHeldBack: heldBack };
  }

  #cachedAfter(from: LogPosition): TailBatch<Item> {
    if (!this.#latest || !isSame(from, this.#latest.from)) this.#latest = { from, batch: this.#batchAfter(from) };
    return this.#latest.batch;
  }

  #batchAfter(from: LogPosition): TailBatch<Item> {
    const { length } = this.#cached;
    let first = length;
    while (first > 0 && isBefore(from, this.#cached[first - 1]?.position ?? from)) first -= 1;
    const items: TailItem<Item>[] = [];
    let position = from;
    for (let index = first; index < length; index += 1) {
      const { row, item, position: at } = this.#cached[index] as CachedRow<Row, Item>;
      if (hasSeen(from, at.xid)) continue;
      position = advance(position, at.xid, at.id);
      items.push({ item: position.snapshot === null ? item : this.#source.toItem(row, position), position });
    }
    if (isBefore(position, this.#end)) position = advance(position, this.#end.xid, this.#end.id);
    return batchOf(items, position);
  }

  /** Reads for positions before the cache. Readers at the same position share one query. */
  #catchUp(from: LogPosition): Promise<OrderedBatch<Row>> {
    const key = `${from.xid} ${from.id} ${from.snapshot}`;
    const pending = this.#catchingUp.get(key);
    if (pending) return pending;
    const reading = this.#source.read(from).finally(() => this.#catchingUp.delete(key));
    this.#catchingUp.set(key, reading);
    return reading;
  }
}

function batchOf<Item>(items: readonly TailItem<Item>[], position: LogPosition): TailBatch<Item> {
  return { items, values: items.map(({ item }) => item), position };
}

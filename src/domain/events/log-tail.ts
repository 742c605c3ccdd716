import type { Live } from '../../db/live.ts';
import { type Look, Tail } from '../../db/tail.ts';
import { BATCH, type OrderedBatch, type OrderedRow } from './order.ts';
import { advance, isBefore, type LogPosition, saw } from './position.ts';

/** What is told of a row, and the position of a reader who has it. */
export interface ToldRow<Item> {
  readonly item: Item;
  readonly position: LogPosition;
}

/** The next of them behind a position, and where to read on. */
export interface ToldBatch<Item> {
  readonly told: readonly ToldRow<Item>[];
  readonly position: LogPosition;
}

/** What a tail reads. */
export interface LogSource<Row, Item> {
  read(from: LogPosition): Promise<OrderedBatch<Row>>;
  tell(row: Row, position: LogPosition): Item;
}

interface Kept<Row, Item> extends ToldRow<Item> {
  readonly row: Row;
}

/**
 * The last rows in the order of transactions, as (start, end] of it without a gap: who stands in between is answered
 * from here, and gets the same items as everybody else.
 */
export class LogTail<Row extends OrderedRow, Item> extends Tail {
  readonly #source: LogSource<Row, Item>;
  readonly #catchingUp = new Map<string, Promise<OrderedBatch<Row>>>();
  #kept: Kept<Row, Item>[] = [];
  #start: LogPosition;
  #end: LogPosition;

  constructor(live: Live, topics: readonly string[], from: LogPosition, source: LogSource<Row, Item>) {
    super(live, topics);
    this.#source = source;
    // What one follower's snapshot has seen may be news for another.
    this.#start = { ...from, snapshot: null };
    this.#end = this.#start;
  }

  /** What follows a position; nothing where that is still to be read. */
  async read(from: LogPosition): Promise<ToldBatch<Item>> {
    this.requireReadable();
    let position = from;
    while (isBefore(position, this.#start)) {
      const batch = await this.#catchUp(position);
      const told = batch.placed.map((placed) => ({
        item: this.#source.tell(placed.row, placed.position),
        position: placed.position,
      }));
      if (told.length > 0) return { told, position: batch.position };
      if (!isBefore(position, batch.position)) return { told, position };
      position = batch.position;
    }
    return this.#keptBehind(position);
  }

  protected async look(): Promise<Look> {
    const { placed, position, heldBack } = await this.#source.read(this.#end);
    this.#end = position;
    for (const one of placed) this.#kept.push({ ...one, item: this.#source.tell(one.row, one.position) });
    const dropped = this.#kept.splice(0, Math.max(0, this.#kept.length - BATCH));
    this.#start = dropped.at(-1)?.position ?? this.#start;
    return { hasNews: placed.length > 0, hasMore: placed.length === BATCH, isHeldBack: heldBack };
  }

  #keptBehind(from: LogPosition): ToldBatch<Item> {
    let first = this.#kept.length;
    while (first > 0 && isBefore(from, this.#kept[first - 1]?.position ?? from)) first -= 1;
    const told: ToldRow<Item>[] = [];
    let position = from;
    for (const { row, item, position: at } of this.#kept.slice(first)) {
      if (saw(from, at.xid)) continue;
      position = advance(position, at.xid, at.id);
      told.push({ item: position.snapshot === null ? item : this.#source.tell(row, position), position });
    }
    if (isBefore(position, this.#end)) position = advance(position, this.#end.xid, this.#end.id);
    return { told, position };
  }

  /** Who is behind what is kept reads by themselves; those at the same place together. */
  #catchUp(from: LogPosition): Promise<OrderedBatch<Row>> {
    const key = `${from.xid} ${from.id} ${from.snapshot}`;
    const known = this.#catchingUp.get(key);
    if (known) return known;
    const reading = this.#source.read(from).finally(() => this.#catchingUp.delete(key));
    this.#catchingUp.set(key, reading);
    return reading;
  }
}

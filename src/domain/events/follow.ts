import { Wakes } from '../../db/wakes.ts';
import type { Context } from '../context.ts';
import { eventTopic } from './append.ts';
import { type PlacedEvent, readBatch } from './batch.ts';
import { type CheckedFilter, checkFilter, type EventFilter } from './filter.ts';
import { type LogPosition, type PositionCodec, positionCodec, positionOfSnapshot } from './position.ts';
import { currentSnapshot, type LoggedEvent } from './reads.ts';

/** An event as a follower gets it. */
export interface AppendedEvent {
  readonly event: LoggedEvent;
  /** Where the next follower goes on behind it. */
  readonly cursor: string;
}

/** First wait for a transaction that holds events back; nobody tells when one ends that wrote no event. */
const HELD_BACK_MS = 10;

/**
 * Follows the log: everything behind `after`, then each event as it commits, every one once and in one order for all
 * (WIRE 10). Without `after` it begins now.
 * @throws {ServiceError} invalid_request, or invalid_cursor where `after` is of another environment or filter
 */
export async function followEvents(
  ctx: Context,
  { after, ...filter }: EventFilter & { readonly after?: string | null | undefined },
): Promise<AsyncIterableIterator<AppendedEvent>> {
  const checked = checkFilter(filter);
  const codec = positionCodec(ctx, checked);
  const position = after == null ? positionOfSnapshot(await currentSnapshot(ctx.db)) : codec.decode(after);
  return new Follower(ctx, checked, codec, position);
}

const ENDED: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Not a generator: its `return` would wait for the event that is being waited for. */
class Follower implements AsyncIterableIterator<AppendedEvent> {
  readonly #ctx: Context;
  readonly #filter: CheckedFilter;
  readonly #codec: PositionCodec;
  readonly #wakes: Wakes;
  #position: LogPosition;
  #ready: PlacedEvent[] = [];
  #heldBackMs = HELD_BACK_MS;
  #ended = false;
  #release: (() => void) | undefined;
  /** Calls of `next` are answered one after another. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ctx: Context, filter: CheckedFilter, codec: PositionCodec, position: LogPosition) {
    this.#ctx = ctx;
    this.#filter = filter;
    this.#codec = codec;
    this.#position = position;
    this.#wakes = new Wakes(ctx.services.live, eventTopic(ctx.environment.id));
  }

  next(): Promise<IteratorResult<AppendedEvent, undefined>> {
    const turn = this.#turn.then(() => this.#answer());
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#end();
    return ENDED;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next event, or the end as soon as there is one, also while the database is being asked. */
  #answer(): Promise<IteratorResult<AppendedEvent, undefined>> {
    if (this.#ended) return Promise.resolve(ENDED);
    return new Promise((resolve, reject) => {
      this.#release = () => resolve(ENDED);
      this.#advance().then(resolve, (error: unknown) => {
        this.#end();
        reject(error);
      });
    });
  }

  async #advance(): Promise<IteratorResult<AppendedEvent, undefined>> {
    while (!this.#ended) {
      const next = this.#ready.shift();
      if (next) return { done: false, value: { event: next.event, cursor: this.#codec.encode(next.position) } };
      await this.#read();
    }
    return ENDED;
  }

  /** Reads the next batch, or waits where there is none. */
  async #read(): Promise<void> {
    const { events, position, heldBack } = await readBatch(this.#ctx, this.#position, this.#filter);
    this.#position = position;
    this.#ready = [...events];
    if (events.length > 0) this.#heldBackMs = HELD_BACK_MS;
    else if (heldBack) {
      await this.#wakes.wait(this.#heldBackMs);
      this.#heldBackMs *= 2;
    } else await this.#wakes.wait();
  }

  #end(): void {
    this.#ended = true;
    this.#ready = [];
    this.#wakes.close();
    this.#release?.();
  }
}

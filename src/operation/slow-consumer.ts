import type { GraphQLError } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import type { Sink } from '../domain/events/follower.ts';
import type { Log } from '../domain/telemetry.ts';
import { graphqlError, wireError } from './errors.ts';
import type { Results, StreamItem } from './subscription-results.ts';

/** How long a subscriber can leave an item unread. */
const TIMEOUT_MS = 30_000;

/** How often unread feeds are checked. */
const SWEEP_MS = 1_000;

interface Subscriber {
  readonly log: Log;
  readonly requestId: string;
}

/** The feeds with an unread item. One timer serves all of them: a timer of each would cost as much as a delivery. */
const unread = new Set<SlowConsumerGuard>();
let timer: NodeJS.Timeout | undefined;

function watch(guard: SlowConsumerGuard): void {
  unread.add(guard);
  timer ??= setInterval(sweep, SWEEP_MS).unref();
}

function sweep(): void {
  const now = performance.now();
  for (const guard of unread) guard.check(now);
  if (unread.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

/**
 * Interrupts a feed whose subscriber does not read it, so that the service stops loading events for it. If the subscriber
 * reads again later, its last item is an error with the cursor to resume from.
 */
export function dropWhenSlow(source: Results, subscriber: Subscriber): Results {
  return new SlowConsumerGuard(source, subscriber);
}

class SlowConsumerGuard implements Results, Sink<StreamItem> {
  readonly #source: Results;
  readonly #subscriber: Subscriber;
  #state: 'open' | 'dropped' | 'reported' = 'open';
  #cursor: string | undefined;
  #deliveredMs = Number.POSITIVE_INFINITY;
  #sink: Sink<StreamItem> | undefined;

  constructor(source: Results, subscriber: Subscriber) {
    this.#source = source;
    this.#subscriber = subscriber;
  }

  get isResumable(): boolean {
    return this.#source.isResumable === true;
  }

  get isInterrupted(): boolean {
    return this.#state === 'open' ? this.#source.isInterrupted === true : this.isResumable;
  }

  async next(): Promise<IteratorResult<StreamItem, undefined>> {
    this.#deliveredMs = Number.POSITIVE_INFINITY;
    if (this.#state === 'dropped') {
      this.#state = 'reported';
      return { done: false, value: { result: { errors: [tooSlow(this.#subscriber, this.#cursor)] } } };
    }
    const item = await this.#source.next();
    if (item.done) {
      unread.delete(this);
      return item;
    }
    this.#cursor = item.value.cursor;
    this.#deliveredMs = performance.now();
    watch(this);
    return item;
  }

  flow(sink: Sink<StreamItem>): (() => void) | undefined {
    this.#sink = sink;
    const resume = this.#source.flow?.(this);
    return (
      resume &&
      (() => {
        this.#deliveredMs = Number.POSITIVE_INFINITY;
        if (this.#state === 'open') return resume();
        if (this.#state === 'reported') return;
        this.#state = 'reported';
        sink.push({ result: { errors: [tooSlow(this.#subscriber, this.#cursor)] } });
        sink.end();
      })
    );
  }

  push(item: StreamItem): boolean {
    this.#cursor = item.cursor;
    if (this.#sink?.push(item)) return true;
    this.#deliveredMs = performance.now();
    watch(this);
    return false;
  }

  end(): void {
    unread.delete(this);
    this.#sink?.end();
  }

  fail(error: unknown): void {
    unread.delete(this);
    this.#sink?.fail(error);
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    unread.delete(this);
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Called in intervals. Only then, a feed without an unread item leaves the set: most feeds read at once. */
  check(now: number): void {
    const unreadMs = now - this.#deliveredMs;
    if (unreadMs < 0 || unreadMs >= TIMEOUT_MS) unread.delete(this);
    if (unreadMs < TIMEOUT_MS) return;
    this.#state = 'dropped';
    const { log, requestId } = this.#subscriber;
    log.info({ request_id: requestId }, 'closed a subscription, because its subscriber is too slow');
    void this.#source.return?.();
  }
}

function tooSlow(subscriber: Subscriber, cursor: string | undefined): GraphQLError {
  const message = 'The client did not read the stream in time. Subscribe again and send this cursor as `after`.';
  const error = new ServiceError('unavailable', message, { facts: { cursor: cursor ?? null } });
  return graphqlError(wireError(error, subscriber));
}

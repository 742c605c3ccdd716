import type { ExecutionResult } from 'graphql';
import type { Services } from '../domain/context.ts';
import type { GraphContext } from './context.ts';
import { wireError } from './errors.ts';
import { told } from './mask.ts';

export type Results = AsyncIterableIterator<ExecutionResult, undefined>;

const RESULTS: unique symbol = Symbol('results');

/** A result that stands for those of a subscription: the server hands it on without wrapping them. */
export function standingFor(results: Results): ExecutionResult {
  return Object.defineProperty({}, RESULTS, { value: results });
}

/** The results that one stands for. */
export function openResults(result: unknown): Results | undefined {
  return (result as { readonly [RESULTS]?: Results } | undefined)?.[RESULTS];
}

/** Who takes the results of a subscription away from the server that has opened it. */
export interface TakenResults {
  results?: Results;
}

/** What of a request is kept while its subscription is open. */
export interface Reader {
  readonly services: Services;
  readonly requestId: string;
  /** How far its reader is. */
  feedCursor: string | undefined;
}

/** How a subscription's events become results, and what is to be done at its end. */
interface Telling {
  tell(event: unknown): Promise<ExecutionResult>;
  close(): void;
}

const ENDED: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The results of a subscription. A fault of the source is the last of them, since nothing behind this tells of it. */
export class SubscriptionResults implements Results {
  readonly #source: AsyncIterator<unknown>;
  readonly #reader: Reader;
  readonly #telling: Telling;
  #isOver = false;

  constructor(source: AsyncIterator<unknown>, reader: Reader, telling: Telling) {
    this.#source = source;
    this.#reader = reader;
    this.#telling = telling;
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    if (this.#isOver) return ENDED;
    try {
      const { done, value: event } = await this.#source.next();
      if (done) return this.#end();
      const value = await this.#telling.tell(event);
      this.#reader.feedCursor = cursorOf(event);
      return { done: false, value };
    } catch (error) {
      this.#end();
      const { services, requestId } = this.#reader;
      return { done: false, value: { errors: [told(wireError(error, { log: services.log, requestId }))] } };
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#end();
    await this.#source.return?.();
    return ENDED;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(): IteratorReturnResult<undefined> {
    if (!this.#isOver) this.#telling.close();
    this.#isOver = true;
    return ENDED;
  }
}

/** How far the reader of a feed is with an event; other subscriptions cannot be resumed. */
export function cursorOf(event: unknown): string | undefined {
  return (event as { readonly cursor?: string } | undefined)?.cursor;
}

export function readerOf({ services, requestId }: GraphContext): Reader {
  return { services, requestId, feedCursor: undefined };
}

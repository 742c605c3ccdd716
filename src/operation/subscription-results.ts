import type { ExecutionResult, GraphQLError } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import type { Flowing, Sink } from '../domain/events/follower.ts';

/** One result of a stream. Subscribers that share an execution share the item. */
export interface StreamItem {
  readonly result: ExecutionResult;
  /** Where a subscription can resume after this result. Only feeds have cursors. */
  readonly cursor?: string | undefined;
  /** The item as a server-sent event, encoded by its first subscriber for all of them. */
  sentEvent?: Buffer;
  /** The item as a part of a multipart response, encoded in the same way. */
  multipartPart?: Buffer;
}

export interface Results extends AsyncIterableIterator<StreamItem, undefined> {
  /** Pushes the items, without a promise for each. Undefined if the source cannot push. Replaces calls of `next`. */
  flow?(sink: Sink<StreamItem>): (() => void) | undefined;
}

/** Turns any error into the error that the client receives. */
export type Describe = (error: unknown) => GraphQLError;

interface Steps {
  /** Executes the operation for an event of the source. */
  execute(event: unknown): StreamItem | Promise<StreamItem>;
  readonly describe: Describe;
  close(): void;
}

const ENDED: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The results of a subscription. If its source fails, the error is the last result. */
export class SubscriptionResults implements Results, Sink<unknown> {
  readonly #source: AsyncIterator<unknown>;
  readonly #steps: Steps;
  #isEnded = false;
  #isRevoked = false;
  #sink: Sink<StreamItem> | undefined;
  #resume: (() => void) | undefined;

  constructor(source: AsyncIterator<unknown>, steps: Steps) {
    this.#source = source;
    this.#steps = steps;
  }

  async next(): Promise<IteratorResult<StreamItem, undefined>> {
    if (this.#isEnded) return ENDED;
    try {
      const { done, value: event } = await this.#source.next();
      if (this.#isRevoked) throw revoked();
      if (done) return this.#end();
      const item = this.#steps.execute(event);
      return { done: false, value: item instanceof Promise ? await item : item };
    } catch (error) {
      this.#end();
      return { done: false, value: { result: { errors: [this.#steps.describe(error)] } } };
    }
  }

  flow(sink: Sink<StreamItem>): (() => void) | undefined {
    const source = this.#source as Partial<Flowing<unknown>>;
    if (!source.flow) return undefined;
    this.#sink = sink;
    this.#resume = source.flow(this);
    return this.#resume;
  }

  push(event: unknown): boolean {
    try {
      if (this.#isRevoked) throw revoked();
      const item = this.#steps.execute(event);
      if (!(item instanceof Promise)) return this.#sink?.push(item) ?? false;
      item.then(
        (executed) => {
          if (this.#sink?.push(executed)) this.#resume?.();
        },
        (error: unknown) => this.fail(error),
      );
    } catch (error) {
      this.fail(error);
    }
    return false;
  }

  end(): void {
    if (this.#isRevoked) {
      this.fail(revoked());
    } else {
      this.#end();
      this.#sink?.end();
    }
  }

  fail(error: unknown): void {
    this.#end();
    this.#sink?.push({ result: { errors: [this.#steps.describe(error)] } });
    this.#sink?.end();
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#end();
    await this.#source.return?.();
    return ENDED;
  }

  /** Ends the subscription with an error, because its credential has expired or was revoked. */
  revoke(): void {
    this.#isRevoked = true;
    this.#source.return?.().catch(() => {});
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(): IteratorReturnResult<undefined> {
    if (!this.#isEnded) this.#steps.close();
    this.#isEnded = true;
    return ENDED;
  }
}

function revoked(): ServiceError {
  return new ServiceError('unauthorized', 'The credential of this stream is no longer valid.');
}

/** The cursor of a feed's event. */
export function cursorOf(event: unknown): string | undefined {
  return (event as { readonly cursor?: string } | undefined)?.cursor;
}

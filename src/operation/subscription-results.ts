import type { ExecutionResult, GraphQLError } from 'graphql';
import { ServiceError } from '../contract/errors.ts';

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

export type Results = AsyncIterableIterator<StreamItem, undefined>;

/** Turns any error into the error that the client receives. */
export type Describe = (error: unknown) => GraphQLError;

interface Steps {
  /** Executes the operation for an event of the source. */
  execute(event: unknown): Promise<StreamItem>;
  readonly describe: Describe;
  close(): void;
}

const ENDED: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The results of a subscription. If its source fails, the error is the last result. */
export class SubscriptionResults implements Results {
  readonly #source: AsyncIterator<unknown>;
  readonly #steps: Steps;
  #isEnded = false;
  #isRevoked = false;

  constructor(source: AsyncIterator<unknown>, steps: Steps) {
    this.#source = source;
    this.#steps = steps;
  }

  async next(): Promise<IteratorResult<StreamItem, undefined>> {
    if (this.#isEnded) return ENDED;
    try {
      const { done, value: event } = await this.#source.next();
      if (this.#isRevoked) throw new ServiceError('unauthorized', 'The credential of this stream is no longer valid.');
      if (done) return this.#end();
      return { done: false, value: await this.#steps.execute(event) };
    } catch (error) {
      this.#end();
      return { done: false, value: { result: { errors: [this.#steps.describe(error)] } } };
    }
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

/** The cursor of a feed's event. */
export function cursorOf(event: unknown): string | undefined {
  return (event as { readonly cursor?: string } | undefined)?.cursor;
}

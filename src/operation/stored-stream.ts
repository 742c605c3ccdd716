import type { ExecutionResult } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import { type Claimed, restoredResult, type StoredResponse, storedResult } from './idempotency.ts';
import type { OperationPlan } from './plan.ts';
import type { Describe, Results } from './subscription-results.ts';

type Claim = Extract<Claimed, { kind: 'claim' }>;

const ENDED: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Stores the results of a complete stream with its idempotency key. If the client disconnects, it can send the request again. */
export function storeStream(
  source: Results,
  claim: Claim,
  about: Pick<StoredResponse, 'requestId' | 'scopes'> & { readonly describe: Describe },
): Results {
  const { requestId, scopes, describe } = about;
  const received: ExecutionResult[] = [];
  let isEnded = false;
  const settleOnce = async (settle: () => Promise<void>) => {
    if (isEnded) return;
    isEnded = true;
    await settle();
  };
  const results: Results = {
    async next() {
      const next = await source.next();
      if (!next.done) {
        const { result } = next.value;
        received.push(result);
        const [error] = result.errors ?? [];
        if (error) await settleOnce(() => claim.release(error));
      } else {
        await settleOnce(() =>
          claim.end({ kind: 'stream', requestId, scopes, results: joinDeltas(received).map(storedResult) }),
        );
      }
      return next;
    },
    async return() {
      await source.return?.();
      await settleOnce(() => claim.release(describe(new ServiceError('unavailable', 'The client closed the stream.'))));
      return ENDED;
    },
    [Symbol.asyncIterator]: () => results,
  };
  return results;
}

/** A piece of a reply, as a document selects it: REST has the word of the event, GraphQL the name. */
interface Delta {
  readonly event: 'delta' | 'DELTA';
  readonly text: string;
}

/** Joins consecutive pieces of a reply, so that a stored stream is about as large as its text. */
function joinDeltas(results: readonly ExecutionResult[]): ExecutionResult[] {
  const joined: ExecutionResult[] = [];
  for (const result of results) {
    const [before, piece] = [deltaOf(joined.at(-1)), deltaOf(result)];
    if (before && piece && before.name === piece.name) {
      const value: Delta = { ...piece.value, text: before.value.text + piece.value.text };
      joined[joined.length - 1] = { data: { [piece.name]: value } };
    } else joined.push(result);
  }
  return joined;
}

function deltaOf(result: ExecutionResult | undefined): { readonly name: string; readonly value: Delta } | undefined {
  const [root, ...others] = Object.entries(result?.data ?? {});
  if (!root || others.length > 0) return undefined;
  const [name, value] = root;
  const { event, text, ...rest } = (value ?? {}) as Partial<Delta>;
  if ((event !== 'delta' && event !== 'DELTA') || typeof text !== 'string' || Object.keys(rest).length > 0)
    return undefined;
  return { name, value: { event, text } };
}

/** Replays a stored stream. */
export function replayStream({ results }: Extract<StoredResponse, { kind: 'stream' }>, plan: OperationPlan): Results {
  const rest = results.values();
  const stream: Results = {
    async next() {
      const { done, value } = rest.next();
      return done ? ENDED : { done: false, value: { result: restoredResult(value, plan) } };
    },
    return: async () => ENDED,
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}

import type { Request } from 'express';
import type { ExecutionResult } from 'graphql';
import type { OperationCost } from '../../operation/document-cost.ts';
import type { Outcome } from '../../operation/outcome.ts';
import type { Results } from '../../operation/subscription-results.ts';

/** The header that requests the cost of an operation in the response's `extensions`. */
const HEADER = 'x-query-cost';

export function requestsCost(request: Request): boolean {
  return request.get(HEADER) === '1';
}

/** Adds the cost to the result of an executed operation, or to the first result of a stream. */
export function withCost(outcome: Outcome, cost: OperationCost): Outcome {
  if (outcome.kind === 'result') return { ...outcome, result: costInResult(outcome.result, cost) };
  return { ...outcome, results: costInFirst(outcome.results, cost) };
}

/** Rejected operations have no data. Their error names the cost if that is the reason. */
function costInResult(result: ExecutionResult, cost: OperationCost): ExecutionResult {
  return result.data ? { ...result, extensions: { ...result.extensions, cost } } : result;
}

function costInFirst(source: Results, cost: OperationCost): Results {
  let isFirst = true;
  const results: Results = {
    async next() {
      const next = await source.next();
      if (next.done || !isFirst) return next;
      isFirst = false;
      // A new item, because other subscribers share this one and its encoded form.
      const { result, cursor } = next.value;
      return { done: false, value: { result: costInResult(result, cost), cursor } };
    },
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => results,
  };
  return results;
}

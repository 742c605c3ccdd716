import type { ExecutionResult, GraphQLError } from 'graphql';
import type { OperationContext } from './context.ts';
import { type Claimed, restoredResult } from './idempotency.ts';
import type { OperationPlan } from './plan.ts';
import { replayStream } from './stored-stream.ts';
import type { Describe, Results } from './subscription-results.ts';

/** The response to an operation. The transport writes it. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: ExecutionResult; readonly requestId: string }
  | { readonly kind: 'stream'; readonly results: Results; readonly requestId: string; readonly describe: Describe };

/** Data that is stored with the first response. */
export function responseMeta({ requestId, caller }: OperationContext) {
  return { requestId, scopes: [...(caller?.scopes ?? [])] };
}

/** A rejected root field looks like a failed field. Other errors have no `data`, because nothing was executed. */
export function rejection({ kind }: OperationPlan, error: GraphQLError): ExecutionResult {
  return error.path && kind !== 'subscription' ? { data: null, errors: [error] } : { errors: [error] };
}

export function replayOutcome(
  { response }: Extract<Claimed, { kind: 'replay' }>,
  plan: OperationPlan,
  describe: Describe,
): Outcome {
  const { requestId } = response;
  if (response.kind === 'result') return { kind: 'result', result: restoredResult(response.result, plan), requestId };
  return { kind: 'stream', results: replayStream(response, plan), requestId, describe };
}

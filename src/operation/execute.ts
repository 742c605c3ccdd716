import { type ExecutionResult, OperationTypeNode } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import { executorOf } from './compile.ts';
import type { OperationContext } from './context.ts';
import type { Variables } from './input.ts';
import { Introspections } from './introspection/introspections.ts';
import type { OperationPlan } from './plan.ts';

/** Options for executing an operation. */
export interface ExecutionRules {
  /** Time limit of a query in milliseconds. */
  readonly timeoutMs: number;
  /** One of the service's own documents. */
  readonly isOwn: boolean;
}

/**
 * Executes a query or mutation with coerced variables. Only queries have a time limit: the caller of a mutation must
 * learn what it changed, and a turn takes as long as its model.
 * @throws {ServiceError} unavailable, after the time limit
 */
export async function executeOperation(
  plan: OperationPlan,
  variables: Variables,
  context: OperationContext,
  { timeoutMs, isOwn }: ExecutionRules,
): Promise<ExecutionResult> {
  const execute = () => executorOf(plan, isOwn)(variables, context);
  if (plan.kind !== OperationTypeNode.QUERY) return execute();
  return withTimeout(
    context,
    timeoutMs,
    plan.isIntrospection ? introspections.resultOf(plan, variables, context, execute) : execute(),
  );
}

const introspections = new Introspections();

/** After the time limit, the request starts no further work. A running SQL statement ends normally. */
function withTimeout<T>(context: OperationContext, limitMs: number, execution: Promise<T> | T): Promise<T> {
  const { services, requestId } = context;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      context.abort();
      services.log.warn({ request_id: requestId }, 'aborted a request that exceeded its time limit');
      const message = `The query took more than ${limitMs / 1_000} s. Request less, or try again later.`;
      reject(new ServiceError('unavailable', message));
    }, limitMs).unref();
    Promise.resolve(execution)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

import { type ExecutionResult, OperationTypeNode } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import { executorOf } from './compile.ts';
import type { OperationContext } from './context.ts';
import type { Variables } from './input.ts';
import { Introspections } from './introspection/introspections.ts';
import type { OperationPlan } from './plan.ts';
import type { Describe } from './subscription-results.ts';

/** Options for executing an operation. */
export interface ExecutionRules {
  /** Time limit of a query in milliseconds. */
  readonly timeoutMs: number;
  /** One of the service's own documents. */
  readonly isOwn: boolean;
  readonly describe: Describe;
}

/**
 * Executes a query or mutation with coerced variables. Only queries have a time limit: the caller of a mutation must
 * learn what it changed, and a turn takes as long as its model. Errors are part of the result.
 */
export async function executeOperation(
  plan: OperationPlan,
  variables: Variables,
  context: OperationContext,
  { timeoutMs, isOwn, describe }: ExecutionRules,
): Promise<ExecutionResult> {
  const execute = () => executorOf(plan, isOwn)(variables, context);
  const query = () => (plan.isIntrospection ? introspections.resultOf(plan, variables, context, execute) : execute());
  try {
    const isQuery = plan.kind === OperationTypeNode.QUERY;
    const result = await (isQuery ? withTimeout(context, timeoutMs, query()) : execute());
    return result.errors ? { ...result, errors: result.errors.map(describe) } : result;
  } catch (error) {
    return { errors: [describe(error)] };
  }
}

const introspections = new Introspections();

/**
 * After the time limit, the request starts no further work. A running SQL statement ends normally.
 * @throws {ServiceError} unavailable, after the time limit
 */
function withTimeout<T>(context: OperationContext, limitMs: number, execution: Promise<T> | T): Promise<T> {
  const { services, requestId } = context;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      context.abort();
      services.process.log.warn({ request_id: requestId }, 'aborted a request that exceeded its time limit');
      const message = `The query took more than ${limitMs / 1_000} s. Request less, or try again later.`;
      reject(new ServiceError('unavailable', message));
    }, limitMs).unref();
    Promise.resolve(execution)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

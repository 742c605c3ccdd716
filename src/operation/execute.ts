import { type ExecutionResult, Kind, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import { executorOf } from './compile.ts';
import type { OperationContext } from './context.ts';
import type { Variables } from './input.ts';
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
  const isCached = isIntrospection(plan);
  const cached = isCached && introspections.get(plan.operation);
  if (cached) return cached;
  const execution = executorOf(plan, isOwn)(variables, context);
  const result = await (plan.kind === OperationTypeNode.QUERY ? withTimeout(context, timeoutMs, execution) : execution);
  if (isCached && !result.errors) introspections.set(plan.operation, result);
  return result;
}

/** Results of introspection, cached by document. The schema never changes while the service runs. */
const introspections = new WeakMap<OperationDefinitionNode, ExecutionResult>();

function isIntrospection({ operation, kind }: OperationPlan): boolean {
  if (kind !== OperationTypeNode.QUERY || operation.variableDefinitions?.length) return false;
  return operation.selectionSet.selections.every(
    (selection) => selection.kind === Kind.FIELD && /^__(schema|type|typename)$/.test(selection.name.value),
  );
}

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

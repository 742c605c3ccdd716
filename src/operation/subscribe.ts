import { createSourceEventStream, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { OperationContext } from './context.ts';
import { watchEnd } from './feed-end.ts';
import type { Variables } from './input.ts';
import type { OperationPlan } from './plan.ts';
import type { SharedExecutions } from './shared-executions.ts';
import { dropWhenSlow } from './slow-consumer.ts';
import { type Describe, type Results, SubscriptionResults } from './subscription-results.ts';

/** An open subscription, or the result of one that failed to open. */
export type Opened =
  | { readonly kind: 'stream'; readonly results: Results }
  | { readonly kind: 'result'; readonly result: ExecutionResult };

/** Dependencies of an open subscription. */
export interface SubscriptionParts {
  readonly executions: SharedExecutions;
  readonly describe: Describe;
  /** Called once, when the subscription ends. */
  readonly leave: () => void;
}

/** Opens a subscription. It ends when its credential ends. A feed also ends at a shutdown or if its subscriber is too slow. */
export async function openSubscription(
  { schema, executable, operation, isFeed }: OperationPlan,
  variableValues: Variables,
  contextValue: OperationContext,
  { executions, describe, leave }: SubscriptionParts,
): Promise<Opened> {
  const operationName = operation.name?.value;
  const args: ExecutionArgs = { schema, document: executable, operationName, variableValues, contextValue };
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) {
    leave();
    return { kind: 'result', result: source };
  }
  const events = source[Symbol.asyncIterator]();
  const execution = executions.join(args, isFeed, describe);
  const closed = contextValue.services.observer.subscriptionOpened();
  const results = new SubscriptionResults(events, {
    execute: execution.run,
    describe,
    close() {
      unwatch();
      execution.leave();
      leave();
      closed();
    },
  });
  // When the credential ends, a feed completes. A reply fails, because a partial reply must not look complete.
  const unwatch = watchEnd(contextValue, isFeed, () => (isFeed ? void events.return?.() : results.revoke()));
  const subscriber = { log: contextValue.services.log, requestId: contextValue.requestId };
  return { kind: 'stream', results: isFeed ? dropWhenSlow(results, subscriber) : results };
}

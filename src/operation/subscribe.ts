import { createSourceEventStream, type ExecutionArgs, type ExecutionResult } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
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

/**
 * Opens a subscription. It ends when its credential ends. A shutdown interrupts a feed, and so does a subscriber that is
 * too slow.
 */
export async function openSubscription(
  { schema, executable, operation, isFeed, isResumable }: OperationPlan,
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
  const closed = contextValue.services.process.observer.subscriptionOpened();
  const results = new SubscriptionResults(events, {
    execute: execution.run,
    describe,
    isResumable,
    close() {
      unwatch();
      execution.leave();
      leave();
      closed();
    },
  });
  const unwatch = watchEnd(contextValue, {
    onCallerEnd(reason) {
      // A partial reply must not look complete.
      if (!isFeed) results.stop(revoked());
      // Its client continues with its current permissions.
      else if (reason === 'changed' && isResumable) results.interrupt();
      else results.complete();
    },
    onDrain: isFeed ? () => (isResumable ? results.interrupt() : results.stop(shuttingDown())) : undefined,
  });
  const subscriber = { log: contextValue.services.process.log, requestId: contextValue.requestId };
  return { kind: 'stream', results: isFeed ? dropWhenSlow(results, subscriber) : results };
}

function revoked(): ServiceError {
  return new ServiceError('unauthorized', 'The credential of this stream is no longer valid.');
}

function shuttingDown(): ServiceError {
  return new ServiceError('unavailable', 'The process of this stream shuts down. Start again from the beginning.');
}

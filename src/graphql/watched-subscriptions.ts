import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, getOperationAST, Kind } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Services } from '../domain/context.ts';
import type { GraphContext } from './context.ts';
import { wireError } from './errors.ts';
import { isFeed, watchEnd } from './feed-end.ts';
import { told } from './mask.ts';
import { readerOf, SubscriptionResults, standingFor } from './open-results.ts';
import { SharedExecutions } from './shared-executions.ts';
import { droppingSlow } from './slow-consumer.ts';
import type { StreamCaps } from './stream-caps.ts';

/** Subscriptions are counted while they are open, and end with the credential that opened them or a reader that is slow. */
export function watchedSubscriptions({ observer, log }: Services, caps: StreamCaps): Plugin<GraphContext> {
  const executions = new SharedExecutions();
  const open = async (args: ExecutionArgs, leave: () => void): Promise<ExecutionResult> => {
    const context = args.contextValue as GraphContext;
    const source = await createSourceEventStream(args);
    // A refused subscription is a plain result, and nothing that stays open.
    if (!(Symbol.asyncIterator in source)) {
      leave();
      return source;
    }
    const events = source[Symbol.asyncIterator]();
    const feed = isOfFeed(args);
    const execution = executions.join(args, feed);
    const ended = observer.subscriptionOpened();
    const unwatch = watchEnd(context, feed, () => void events.return?.());
    const reader = readerOf(context);
    const results = new SubscriptionResults(events, reader, {
      tell: execution.tell,
      close() {
        unwatch();
        execution.leave();
        leave();
        ended();
      },
    });
    return standingFor(feed ? droppingSlow(results, reader) : results);
  };
  return {
    onSubscribe({ args, setSubscribeFn, setResultAndStopExecution }) {
      const context = args.contextValue as GraphContext;
      try {
        const leave = caps.enter(context);
        setSubscribeFn((given: ExecutionArgs) =>
          open(given, leave).catch((error: unknown) => {
            leave();
            throw error;
          }),
        );
      } catch (error) {
        setResultAndStopExecution({ errors: [told(wireError(error, { log, requestId: context.requestId }))] });
      }
    },
  };
}

function isOfFeed({ schema, document, operationName }: ExecutionArgs): boolean {
  const field = getOperationAST(document, operationName)?.selectionSet.selections[0];
  return field?.kind === Kind.FIELD && isFeed(schema.getSubscriptionType()?.getFields()[field.name.value]);
}

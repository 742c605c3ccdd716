import { type ExecutionResult, getOperationAST, Kind } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Services } from '../domain/context.ts';
import type { GraphContext } from './context.ts';
import { wireError } from './errors.ts';
import { endingWithCaller, isFeed } from './feed-end.ts';
import { told } from './mask.ts';
import { toldResults } from './sent-events.ts';
import { droppingSlow } from './slow-consumer.ts';
import type { StreamCaps } from './stream-caps.ts';

/** Subscriptions are counted while they are open, and end with the credential that opened them or a reader that is slow. */
export function watchedSubscriptions({ observer, log }: Services, caps: StreamCaps): Plugin<GraphContext> {
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      const context = args.contextValue as GraphContext;
      let leave = () => {};
      try {
        leave = caps.enter(context);
      } catch (error) {
        setResultAndStopExecution({ errors: [told(wireError(error, { log, requestId: context.requestId }))] });
      }
      return {
        onSubscribeResult: ({ result, setResult }) => {
          // A refused subscription is a plain result, and nothing that stays open.
          if (!(Symbol.asyncIterator in result)) return leave();
          const field = getOperationAST(args.document, args.operationName)?.selectionSet.selections[0];
          const fields = args.schema.getSubscriptionType()?.getFields() ?? {};
          const feed = field?.kind === Kind.FIELD && isFeed(fields[field.name.value]);
          const source = result as AsyncIterableIterator<ExecutionResult>;
          const results = toldResults(endingWithCaller(source, context, feed), context);
          setResult(feed ? droppingSlow(results, context) : results);
          const close = observer.subscriptionOpened();
          return {
            onEnd() {
              leave();
              close();
            },
          };
        },
      };
    },
  };
}

import type { GraphQLField } from 'graphql';
import type { GraphContext } from './context.ts';

/** What a subscription field says of itself: a feed has no end of its own, so a shutdown ends it. */
export interface SubscriptionExtensions extends Readonly<Record<string, unknown>> {
  readonly feed: boolean;
}

export function isFeed(field: GraphQLField<unknown, unknown> | undefined): boolean {
  return (field?.extensions as Partial<SubscriptionExtensions> | undefined)?.feed === true;
}

/**
 * Calls `end` when the credential of an open subscription's caller expires, is revoked or gets another secret; that of a
 * feed also when the process shuts down (WIRE 13). Answers how to stop watching.
 */
export function watchEnd({ caller, services }: GraphContext, feed: boolean, end: () => void): () => void {
  const { callerWatches, openFeeds } = services;
  const unwatch = caller && callerWatches.watch(caller, end);
  if (feed) openFeeds.add(end);
  if (feed && services.draining.aborted) end();
  return () => {
    unwatch?.();
    openFeeds.delete(end);
  };
}

/** Ends a subscription, as if its source had ended, as {@link watchEnd} says. */
export function endingWithCaller<T>(
  source: AsyncIterableIterator<T>,
  context: GraphContext,
  feed: boolean,
): AsyncIterableIterator<T> {
  const stop = watchEnd(context, feed, () => void source.return?.());
  const watched: AsyncIterableIterator<T> = {
    async next() {
      try {
        const result = await source.next();
        if (result.done) stop();
        return result;
      } catch (error) {
        stop();
        throw error;
      }
    },
    async return() {
      stop();
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => watched,
  };
  return watched;
}

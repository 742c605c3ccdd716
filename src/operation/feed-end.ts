import type { GraphQLField } from 'graphql';
import type { OperationContext } from './context.ts';

/** Marks a subscription field as a feed: it never completes, so a graceful shutdown closes it. */
export interface SubscriptionExtensions extends Readonly<Record<string, unknown>> {
  readonly feed: boolean;
}

export function isFeed(field: GraphQLField<unknown, unknown> | undefined): boolean {
  return (field?.extensions as Partial<SubscriptionExtensions> | undefined)?.feed === true;
}

/**
 * Calls `end` when the caller's credential expires, is revoked or rotated, and for a feed also at a graceful shutdown
 * (WIRE 13). Returns a function that stops watching.
 */
export function watchEnd({ caller, services }: OperationContext, feed: boolean, end: () => void): () => void {
  const { callerWatches, openFeeds } = services;
  const unwatch = caller && callerWatches.watch(caller, end);
  if (feed) openFeeds.add(end);
  if (feed && services.draining.aborted) end();
  return () => {
    unwatch?.();
    openFeeds.delete(end);
  };
}

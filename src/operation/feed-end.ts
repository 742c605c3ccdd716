import type { GraphQLField } from 'graphql';
import type { CallerEnd } from '../domain/access/caller-ends.ts';
import type { OperationContext } from './context.ts';

/** Marks a subscription field as a feed: a graceful shutdown does not wait for it. */
export interface SubscriptionExtensions extends Readonly<Record<string, unknown>> {
  readonly feed: boolean;
  /** False if a client cannot continue it where it stopped. */
  readonly resumable?: false;
}

type Field = GraphQLField<unknown, unknown> | undefined;

const extensionsOf = (field: Field) => field?.extensions as Partial<SubscriptionExtensions> | undefined;

export function isFeed(field: Field): boolean {
  return extensionsOf(field)?.feed === true;
}

/** Whether the events of a feed have cursors. */
export function isResumable(field: Field): boolean {
  return isFeed(field) && extensionsOf(field)?.resumable !== false;
}

/** What stops a subscription before its source ends. */
export interface EndListener {
  /** The caller's credential expired, was revoked or rotated, or has other permissions now. */
  onCallerEnd(reason: CallerEnd): void;
  /** This process shuts down. Undefined: the subscription continues until the grace period is over. */
  readonly onDrain: (() => void) | undefined;
}

/** Calls the listener when the subscription has to stop. Returns a function that stops watching. */
export function watchEnd({ caller, services }: OperationContext, { onCallerEnd, onDrain }: EndListener): () => void {
  const { callerWatches, openFeeds } = services.process;
  const unwatch = caller && callerWatches.watch(caller, onCallerEnd);
  if (onDrain) openFeeds.add(onDrain);
  if (onDrain && services.process.draining.aborted) onDrain();
  return () => {
    unwatch?.();
    if (onDrain) openFeeds.delete(onDrain);
  };
}

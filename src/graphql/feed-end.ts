import type { GraphQLField } from 'graphql';
import { credentialTopic, isStillValid } from '../domain/access/caller-ends.ts';
import type { Caller } from '../domain/context.ts';
import type { GraphContext } from './context.ts';

/** What a subscription field says of itself: a feed has no end of its own, so a shutdown ends it. */
export interface SubscriptionExtensions extends Readonly<Record<string, unknown>> {
  readonly feed: boolean;
}

export function isFeed(field: GraphQLField<unknown, unknown> | undefined): boolean {
  return (field?.extensions as Partial<SubscriptionExtensions> | undefined)?.feed === true;
}

/** A lost word of an ended credential heals within this time. */
const CHECK_MS = 15_000;

/** Timers take no longer delay. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Ends a subscription, as if its source had ended, when its caller's credential expires, is revoked or gets another
 * secret; a feed also when the process shuts down (WIRE 13).
 */
export function endingWithCaller<T>(
  source: AsyncIterableIterator<T>,
  { caller, services }: GraphContext,
  feed: boolean,
): AsyncIterableIterator<T> {
  const end = () => void source.return?.();
  const stops = [
    ...(caller ? watchCaller(caller, services, end) : []),
    ...(feed ? [onAbort(services.draining, end)] : []),
  ];
  const stop = () => {
    for (const one of stops.splice(0)) one();
  };
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

/** Answers how to stop watching. */
function watchCaller(caller: Caller, { live, prisma, log }: GraphContext['services'], end: () => void): (() => void)[] {
  const check = () => {
    isStillValid(prisma, caller).then(
      (valid) => valid || end(),
      // Where the database is away, nobody can say that it ended.
      (error: unknown) => log.warn({ err: error }, 'a credential of an open subscription could not be checked'),
    );
  };
  const unlisten = live.listen(credentialTopic(caller.id), check);
  const timer = setInterval(check, CHECK_MS).unref();
  const stops = [unlisten, () => clearInterval(timer)];
  const until = endOf(caller);
  if (!until) return stops;
  const left = Math.min(Math.max(0, until.getTime() - Date.now()), LONGEST_MS);
  const expiry = setTimeout(end, left).unref();
  return [...stops, () => clearTimeout(expiry)];
}

/** When a caller's credential ends by itself. */
function endOf(caller: Caller): Date | undefined {
  if (caller.kind === 'session') return caller.expiresAt;
  return caller.kind === 'anonymous' ? caller.visitor?.until : undefined;
}

function onAbort(signal: AbortSignal, end: () => void): () => void {
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return () => signal.removeEventListener('abort', end);
}

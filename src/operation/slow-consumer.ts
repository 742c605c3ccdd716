import type { GraphQLError } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import type { Log } from '../domain/telemetry.ts';
import { graphqlError, wireError } from './errors.ts';
import type { Results } from './subscription-results.ts';

/** How long a subscriber can leave an item unread. */
const TIMEOUT_MS = 30_000;

interface Subscriber {
  readonly log: Log;
  readonly requestId: string;
}

/**
 * Closes a feed whose subscriber does not read it, so that the service stops loading events for it. If the subscriber
 * reads again later, its last item is an error with the cursor to resume from.
 */
export function dropWhenSlow(source: Results, subscriber: Subscriber, timeoutMs: number = TIMEOUT_MS): Results {
  let timer: NodeJS.Timeout | undefined;
  let state: 'open' | 'dropped' | 'reported' = 'open';
  let cursor: string | undefined;
  const drop = () => {
    state = 'dropped';
    subscriber.log.info(
      { request_id: subscriber.requestId },
      'closed a subscription, because its subscriber is too slow',
    );
    void source.return?.();
  };
  const results: Results = {
    async next() {
      clearTimeout(timer);
      if (state === 'dropped') {
        state = 'reported';
        return { done: false, value: { result: { errors: [tooSlow(subscriber, cursor)] } } };
      }
      const item = await source.next();
      if (item.done) return item;
      cursor = item.value.cursor;
      timer = setTimeout(drop, timeoutMs).unref();
      return item;
    },
    async return() {
      clearTimeout(timer);
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => results,
  };
  return results;
}

function tooSlow(subscriber: Subscriber, cursor: string | undefined): GraphQLError {
  const message = 'The client did not read the stream in time. Subscribe again and send this cursor as `after`.';
  const error = new ServiceError('unavailable', message, { facts: { cursor: cursor ?? null } });
  return graphqlError(wireError(error, subscriber));
}

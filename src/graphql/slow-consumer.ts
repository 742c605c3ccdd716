import type { GraphQLError } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import { graphqlError, wireError } from './errors.ts';
import type { Reader, Results } from './open-results.ts';

/** How long a reader may leave what it was sent untaken. */
const PATIENCE_MS = 30_000;

/**
 * Drops a reader of a feed that does not take what it is sent: nothing is read or kept for it any longer. Should it take
 * up reading after all, the last thing that it is told is the cursor to resume from.
 */
export function droppingSlow(source: Results, reader: Reader, patienceMs: number = PATIENCE_MS): Results {
  let timer: NodeJS.Timeout | undefined;
  let dropped: 'told' | 'untold' | undefined;
  const drop = () => {
    dropped = 'untold';
    reader.services.log.info({ request_id: reader.requestId }, 'a subscription was dropped: its reader was too slow');
    void source.return?.();
  };
  const watched: Results = {
    async next() {
      clearTimeout(timer);
      if (dropped === 'untold') {
        dropped = 'told';
        return { done: false, value: { errors: [tooSlow(reader)] } };
      }
      const result = await source.next();
      if (!result.done) timer = setTimeout(drop, patienceMs).unref();
      return result;
    },
    async return() {
      clearTimeout(timer);
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => watched,
  };
  return watched;
}

function tooSlow({ feedCursor, services, requestId }: Reader): GraphQLError {
  const message = 'What was sent was not taken in time. Subscribe again, after this cursor.';
  const error = new ServiceError('unavailable', message, { facts: { cursor: feedCursor ?? null } });
  return graphqlError(wireError(error, { log: services.log, requestId }));
}

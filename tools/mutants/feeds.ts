import type { Mutant } from './mutant.ts';

const SHARED_STREAM = 'graphql/server/shared-stream.ts';
const INTERRUPTED = 'spec/interrupted-feeds.test.ts';

/** Guards of feeds whose process stops, or that fail. */
export const FEEDS: readonly Mutant[] = [
  {
    name: 'a shutdown completes feeds, so that clients do not come back',
    file: 'graphql/server/stream-results.ts',
    find: 'if (isInterrupted) breakConnection(response);',
    replace: 'if (isInterrupted) response.end(format.end);',
    test: INTERRUPTED,
  },
  {
    name: 'a shutdown ends a feed over REST like a complete response',
    file: 'rest/stream.ts',
    find: 'if (source.isInterrupted?.()) breakConnection(response);',
    replace: 'if (source.isInterrupted?.()) writer.end();',
    test: INTERRUPTED,
  },
  {
    name: 'a shutdown completes the feeds of a shared stream',
    file: SHARED_STREAM,
    find: 'if (iterator?.isInterrupted) this.interrupt(id);',
    replace: 'if (iterator?.isInterrupted) await this.#complete(id);',
    test: INTERRUPTED,
  },
  {
    name: 'a shutdown breaks a reply on a shared stream, which its client then repeats',
    file: SHARED_STREAM,
    find: 'if (operations.some(([, results]) => !results?.isResumable)) return;',
    replace: '',
    test: INTERRUPTED,
  },
  {
    name: 'an export that a shutdown stopped starts again at clients that reconnect',
    file: 'graphql/schema/exports.ts',
    find: '{ feed: true, resumable: false }',
    replace: '{ feed: true }',
    test: 'spec/exports.test.ts',
  },
  {
    name: 'a temporary error completes a feed',
    file: 'operation/subscription-results.ts',
    find: 'if (this.isResumable && isTemporary(described)) this.#isInterrupted = true;',
    replace: '',
    test: 'operation/subscription-results.test.ts',
  },
  {
    name: 'a slow subscriber gets the end of its feed',
    file: 'operation/slow-consumer.ts',
    find: "this.#state === 'open' ? this.#source.isInterrupted === true : this.isResumable",
    replace: 'this.#source.isInterrupted === true',
    test: 'spec/event-transports.test.ts',
  },
  {
    name: 'a rejected reply is sent again by clients that reconnect',
    file: 'graphql/server/pipelined.ts',
    find: '(!isExecuted || isResumable === true)',
    replace: 'true',
    test: INTERRUPTED,
  },
  {
    name: 'a feed that was rejected for now is complete',
    file: 'graphql/server/stream-results.ts',
    find: '!isOpen && isRetryable(output, item.result)',
    replace: 'false',
    test: INTERRUPTED,
  },
  {
    name: 'a feed with an invalid cursor advises to start from the beginning',
    file: 'db/cursor.ts',
    find: "return this.#decode(cursor, 'after', NOT_OF_FEED);",
    replace: "return this.#decode(cursor, 'after', NOT_OF_LIST);",
    test: 'spec/feed-cursors.test.ts',
  },
];

import type { Mutant } from './mutant.ts';

const SHARED_STREAM = 'graphql/server/shared-stream.ts';
const INTERRUPTED = 'spec/interrupted-feeds.test.ts';
const FILTERED = 'spec/filtered-feeds.test.ts';
const FOLLOWED_LIST = 'domain/conversations/follow-list.ts';

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
    test: INTERRUPTED,
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
  {
    name: 'a followed list does not say what leaves it',
    file: FOLLOWED_LIST,
    find: 'withMatches && canChange(parsed) ?',
    replace: 'false ?',
    test: FILTERED,
  },
  {
    name: 'a followed list shows costs without the scope',
    file: FOLLOWED_LIST,
    find: 'const parsed = await parseSearch(ctx, filter ?? {});',
    replace: 'const parsed = { ...filter } as ParsedFilter;',
    test: FILTERED,
  },
  {
    name: 'a followed list compares each change in a statement',
    file: FOLLOWED_LIST,
    find: 'const matching = await matchesAmong(ctx, filter, ids);',
    replace:
      'const matching = new Set<string>(); for (const id of ids) for (const one of await matchesAmong(ctx, filter, [id])) matching.add(one);',
    test: FILTERED,
  },
  {
    name: 'a followed list finds only names, not messages',
    file: 'domain/conversations/positions.ts',
    find: 'AND conversation_id = ${among}))`',
    replace: 'AND conversation_id = ${among} AND false))`',
    test: FILTERED,
  },
  {
    name: 'followed calls are counted out of reach',
    file: 'domain/conversations/follow-pending-calls.ts',
    find: '${pendingCallsOf(environment.id)}${conditions}`',
    replace: '${pendingCallsOf(environment.id)}`',
    test: FILTERED,
  },
  {
    name: 'followed calls that do not match are shown',
    file: 'domain/conversations/pending-calls.ts',
    find: 'SELECT ${ITEM_FIELDS} ${pendingCallsOf(environment.id)}${conditions}',
    replace: 'SELECT ${ITEM_FIELDS} ${pendingCallsOf(environment.id)}',
    test: FILTERED,
  },
];

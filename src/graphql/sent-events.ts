import type { ExecutionResult } from 'graphql';
import type { FetchAPI, Plugin } from 'graphql-yoga';

type ResultProcessor = Parameters<Parameters<NonNullable<Plugin['onResultProcess']>>[0]['setResultProcessor']>[0];

import type { GraphContext } from './context.ts';
import { wireError } from './errors.ts';
import { told } from './mask.ts';

/** A comment goes out this often, so that nothing on the way takes an idle stream for a dead one. */
export const HEARTBEAT_MS = 15_000;

/** Where the client is once it has a result: the `id` of its server-sent event. */
const CURSOR: unique symbol = Symbol('cursor');

type PlacedResult = ExecutionResult & { readonly [CURSOR]?: string | undefined };

/**
 * The results as their reader gets them: each with how far the reader of a feed is with it, and a fault of the source
 * as the last of them, since nothing behind this tells of it.
 */
export function toldResults(
  source: AsyncIterableIterator<ExecutionResult>,
  context: GraphContext,
): AsyncIterableIterator<ExecutionResult> {
  const { services, requestId } = context;
  let failed = false;
  const results: AsyncIterableIterator<ExecutionResult> = {
    async next() {
      if (failed) return { done: true, value: undefined };
      try {
        const result = await source.next();
        return result.done ? result : { done: false, value: { ...result.value, [CURSOR]: context.feedCursor } };
      } catch (error) {
        failed = true;
        return { done: false, value: { errors: [told(wireError(error, { log: services.log, requestId }))] } };
      }
    },
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => results,
  };
  return results;
}

/** One result as the GraphQL over SSE protocol writes it, with an `id` to resume from where there is one. */
function sentEvent(result: PlacedResult): string {
  const id = result[CURSOR] === undefined ? '' : `id: ${result[CURSOR]}\n`;
  return `${id}event: next\ndata: ${JSON.stringify(result)}\n\n`;
}

export function isStream<T>(result: AsyncIterable<T> | object): result is AsyncIterable<T> {
  return Symbol.asyncIterator in result;
}

/**
 * Writes results as server-sent events (WIRE 13): the distinct connections mode of GraphQL over SSE. The next result is
 * asked for once the one before has been taken.
 */
export const sentEvents: Plugin = {
  onResultProcess({ request, result, setResultProcessor }) {
    const accept = request.headers.get('accept') ?? '';
    // What was refused is an ordinary answer for whoever can read one; the others would take it for a broken line.
    const readsOnlyEvents = accept.includes('text/event-stream') && !accept.includes('json');
    if (isStream(result) || readsOnlyEvents) setResultProcessor(answer, 'text/event-stream');
  },
};

export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // A proxy that gathers what it passes on would hold events back.
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

const answer: ResultProcessor = (result, { Response, ReadableStream, TextEncoder }: FetchAPI) => {
  const text = new TextEncoder();
  const results = isStream(result) ? result[Symbol.asyncIterator]() : [result][Symbol.iterator]();
  let heartbeat: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const beat = () => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(text.encode(':\n\n'));
      };
      // Some clients take an answer as begun at its first bytes only.
      beat();
      heartbeat = setInterval(beat, HEARTBEAT_MS).unref();
    },
    async pull(controller) {
      const next = await results.next();
      if (!next.done) return controller.enqueue(text.encode(sentEvent(next.value as PlacedResult)));
      clearInterval(heartbeat);
      controller.enqueue(text.encode('event: complete\ndata:\n\n'));
      controller.close();
    },
    async cancel() {
      clearInterval(heartbeat);
      await results.return?.();
    },
  });
  return new Response(body, { headers: EVENT_STREAM_HEADERS });
};

import type { Request, RequestHandler, Response } from 'express';
import { readBody } from '../http/body/body.ts';
import { exchangeOf } from '../http/exchange.ts';
import { wireError, wireErrorOf } from '../operation/errors.ts';
import type { OperationRequest } from '../operation/operation-request.ts';
import type { Outcome } from '../operation/outcome.ts';
import type { Pipeline } from '../operation/pipeline.ts';
import type { Results } from '../operation/subscription-results.ts';
import { uuidOf } from '../operation/uuid.ts';
import { addressOf, requirePathIds } from './address.ts';
import { bindVariables, nameField, type RouteInput, type Variables } from './bind.ts';
import { REST_INPUT } from './names.ts';
import { bodyOf, resultReply, sendError, sendReply } from './reply.ts';
import { type Route, takesKey } from './route.ts';
import { type StreamEvent, sendFeed, sendLines, sendStream } from './stream.ts';

/** Runs the requests of a route through the pipeline and writes the responses. */
export function handle(route: Route, pipeline: Pipeline): RequestHandler {
  const { log } = pipeline.services.process;
  return async (request, response) => {
    const requestId = String(request.id);
    try {
      const opened = await pipeline.open(exchangeOf(request), uuidOf(request.params.deployment_id));
      await readBody(request, opened);
      const outcome = await pipeline.run(opened, operationOf(route, request));
      if (outcome.kind === 'stream') await stream(request, response, route, outcome);
      else await sendReply(response, resultReply(request, route, outcome.result, outcome.requestId));
    } catch (error) {
      const wire = wireError(error, { log, requestId, nameField: (path) => nameField(route, path) });
      await sendError(response, wire, requestId);
    }
  };
}

/** A request of a route as an operation. */
export function operationOf(route: Route, request: RouteInput): OperationRequest {
  let variables: Variables | undefined;
  return {
    schema: route.schema,
    document: route.document,
    operation: route.operation,
    isOwn: true,
    variables: () => {
      variables ??= bindVariables(route, request);
      return variables;
    },
    style: REST_INPUT,
    nameField: (path) => nameField(route, path),
    address: addressOf(route, request),
    requirePath: (context) => requirePathIds(route, request, context),
    key: takesKey(route) ? request.get('idempotency-key') : undefined,
    fingerprint: () => [route.name, request.params, request.body],
  };
}

async function stream(
  request: Request,
  response: Response,
  route: Route,
  { results, requestId, describe }: Extract<Outcome, { kind: 'stream' }>,
): Promise<void> {
  const events = eventsOf(route, results);
  const { lines, feed } = route.directive;
  const send = feed ? sendFeed : lines ? sendLines : sendStream;
  await send(request, response, {
    events,
    describe: (error) => wireErrorOf(describe(error)),
    requestId,
    isInterrupted: () => results.isInterrupted === true,
  });
}

/** The results of a subscription as REST bodies. Not a generator, because `return` must end it immediately. Throws errors. */
export function eventsOf(route: Route, results: Results): AsyncIterableIterator<StreamEvent> {
  const events: AsyncIterableIterator<StreamEvent> = {
    async next() {
      const { done, value } = await results.next();
      return done ? { done, value: undefined } : { done: false, value: bodyOf(route, value.result) as StreamEvent };
    },
    async return() {
      await results.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => events,
  };
  return events;
}

import { EventEmitter } from 'node:events';
import type { Request, RequestHandler, Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import { ServiceError } from '../contract/errors.ts';
import type { Services } from '../domain/context.ts';
import { boundedDocuments, type DocumentRules } from './bounded-documents.ts';
import { checkedInput } from './checked-input.ts';
import { compiledQueries } from './compiled-queries.ts';
import type { GraphContext } from './context.ts';
import { graphqlError, wireError } from './errors.ts';
import { getParams } from './get-params.ts';
import { idempotentMutations } from './idempotency.ts';
import { withStatus } from './mask.ts';
import type { TakenResults } from './open-results.ts';
import { sentEvents, writeEvents } from './sent-events.ts';
import { type SharedOperation, sharedResults, singleConnection } from './single-connection.ts';
import { StreamCaps } from './stream-caps.ts';
import { timedQueries } from './time-limit.ts';
import { documentIdOf, trustedDocuments } from './trusted-documents.ts';
import { watchedSubscriptions } from './watched-subscriptions.ts';
import { contextOf } from './who-asks.ts';
import { maskRefusal, wireResults } from './wire-results.ts';

const ENDPOINT = '/graphql';
const STREAM_ENDPOINT = '/graphql/stream';

/** The GraphQL door at `/graphql`, and `/graphql/stream` for many subscriptions over one connection (WIRE 13). */
export function createGraphqlServer(schema: GraphQLSchema, services: Services, rules: DocumentRules): RequestHandler {
  const caps = new StreamCaps();
  const serve = (endpoint: string) => {
    const yoga = createYoga<ServedRequest, GraphContext>({
      schema,
      graphqlEndpoint: endpoint,
      landingPage: false,
      graphiql: false,
      // Closed: an origin is let in by a deployment's allowlist, never by default.
      cors: false,
      batching: false,
      logging: false,
      maskedErrors: {
        maskError: (error) => maskRefusal(error, services),
      },
      plugins: [
        getParams(services),
        trustedDocuments(rules.trusted),
        boundedDocuments(services, rules),
        callerContext(services),
        compiledQueries(),
        timedQueries(services, rules.timeoutMs),
        checkedInput(services),
        idempotentMutations(services),
        watchedSubscriptions(services, caps),
        sentEvents,
        sharedResults,
        wireResults(services, rules.introspection),
      ],
    });
    return async (request: Request, response: Response, operation: SharedOperation = {}) => {
      if (request.method === 'POST') requireDocument(request.body);
      requireReadable(request);
      const served: ServedRequest = { ...operation, req: request };
      // Yoga listens to the response, and its listeners keep all that it has made of the request.
      const lifetime = new EventEmitter();
      // One that is done with would be aborted otherwise, which makes an exception with its stack.
      const end = () => lifetime.emit(response.writableFinished ? 'finish' : 'close');
      response.once('close', end);
      const answer = await yoga.handleNodeRequestAndResponse(request, lifetime as Response, served);
      if (!served.results) return send(response, answer);
      // It may stay open for days.
      response.removeListener('close', end);
      Object.assign(request, { body: undefined, next: undefined, rawHeaders: [] });
      void writeEvents(response, served.results);
    };
  };
  const single = serve(ENDPOINT);
  const shared = singleConnection(services, caps, serve(STREAM_ENDPOINT));
  return (request, response, next) => {
    const path = request.originalUrl.split('?')[0];
    if (path === STREAM_ENDPOINT) return shared(request, response, next);
    // What else lies below the endpoint is none of it.
    if (path !== ENDPOINT) return next();
    return single(request, response);
  };
}

/** A request as it is served: an operation of a stream, or one that leaves the results of its subscription here. */
interface ServedRequest extends SharedOperation, TakenResults {
  readonly req: Request;
}

/** What Yoga answers, as Express sends it. */
async function send(
  response: Response,
  answer: Awaited<ReturnType<YogaServerInstance<object, object>['fetch']>>,
): Promise<void> {
  if (response.destroyed) return;
  response.status(answer.status);
  answer.headers.forEach((value, name) => void response.setHeader(name, value));
  response.end(answer.body ? await answer.text() : undefined);
}

/** Yoga would read a body without a document as one that is not JSON. */
function requireDocument(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ServiceError('invalid_request', 'The body must be a JSON object.');
  }
  const { query } = body as { query?: unknown };
  if (typeof query === 'string' || (query == null && documentIdOf(body))) return;
  throw new ServiceError('invalid_request', '{param} must be a string: the GraphQL document.', { param: ['query'] });
}

/** What an answer may be written as. */
const MEDIA_TYPES = ['application/graphql-response+json', 'application/json', 'text/event-stream'];

/** Yoga would answer without a word. */
function requireReadable(request: Request): void {
  if (request.accepts(MEDIA_TYPES) !== false) return;
  throw new ServiceError('invalid_request', `The answer is one of ${MEDIA_TYPES.join(', ')}: accept one of them.`);
}

/**
 * Puts the caller's view behind what the server knows of the request: copied, it would be read, and would refuse whoever
 * has no credentials, also to ask for what is public.
 */
function callerContext(services: Services): Plugin {
  return {
    async onContextBuilding({ context }) {
      const { req } = context as unknown as { req: Request };
      Object.setPrototypeOf(context, await openContext(services, req));
    },
  };
}

async function openContext(services: Services, request: Request): Promise<GraphContext> {
  const requestId = String(request.id);
  try {
    return await contextOf(services, request);
  } catch (error) {
    const wire = wireError(error, { log: services.log, requestId });
    throw withStatus(graphqlError(wire), wire.status);
  }
}

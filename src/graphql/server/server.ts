import { EventEmitter } from 'node:events';
import type { Request, RequestHandler, Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import { ServiceError } from '../../contract/errors.ts';
import { endJson } from '../../http/compression.ts';
import { exchangeOf } from '../../http/exchange.ts';
import type { OpenRequest, Pipeline } from '../../operation/pipeline.ts';
import { type DocumentRules, documentLimits } from './document-limits.ts';
import { type PipelineOutput, pipelined } from './pipelined.ts';
import { publicErrors } from './public-errors.ts';
import { requestParams } from './request-params.ts';
import { type SharedOperation, sharedResults, singleConnection } from './single-connection.ts';
import { requireStreamFormat, streamFormatOf } from './stream-negotiation.ts';
import { streamResults, writeStream } from './stream-results.ts';
import { trustedDocuments } from './trusted-documents.ts';
import { maskRejection, wireResults } from './wire-results.ts';

const ENDPOINT = '/graphql';
const STREAM_ENDPOINT = '/graphql/stream';

/** The server context of a request. */
interface ServedRequest extends SharedOperation {
  readonly req: Request;
  readonly output: PipelineOutput;
  readonly opened?: OpenRequest;
  readonly rejection?: unknown;
}

/** The GraphQL API at `/graphql`, and `/graphql/stream` for many subscriptions over one connection (WIRE 13). */
export function createGraphqlServer(schema: GraphQLSchema, pipeline: Pipeline, rules: DocumentRules): RequestHandler {
  const single = serve(ENDPOINT, { schema, pipeline, rules });
  const shared = singleConnection(pipeline, serve(STREAM_ENDPOINT, { schema, pipeline, rules }));
  return (request, response, next) => {
    const path = request.originalUrl.split('?')[0];
    if (path === STREAM_ENDPOINT) return shared(request, response, next);
    if (path !== ENDPOINT) return next();
    return single(request, response);
  };
}

interface Parts {
  readonly schema: GraphQLSchema;
  readonly pipeline: Pipeline;
  readonly rules: DocumentRules;
}

/** One endpoint. Yoga reads documents and writes results. The pipeline does everything else. */
function serve(graphqlEndpoint: string, { schema, pipeline, rules }: Parts) {
  const { services } = pipeline;
  const yoga = createYoga<ServedRequest>({
    schema,
    graphqlEndpoint,
    landingPage: false,
    graphiql: false,
    // A middleware handles preflights.
    cors: false,
    batching: false,
    logging: false,
    maskedErrors: { maskError: (error) => maskRejection(error, services.log) },
    plugins: [
      requestParams(services.log),
      trustedDocuments(rules.trusted),
      documentLimits(rules),
      pipelined(pipeline),
      streamResults,
      sharedResults,
      wireResults(services.log),
      publicErrors,
    ],
  });
  return async (request: Request, response: Response, operation: SharedOperation = {}) => {
    requireReadable(request);
    const output: PipelineOutput = { isExecuted: false };
    const served: ServedRequest = { ...operation, req: request, output, ...(await open(pipeline, request)) };
    // Yoga adds listeners to the response, which would keep the whole request in memory.
    const lifetime = new EventEmitter();
    // Yoga aborts requests whose response closes unfinished, which creates an exception with a stack.
    const end = () => lifetime.emit(response.writableFinished ? 'finish' : 'close');
    response.once('close', end);
    const answer = await yoga.handleNodeRequestAndResponse(request, lifetime as Response, served);
    if (!output.results || operation.stream) return send(response, answer);
    // The stream can stay open for days, so it must not keep the request in memory.
    response.removeListener('close', end);
    const format = requireStreamFormat(request);
    Object.assign(request, { body: undefined, next: undefined, rawHeaders: [] });
    void writeStream(response, output.results, format);
  };
}

/** Returns an error instead of throwing it, because Yoga writes it in the media type that the client accepts. */
async function open(pipeline: Pipeline, request: Request): Promise<Pick<ServedRequest, 'opened' | 'rejection'>> {
  try {
    return { opened: await pipeline.open(exchangeOf(request)) };
  } catch (rejection) {
    return { rejection };
  }
}

/** Writes Yoga's response with Express. */
async function send(
  response: Response,
  answer: Awaited<ReturnType<YogaServerInstance<object, object>['fetch']>>,
): Promise<void> {
  if (response.destroyed) return;
  response.status(answer.status);
  answer.headers.forEach((value, name) => void response.setHeader(name, value));
  const text = answer.body ? await answer.text() : undefined;
  if (text && /[/+]json\b/.test(answer.headers.get('content-type') ?? '')) await endJson(response, text);
  // An event stream with one event, or no body.
  else response.end(text);
}

const MEDIA_TYPES = ['application/graphql-response+json', 'application/json', 'text/event-stream'];

/** Without this check Yoga would send an empty response. */
function requireReadable(request: Request): void {
  if (request.accepts(MEDIA_TYPES) !== false || streamFormatOf(request)) return;
  throw new ServiceError('not_acceptable', `The header Accept must allow one of ${MEDIA_TYPES.join(', ')}.`);
}

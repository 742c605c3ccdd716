import { EventEmitter } from 'node:events';
import type { Request, RequestHandler, Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import { ServiceError } from '../../contract/errors.ts';
import { chooseCoding, endJson } from '../../http/compression.ts';
import { isNotModified, REVALIDATED, tagOfBody } from '../../http/conditional.ts';
import { breakConnection, releaseRequest } from '../../http/open-stream.ts';
import { textOfResult } from '../../operation/introspection/introspections.ts';
import type { OpenRequest } from '../../operation/operation-request.ts';
import type { Outcome } from '../../operation/outcome.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import { documentCaches } from './document-cache.ts';
import { type DocumentRules, documentLimits } from './document-limits.ts';
import { type Opening, open } from './opening.ts';
import { execute, type PipelineOutput, pipelined } from './pipelined.ts';
import { publicErrors } from './public-errors.ts';
import { RepeatedQueries, type RepeatedQuery } from './repeated-queries.ts';
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

/** The GraphQL API at `/graphql`, and `/graphql/stream` for many subscriptions over one connection. */
export function createGraphqlServer(schema: GraphQLSchema, pipeline: Pipeline, rules: DocumentRules): RequestHandler {
  const parts = { schema, pipeline, rules, caches: documentCaches() };
  const single = serve(ENDPOINT, parts);
  const shared = singleConnection(pipeline, serve(STREAM_ENDPOINT, parts));
  return async (request, response, next) => {
    const path = request.originalUrl.split('?')[0];
    if (path !== ENDPOINT && path !== STREAM_ENDPOINT) return next();
    const opening = await open(pipeline, request);
    return path === ENDPOINT ? single(request, response, opening) : shared(request, response, opening);
  };
}

interface Parts {
  readonly schema: GraphQLSchema;
  readonly pipeline: Pipeline;
  readonly rules: DocumentRules;
  readonly caches: ReturnType<typeof documentCaches>;
}

/** One endpoint. Yoga reads documents and writes results. The pipeline does everything else. */
function serve(graphqlEndpoint: string, { schema, pipeline, rules, caches }: Parts) {
  const { services } = pipeline;
  const yoga = createYoga<ServedRequest>({
    schema,
    graphqlEndpoint,
    landingPage: false,
    graphiql: false,
    // A middleware handles preflights.
    cors: false,
    batching: false,
    // `readBody` has limits of its own. With this one, Yoga would read the body of a rejected request.
    maxRequestBodySize: false,
    parserAndValidationCache: caches,
    logging: false,
    maskedErrors: { maskError: (error) => maskRejection(error, services.process.log) },
    plugins: [
      requestParams(services.process.log),
      trustedDocuments(rules.trusted),
      documentLimits(rules),
      pipelined(pipeline),
      streamResults,
      sharedResults,
      wireResults(services.process.log),
      publicErrors,
    ],
  });
  const repeated = new RepeatedQueries(rules.trusted.mode);
  const runRepeated = async (query: RepeatedQuery, req: Request, { opened }: Opening): Promise<Outcome | undefined> =>
    opened && execute(pipeline, { schema, ...query }, { opened, req, params: query.params });
  return async (request: Request, response: Response, opening: Opening, operation: SharedOperation = {}) => {
    const query = operation.stream ? undefined : repeated.find(request);
    if (!query) requireReadable(request, opening);
    const output: PipelineOutput = { isExecuted: false };
    if (query && (await sendRepeated(response, query, output, () => runRepeated(query, request, opening)))) return;
    const served: ServedRequest = { ...operation, req: request, output, ...opening };
    // Yoga adds listeners to the response, which would keep the whole request in memory.
    const lifetime = new EventEmitter();
    // Yoga aborts requests whose response closes unfinished, which creates an exception with a stack.
    const end = () => lifetime.emit(response.writableFinished ? 'finish' : 'close');
    response.once('close', end);
    const answer = await yoga.handleNodeRequestAndResponse(request, lifetime as Response, served);
    if (!output.results || operation.stream) {
      await send(response, answer, output);
      if (output.hasSucceeded && output.document) repeated.add(request, output.document, response);
      return;
    }
    response.removeListener('close', end);
    const format = requireStreamFormat(request);
    releaseRequest(request);
    void writeStream(response, output.results, format);
  };
}

/** Executes a repeated query and sends its result. False: Yoga must report the errors, without executing it again. */
async function sendRepeated(
  response: Response,
  { contentType }: RepeatedQuery,
  output: PipelineOutput,
  run: () => Promise<Outcome | undefined>,
): Promise<boolean> {
  const outcome = await run();
  if (outcome) output.outcome = outcome;
  if (outcome?.kind !== 'result' || outcome.result.errors) return false;
  if (response.destroyed) return true;
  response.setHeader('content-type', contentType);
  await sendJson(response, textOfResult(outcome.result), undefined);
  return true;
}

/** Writes Yoga's response with Express. */
async function send(
  response: Response,
  answer: Awaited<ReturnType<YogaServerInstance<object, object>['fetch']>>,
  { isTrusted, hasSucceeded, isInterrupted }: PipelineOutput,
): Promise<void> {
  if (response.destroyed) return;
  response.status(answer.status);
  answer.headers.forEach((value, name) => void response.setHeader(name, value));
  // Its property `body` would be a stream, which takes the bytes of the text once more.
  const text = (await answer.text()) || undefined;
  if (text && /[/+]json\b/.test(answer.headers.get('content-type') ?? '')) {
    // A client can store the result of a trusted query: its URL is short and does not change.
    const isTagged = isTrusted && hasSucceeded && ['GET', 'HEAD'].includes(response.req.method);
    await sendJson(response, text, isTagged ? tagOfBody(text) : undefined);
  }
  // An event stream with one event, or no body.
  else if (isInterrupted) sendPart(response, text ?? '');
  else response.end(text);
}

/** Without a length, so that the client sees that the response is not complete. */
function sendPart(response: Response, text: string): void {
  response.removeHeader('Content-Length');
  response.write(text, () => breakConnection(response));
}

async function sendJson(response: Response, text: string, etag: string | undefined): Promise<void> {
  if (etag !== undefined) response.setHeader('ETag', etag).setHeader('Cache-Control', REVALIDATED);
  const coding = chooseCoding(response, text);
  if (!isNotModified(response.req, etag)) return endJson(response, text, coding);
  response.removeHeader('Content-Type');
  response.status(304).end();
}

const MEDIA_TYPES = ['application/graphql-response+json', 'application/json', 'text/event-stream'];

/** Without this check Yoga would send an empty response. The error of a rejected request takes precedence. */
function requireReadable(request: Request, { rejection }: Opening): void {
  if (request.accepts(MEDIA_TYPES) !== false || streamFormatOf(request)) return;
  if (rejection !== undefined) throw rejection;
  throw new ServiceError('not_acceptable', `The header Accept must allow one of ${MEDIA_TYPES.join(', ')}.`);
}

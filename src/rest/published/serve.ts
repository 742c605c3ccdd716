import type { Request, RequestHandler, Response } from 'express';
import { ServiceError } from '../../contract/errors.ts';
import type { VersionText } from '../../domain/documents/compiler-port.ts';
import { readBody } from '../../http/body/body.ts';
import { exchangeOf } from '../../http/exchange.ts';
import { wireError, wireErrorOf } from '../../operation/errors.ts';
import type { OpenRequest } from '../../operation/operation-request.ts';
import type { Outcome } from '../../operation/outcome.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import {
  cannotRun,
  countedRun,
  findPublished,
  requireAuthorized,
  requireCaller,
} from '../../operation/published-documents.ts';
import type { RouteInput } from '../bind.ts';
import { bodyOf, errorReply, type Reply, sendError, sendReply } from '../reply.ts';
import type { Route } from '../route.ts';
import { headersOf } from '../shape.ts';
import type { CompiledDocument } from './compile.ts';
import type { PublishedCompiler } from './compiler.ts';
import { operationOfRequest } from './operation.ts';

/** The decoded segments of the path after `/v1/x`. */
type DocumentRequest = Request<{ path: string[] }>;

/** Calls the published document that the path names. The caller is identified before anything is looked up. */
export function servePublished(
  pipeline: Pipeline,
  compiler: PublishedCompiler,
): RequestHandler<DocumentRequest['params']> {
  const { services } = pipeline;
  return async (request, response) => {
    const requestId = String(request.id);
    try {
      const opened = await openWithCredentials(pipeline, request);
      const [name = '', ...segments] = request.params.path ?? [];
      const version = await findPublished(opened, name);
      if (!version) throw unknownPath(request);
      const { route } = await requireCompiled(compiler, version);
      const input = inputOf(route, segments, request);
      if (!input) throw unknownPath(request);
      if (!allowMethod(route, request, response)) return void response.status(204).end();
      const operation = operationOfRequest(route, input);
      const outcome = await countedRun(opened, version.documentId, () => pipeline.run(opened, operation));
      if (outcome.kind === 'stream') throw new Error('A published document is no subscription.');
      await sendReply(response, replyOf(route, outcome));
    } catch (error) {
      await sendError(response, wireError(error, { log: services.process.log, requestId }), requestId);
    }
  };
}

/** Identifies the caller, then reads the body. @throws {ServiceError} unauthorized: documents belong to an environment, and only credentials name one */
export async function openWithCredentials(pipeline: Pipeline, request: Request): Promise<OpenRequest> {
  const opened = await pipeline.bind(await pipeline.open(exchangeOf(request)));
  requireCaller(opened);
  await readBody(request, opened);
  return opened;
}

/**
 * The compiled form of a version that is called.
 * @throws {ServiceError} not_found if this release does not accept the document; forbidden if its author could not call it
 */
export async function requireCompiled(compiler: PublishedCompiler, version: VersionText): Promise<CompiledDocument> {
  const { document, problems } = await compiler.compileVersion(version);
  if (!document) throw cannotRun(version, problems);
  await requireAuthorized([version], document.contract);
  return document;
}

const unknownPath = ({ path }: Pick<Request, 'path'>) =>
  new ServiceError('not_found', `The path ${path} does not exist.`);

/** The request with the parameters of its path. Undefined if the document has another path. */
function inputOf({ path }: Route, segments: readonly string[], request: DocumentRequest): RouteInput | undefined {
  const expected = path.split('/').slice(4);
  if (expected.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of expected.entries()) {
    const value = segments[index] ?? '';
    const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
    if (name === undefined ? segment !== value : value === '') return undefined;
    if (name !== undefined) params[name] = value;
  }
  return { params, query: request.query, body: request.body, get: request.get.bind(request) };
}

/** Whether the method calls the document. OPTIONS only asks for the methods. @throws {ServiceError} method_not_allowed */
function allowMethod({ method }: Route, request: Pick<Request, 'method'>, response: Response): boolean {
  const own = method.toUpperCase();
  const methods = own === 'GET' ? ['GET', 'HEAD'] : [own];
  if (methods.includes(request.method)) return true;
  const allow = [...methods, 'OPTIONS'].join(', ');
  response.setHeader('Allow', allow);
  if (request.method === 'OPTIONS') return false;
  throw new ServiceError('method_not_allowed', `This path accepts ${allow}.`);
}

function replyOf(route: Route, { result, requestId }: Extract<Outcome, { kind: 'result' }>): Reply {
  const [error] = result.errors ?? [];
  if (error) return errorReply(wireErrorOf(error), requestId);
  const { status } = route.directive;
  const headers = headersOf(result.data, route.shape);
  if (status === 204) return { status, headers };
  return { status, headers, body: bodyOf(route, result), isTagged: route.method === 'get' };
}

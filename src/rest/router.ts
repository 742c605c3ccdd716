import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import type { Services } from '../domain/context.ts';
import { publicError } from '../graphql/server/public-errors.ts';
import { rejectMethod } from '../http/unrouted.ts';
import { graphqlError, wireError } from '../operation/errors.ts';
import type { Pipeline } from '../operation/pipeline.ts';
import { type CompileOptions, loadDocuments } from './documents.ts';
import { handle } from './handle.ts';
import { errorReply, sendReply } from './reply.ts';
import { type Route, toRoute } from './route.ts';

/** The documents of `schema/rest` as routes. @throws {Error} with the file and line of an invalid document, unless it assumes that all are valid */
export function loadAllRoutes(schema: GraphQLSchema, root: string, options: CompileOptions = {}): Route[] {
  return loadDocuments(schema, root, options).map((document) => toRoute(schema, document));
}

/** The routes of the REST API. @throws {Error} like `loadAllRoutes` */
export function loadRoutes(schema: GraphQLSchema, root: string): Route[] {
  return restRoutes(loadAllRoutes(schema, root));
}

/** Without the documents of the UI message stream. */
export function restRoutes(routes: readonly Route[]): Route[] {
  return routes.filter(({ directive }) => !directive.ui);
}

/** The REST API: a handler for each route, and 405 for other methods of its path. */
export function restRouter(routes: readonly Route[], pipeline: Pipeline): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const route of routes.filter(({ directive }) => directive.anyOrigin))
    router.all(expressPath(route), forbidCaching);
  for (const path of new Set(routes.map(expressPath))) {
    const routesOfPath = routes.filter((route) => expressPath(route) === path);
    const expressRoute = router.route(path);
    for (const route of routesOfPath) expressRoute[route.method](handle(route, pipeline));
    const methods = routesOfPath.map(({ method }) => method.toUpperCase());
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    expressRoute.all(rejectMethod(allow));
  }
  return router;
}

/** Public objects can change at any time. */
const forbidCaching: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};

function expressPath({ path }: Route): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** Reports errors of every handler: at `/graphql` as a GraphQL response, elsewhere as a REST error. */
export function reportErrors(services: Services): ErrorRequestHandler {
  return async (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const requestId = String(request.id);
    const wire = wireError(fromExpress(error), { log: services.process.log, requestId });
    const reply = errorReply(wire, requestId);
    const isGraphql = request.originalUrl.split('?')[0] === '/graphql';
    await sendReply(
      response,
      isGraphql ? { ...reply, body: { errors: [publicError(graphqlError(wire), requestId)] } } : reply,
    );
  };
}

/** Express throws a URIError if a path is not valid percent-encoding. */
function fromExpress(error: unknown): unknown {
  if (!(error instanceof URIError)) return error;
  return new ServiceError('invalid_request', 'The path is not valid percent-encoding.');
}

import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import type { Services } from '../domain/context.ts';
import { anyOrigin } from '../graphql/cross-origin.ts';
import { graphqlError, wireError } from '../graphql/errors.ts';
import { loadDocuments } from './documents.ts';
import { handle } from './handle.ts';
import { errorReply, sendReply } from './reply.ts';
import { type Route, toRoute } from './route.ts';

/** The documents of `schema/rest` as routes. @throws {Error} with file and line where one is not valid */
export function loadRoutes(schema: GraphQLSchema, root: string): Route[] {
  return loadDocuments(schema, root).map((document) => toRoute(schema, document));
}

/** The REST door: one handler for every route, and an answer for known paths asked with another method. */
export function restRouter(
  schema: GraphQLSchema,
  routes: readonly Route[],
  services: Services,
  timeoutMs: number,
): Router {
  const router = express.Router({ caseSensitive: true });
  for (const route of routes.filter(({ directive }) => directive.anyOrigin))
    router.all(expressPath(route), forAnyOrigin);
  for (const path of new Set(routes.map(expressPath))) {
    const here = routes.filter((route) => expressPath(route) === path);
    const answers = router.route(path);
    for (const route of here) answers[route.method](handle(schema, route, services, timeoutMs));
    const methods = here.map(({ method }) => method.toUpperCase());
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    answers.all(refuseMethod(allow));
  }
  return router;
}

/** What is public may be read by pages of any origin, and changes from read to read. */
const forAnyOrigin: RequestHandler[] = [
  anyOrigin,
  (_request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    next();
  },
];

function expressPath({ path }: Route): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** Answers a method that a path does not take, and OPTIONS. */
export function refuseMethod(allow: string): RequestHandler {
  return (request, response) => {
    response.setHeader('Allow', allow);
    if (request.method === 'OPTIONS') {
      response.status(204).end();
      return;
    }
    throw new ServiceError('method_not_allowed', `This path takes ${allow}.`);
  };
}

/** The last of the stack: paths that nothing answers. */
export const unknownPath: RequestHandler = (request) => {
  throw new ServiceError('not_found', `There is nothing at ${request.method} ${request.path}.`);
};

/** Faults of anything in the stack, as error bodies; at `/graphql` as GraphQL has them. */
export function errorAnswers(services: Services): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const requestId = String(request.id);
    const wire = wireError(fromExpress(error), { log: services.log, requestId });
    const reply = errorReply(wire, requestId);
    const isGraphql = request.originalUrl.split('?')[0] === '/graphql';
    sendReply(response, isGraphql ? { ...reply, body: { errors: [graphqlError(wire)] } } : reply);
  };
}

/** Express refuses paths that are not valid percent-encoding. */
function fromExpress(error: unknown): unknown {
  if (!(error instanceof URIError)) return error;
  return new ServiceError('invalid_request', 'The path is not valid percent-encoding.');
}

import type { RequestHandler } from 'express';

/** Request headers that identify the caller. */
export const CALLER_HEADERS = 'Authorization, X-Api-Key, Cookie, Origin, X-Environment';

/** Paths of the REST and GraphQL APIs. */
export const API_PATH = /^\/(v1|v2|graphql)(\/|$)/;

/**
 * Forbids shared caches to store responses, including errors, because they depend on credentials. Routes with an
 * ETag or public data replace the value.
 */
export const apiHeaders: RequestHandler = (request, response, next) => {
  if (API_PATH.test(request.path)) {
    response.setHeader('Cache-Control', 'private, no-store');
    response.setHeader('Vary', CALLER_HEADERS);
  }
  next();
};

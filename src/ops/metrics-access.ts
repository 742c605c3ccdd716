import { hash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { ServiceError } from '../contract/errors.ts';

/** A proxy on this machine connects from loopback too. One of these headers shows that it forwards a request. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Allows a request to `/metrics` if it comes from a program on this machine, or has `token` as its bearer token. It
 * checks the address of the connection, because clients can set X-Forwarded-For to any value.
 */
export function metricsAccess(token: string | undefined): RequestHandler {
  return (request, _response, next) => {
    if (isLocal(request) || (token !== undefined && isBearer(request, token))) return next();
    if (token === undefined) throw new ServiceError('not_found', `The path ${request.path} does not exist.`);
    throw new ServiceError('unauthorized', 'Send METRICS_TOKEN as a bearer token.');
  };
}

function isLocal({ socket, headers }: Request): boolean {
  const address = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  const isLoopback = address === '::1' || address.startsWith('127.');
  return isLoopback && PROXY_HEADERS.every((name) => headers[name] === undefined);
}

/**
 * As for the APIs, repeated headers must have the same token, and other schemes are ignored. Compares hashes of equal
 * length, so the comparison takes the same time for every wrong token.
 */
function isBearer({ headersDistinct: { authorization = [] } }: Request, token: string): boolean {
  const sent = authorization.flatMap((value) => /^Bearer +(\S+) *$/i.exec(value)?.[1] ?? []);
  return sent.length > 0 && sent.every((one) => timingSafeEqual(digest(one), digest(token)));
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

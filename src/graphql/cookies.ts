import type { CookieOptions, Request, Response } from 'express';
import { ServiceError } from '../contract/errors.ts';
import { isSessionToken } from '../domain/access/tokens.ts';
import { visitorOfToken } from '../domain/access/visitors.ts';
import type { Services, Visitor } from '../domain/context.ts';

/** Under https a browser takes the name from this host alone, and never from a page below it. */
const HOST_PREFIX = '__Host-';

const isSecure = (url: string) => url.startsWith('https:');

function named(url: string, name: string): string {
  return isSecure(url) ? `${HOST_PREFIX}${name}` : name;
}

const sessionCookie = ({ publicUrl }: Services) => named(publicUrl, 'parley_session');

const visitorCookie = ({ chatUrl }: Services, deploymentId: string) => named(chatUrl, `parley_visitor_${deploymentId}`);

/** No script reads it, and no page of another site sends it. */
function options(url: string): CookieOptions {
  return { httpOnly: true, sameSite: 'strict', secure: isSecure(url), path: '/' };
}

/** Whether the browser has a session's cookie, over or not. */
export function hasSessionCookie(services: Services, request: Request): boolean {
  return cookieOf(request, sessionCookie(services)) !== undefined;
}

export function setSessionCookie(services: Services, response: Response, token: string, expires: Date): void {
  response.cookie(sessionCookie(services), token, { ...options(services.publicUrl), expires });
}

export function clearSessionCookie(services: Services, response: Response | undefined): void {
  response?.clearCookie(sessionCookie(services), options(services.publicUrl));
}

export function setVisitorCookie(
  services: Services,
  response: Response,
  deploymentId: string,
  { token, until }: { readonly token: string; readonly until: Date },
): void {
  response.cookie(visitorCookie(services, deploymentId), token, { ...options(services.chatUrl), expires: until });
}

/** A cookie of the request. Ours hold nothing that would have to be decoded. */
function cookieOf(request: Request, name: string): string | undefined {
  for (const pair of request.get('cookie')?.split(';') ?? []) {
    const [key, ...value] = pair.split('=');
    if (key?.trim() === name) return value.join('=').trim();
  }
  return undefined;
}

/**
 * The token of the session that a page of this service has (WIRE 4).
 * @throws {ServiceError} origin_not_allowed where the request is not one of this service's own pages
 */
export function sessionTokenOf(services: Services, request: Request): string | undefined {
  const token = cookieOf(request, sessionCookie(services));
  if (token === undefined) return undefined;
  const page = pageOf(services, request);
  if (page === 'another' || (page === 'unknown' && !isBeyondOthers(request))) {
    throw new ServiceError(
      'origin_not_allowed',
      "The session's cookie is for pages of this service alone: send Origin or Sec-Fetch-Site, or the token as a bearer.",
    );
  }
  return isSessionToken(token) ? token : '';
}

/** Any of them makes a browser ask first, whether this origin takes it from that one. */
const ASKED_FIRST = ['x-requested-with', 'apollo-require-preflight', 'x-environment', 'idempotency-key'];

/**
 * Whether no page of another origin can have a browser send this by itself. GraphQL takes bodies of JSON alone, which
 * none can, but reads by GET too; REST changes by POSTs without a body, and only reads by GET.
 */
function isBeyondOthers(request: Request): boolean {
  const isRead = /^(GET|HEAD)$/.test(request.method);
  if (request.baseUrl !== '/graphql') return isRead;
  return (
    !isRead ||
    request.is('application/json') === 'application/json' ||
    ASKED_FIRST.some((name) => request.get(name) !== undefined)
  );
}

/** The visitor that the browser is of a deployment, if its hosted page has made it one. */
export function visitorOf(services: Services, request: Request, deploymentId: string): Visitor | undefined {
  const token = cookieOf(request, visitorCookie(services, deploymentId));
  if (token === undefined || pageOf(services, request) === 'another') return undefined;
  return visitorOfToken(services.secretBox, deploymentId, token, new Date());
}

/** Whose page sends a request, as far as the browser says so. */
function pageOf({ publicUrl, chatUrl }: Services, request: Request): 'own' | 'another' | 'unknown' {
  const site = request.get('sec-fetch-site');
  // An address that somebody has typed is no page's.
  if (site === 'none') return 'unknown';
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'another';
  const origin = request.get('origin');
  if (origin === undefined) return 'unknown';
  if (!URL.canParse(origin)) return 'another';
  const own = [publicUrl, chatUrl].map((url) => new URL(url).origin);
  return own.includes(origin) || new URL(origin).host === request.get('host') ? 'own' : 'another';
}

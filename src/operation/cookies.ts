import { ServiceError } from '../contract/errors.ts';
import { isSessionToken } from '../domain/access/tokens.ts';
import { visitorOfToken } from '../domain/access/visitors.ts';
import type { Visitor } from '../domain/caller.ts';
import type { Services } from '../domain/context.ts';
import type { CookieOptions, Exchange } from './exchange.ts';

/** With this prefix, browsers accept the cookie only from this host over https, not from subdomains. */
const HOST_PREFIX = '__Host-';

const isSecure = (url: string) => url.startsWith('https:');

function cookieName(url: string, name: string): string {
  return isSecure(url) ? `${HOST_PREFIX}${name}` : name;
}

const sessionCookie = ({ settings: { publicUrl } }: Services) => cookieName(publicUrl, 'parley_session');

const visitorCookie = ({ settings: { chatUrl } }: Services, deploymentId: string) =>
  cookieName(chatUrl, `parley_visitor_${deploymentId}`);

/** Scripts cannot read the cookie, and pages of other sites do not send it. */
function options(url: string): CookieOptions {
  return { httpOnly: true, sameSite: 'strict', secure: isSecure(url), path: '/' };
}

/** Whether the browser sends a session cookie, expired or not. */
export function hasSessionCookie(services: Services, exchange: Exchange): boolean {
  return cookieOf(exchange, sessionCookie(services)) !== undefined;
}

export function setSessionCookie(services: Services, exchange: Exchange, token: string, expires: Date): void {
  exchange.setCookie(sessionCookie(services), token, { ...options(services.settings.publicUrl), expires });
}

export function clearSessionCookie(services: Services, exchange: Exchange): void {
  exchange.clearCookie(sessionCookie(services), options(services.settings.publicUrl));
}

export function setVisitorCookie(
  services: Services,
  exchange: Exchange,
  deploymentId: string,
  { token, until }: { readonly token: string; readonly until: Date },
): void {
  exchange.setCookie(visitorCookie(services, deploymentId), token, {
    ...options(services.settings.chatUrl),
    expires: until,
  });
}

/** The cookie of a single sign-on. The provider's page sends the browser back, so it cannot be strict. */
const signOnCookie = ({ settings: { publicUrl } }: Services) => cookieName(publicUrl, 'parley_sign_on');

const signOnOptions = ({ settings: { publicUrl } }: Services): CookieOptions => ({
  ...options(publicUrl),
  sameSite: 'lax',
});

export function setSignOnCookie(services: Services, exchange: Exchange, value: string, expires: Date): void {
  exchange.setCookie(signOnCookie(services), value, { ...signOnOptions(services), expires });
}

/** Returns the value of the cookie and clears it. */
export function takeSignOnCookie(services: Services, exchange: Exchange): string | undefined {
  return takeCookie(exchange, signOnCookie(services), signOnOptions(services));
}

function takeCookie(exchange: Exchange, name: string, options: CookieOptions): string | undefined {
  const value = cookieOf(exchange, name);
  if (value !== undefined) exchange.clearCookie(name, options);
  return value;
}

/** The cookie of a sign-in to an MCP server. Only pages of this service finish it. */
const integrationCookie = ({ settings: { publicUrl } }: Services) => cookieName(publicUrl, 'parley_integration');

export function setIntegrationCookie(services: Services, exchange: Exchange, value: string, expires: Date): void {
  exchange.setCookie(integrationCookie(services), value, { ...options(services.settings.publicUrl), expires });
}

/** Returns the value of the cookie and clears it. */
export function takeIntegrationCookie(services: Services, exchange: Exchange): string | undefined {
  return takeCookie(exchange, integrationCookie(services), options(services.settings.publicUrl));
}

/** The cookie with the ID of the request of an app. The authorization server sets it in the browser that sent the request. */
export const connectionCookie = (publicUrl: string) => cookieName(publicUrl, 'parley_connection');

/**
 * Whether the browser started the request of an app. Otherwise somebody else could have sent the member a link, and would
 * receive the code.
 */
export function hasConnectionCookie(services: Services, exchange: Exchange, requestId: string): boolean {
  return cookieOf(exchange, connectionCookie(services.settings.publicUrl)) === requestId;
}

/** The request of an app that the browser has started last. */
export function connectionRequestOf(services: Services, exchange: Exchange): string | undefined {
  return cookieOf(exchange, connectionCookie(services.settings.publicUrl));
}

/** The cookies with which an end user signs in for the request of an app. The issuer sends the browser back. */
const ENTRY_COOKIES = { attempt: 'parley_connection_attempt', user: 'parley_connection_user' } as const;

type EntryCookie = keyof typeof ENTRY_COOKIES;

const entryCookie = ({ settings: { publicUrl } }: Services, name: EntryCookie) =>
  cookieName(publicUrl, ENTRY_COOKIES[name]);

export function setEntryCookie(
  services: Services,
  exchange: Exchange,
  name: EntryCookie,
  { cookie, until: expires }: { readonly cookie: string; readonly until: Date },
): void {
  exchange.setCookie(entryCookie(services, name), cookie, { ...signOnOptions(services), expires });
}

export function readEntryCookie(services: Services, exchange: Exchange, name: EntryCookie): string | undefined {
  return cookieOf(exchange, entryCookie(services, name));
}

export function clearEntryCookie(services: Services, exchange: Exchange, name: EntryCookie): void {
  exchange.clearCookie(entryCookie(services, name), signOnOptions(services));
}

/** @throws {ServiceError} origin_not_allowed when the request does not come from one of this service's own pages */
export function requireOwnPage(services: Services, exchange: Exchange): void {
  if (pageOf(services, exchange) === 'own') return;
  throw new ServiceError(
    'origin_not_allowed',
    'This works only on pages of this service. Send Origin or Sec-Fetch-Site.',
  );
}

/** A cookie of the request. Values of this service need no decoding. */
function cookieOf(exchange: Exchange, name: string): string | undefined {
  for (const pair of exchange.header('cookie')?.split(';') ?? []) {
    const [key, ...value] = pair.split('=');
    if (key?.trim() === name) return value.join('=').trim();
  }
  return undefined;
}

/**
 * The session token of a page of this service.
 * @throws {ServiceError} origin_not_allowed when the request does not come from one of this service's own pages
 */
export function sessionTokenOf(services: Services, exchange: Exchange): string | undefined {
  const token = cookieOf(exchange, sessionCookie(services));
  if (token === undefined) return undefined;
  const page = pageOf(services, exchange);
  if (page === 'another' || (page === 'unknown' && !needsPreflight(exchange))) {
    throw new ServiceError(
      'origin_not_allowed',
      'The session cookie works only on pages of this service. Send Origin or Sec-Fetch-Site, or send the token as `Authorization: Bearer`.',
    );
  }
  return isSessionToken(token) ? token : '';
}

/** A browser sends a preflight before a cross-origin request that carries one of these. */
const PREFLIGHT_HEADERS = ['x-requested-with', 'apollo-require-preflight', 'x-environment', 'idempotency-key'];

/**
 * Whether browsers send a preflight before a cross-origin page sends this request, or the request only reads. GraphQL
 * accepts only JSON bodies, which need a preflight, but also GET. REST accepts POST without a body.
 */
function needsPreflight(exchange: Exchange): boolean {
  const isRead = exchange.method === 'GET' || exchange.method === 'HEAD';
  if (!exchange.isGraphql) return isRead;
  return !isRead || exchange.isJson || PREFLIGHT_HEADERS.some((name) => exchange.header(name) !== undefined);
}

/** The visitor of a deployment, if its hosted page has set a cookie in this browser. */
export function visitorOf(services: Services, exchange: Exchange, deploymentId: string): Visitor | undefined {
  const token = cookieOf(exchange, visitorCookie(services, deploymentId));
  if (token === undefined || pageOf(services, exchange) === 'another') return undefined;
  return visitorOfToken(services.settings.secretBox, deploymentId, token, new Date());
}

/** Longer origins are not parsed: they cannot be pages of this service. */
const ORIGIN_LENGTH = 512;

/** The page that sends the request, according to the browser's headers. */
function pageOf({ settings: { publicUrl, chatUrl } }: Services, exchange: Exchange): 'own' | 'another' | 'unknown' {
  const site = exchange.header('sec-fetch-site');
  // The user entered the URL: no page sends the request.
  if (site === 'none') return 'unknown';
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'another';
  const origin = exchange.header('origin');
  if (origin === undefined) return 'unknown';
  if (origin.length > ORIGIN_LENGTH || !URL.canParse(origin)) return 'another';
  const own = [publicUrl, chatUrl].map((url) => new URL(url).origin);
  return own.includes(origin) || new URL(origin).host === exchange.header('host') ? 'own' : 'another';
}

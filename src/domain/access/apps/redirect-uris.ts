import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Schemes with which a browser runs or shows something itself, instead of opening a program. */
const FORBIDDEN: readonly string[] = ['javascript:', 'vbscript:', 'data:', 'blob:', 'file:', 'about:'];

/** Everybody on the way can read an address without TLS, unless it is on the computer of the member. */
export function isSafeRedirect(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol !== 'http:' || LOOPBACK.includes(hostname);
}

/** The redirect URIs of an app that registers itself. @throws {ServiceError} invalid_request */
export function readRedirectUris(input: unknown): readonly string[] {
  if (!Array.isArray(input) || input.length === 0 || input.length > LIMITS.appRedirectUris) {
    throw wrong([], `must be a list of 1 to ${LIMITS.appRedirectUris} redirect URIs`);
  }
  return input.map(readRedirectUri);
}

function readRedirectUri(input: unknown, index: number): string {
  if (typeof input !== 'string' || input.length > LIMITS.appRedirectUriLength) {
    throw wrong([index], `must be a string of at most ${LIMITS.appRedirectUriLength} characters`);
  }
  // A parser of URLs drops or changes others, and redirect URIs are compared exactly.
  if (!/^[\x21-\x7e]+$/.test(input) || !URL.canParse(input)) throw wrong([index], 'must be a URI in ASCII characters');
  const { protocol, hostname } = new URL(input);
  if (input.includes('#')) throw wrong([index], 'must not have a fragment');
  if (FORBIDDEN.includes(protocol)) throw wrong([index], `must not have the scheme ${protocol}`);
  if (!isSafeRedirect(input)) throw wrong([index], 'must begin with https, unless it is a loopback address');
  if (protocol === 'https:' && LOOPBACK.includes(hostname)) {
    throw wrong([index], 'must begin with http if it is a loopback address');
  }
  return input;
}

function wrong(path: readonly number[], rule: string): ServiceError {
  return new ServiceError('invalid_request', `{param} ${rule}.`, { param: ['redirect_uris', ...path] });
}

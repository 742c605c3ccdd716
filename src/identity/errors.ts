import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { OidcError } from '../domain/access/sso/oidc-port.ts';
import { findGuardError } from '../outbound/guarded-fetch-error.ts';

/** Errors of a response that breaks a rule, not of a provider that fails. */
const INVALID = new Set([
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
  'OAUTH_PARSE_ERROR',
]);

/** The error for the page and the log. Messages of the library can contain claims, so only its codes are used. */
export function errorOf(error: unknown): OidcError {
  const own = findOwn(error);
  if (own) return own;
  const library = findLibraryError(error);
  if (library) return library;
  const guard = findGuardError(error);
  return new OidcError('failed', guard ? guard.message : 'The provider did not respond as expected.');
}

function findOwn(error: unknown): OidcError | undefined {
  if (error instanceof OidcError) return error;
  return error instanceof Error && error.cause !== undefined ? findOwn(error.cause) : undefined;
}

function findLibraryError(error: unknown): OidcError | undefined {
  if (error instanceof AuthorizationResponseError) {
    return new OidcError('denied', `The provider refused the sign-in: ${safe(error.error)}.`);
  }
  if (error instanceof ResponseBodyError) {
    return new OidcError('invalid', `The provider rejected the code: ${safe(error.error)}.`);
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    return new OidcError('invalid', 'The provider rejected the credentials of the service.');
  }
  if (error instanceof ClientError) {
    const code = error.code ?? 'unknown';
    const failure = INVALID.has(code) ? 'invalid' : 'failed';
    return new OidcError(failure, `The response of the provider is not valid: ${safe(code)}.`);
  }
  return error instanceof Error && error.cause !== undefined ? findLibraryError(error.cause) : undefined;
}

/** A code of the provider, if it is one. */
function safe(code: string): string {
  return /^[\w.-]{1,64}$/.test(code) ? code : 'unknown';
}

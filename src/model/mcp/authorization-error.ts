import {
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import { AuthorizationError } from '../../domain/actions/mcp-authorization-port.ts';
import { GuardedFetchError } from '../../outbound/guarded-fetch-error.ts';

/** Another attempt can succeed. The package uses the first one for each response that is not JSON. */
const TEMPORARY: ReadonlySet<string> = new Set([
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
]);

const OF_CLIENT: ReadonlySet<string> = new Set([OAuthErrorCode.InvalidClient, OAuthErrorCode.UnauthorizedClient]);

/** Converts an error of the package or of the guarded client. The texts of servers stay in `cause`. */
export function authorizationErrorOf(fault: unknown): AuthorizationError {
  const cause = fault instanceof GuardedFetchError && fault.kind === 'failed' && fault.cause ? fault.cause : fault;
  if (cause instanceof AuthorizationError) return cause;
  if (cause instanceof GuardedFetchError) return new AuthorizationError('failed', cause.message, fault);
  if (cause instanceof OAuthError) return tokenError(cause, fault);
  if (cause instanceof IssuerMismatchError) {
    return new AuthorizationError('rejected', 'The response comes from another authorization server.', fault);
  }
  if (cause instanceof InsecureTokenEndpointError) {
    return new AuthorizationError('rejected', 'The authorization server does not use https.', fault);
  }
  if (cause instanceof RegistrationRejectedError) {
    const message = `The authorization server refused to register this service (${cause.status}). Enter a client ID that its operator gives you.`;
    return new AuthorizationError('rejected', message, fault);
  }
  const message = 'The authorization server could not be reached, or its response does not follow the protocol.';
  return new AuthorizationError('failed', message, fault);
}

function tokenError({ code }: OAuthError, cause: unknown): AuthorizationError {
  if (TEMPORARY.has(code)) {
    return new AuthorizationError('failed', 'The authorization server failed. Try again later.', cause);
  }
  // The code is the server's text.
  const shown = Object.values<string>(OAuthErrorCode).includes(code) ? ` (${code})` : '';
  const failure = OF_CLIENT.has(code) ? 'client' : 'rejected';
  return new AuthorizationError(failure, `The authorization server refused the request${shown}.`, cause);
}

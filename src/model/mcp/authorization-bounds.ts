import { LIMITS } from '../../contract/limits.ts';
import {
  AuthorizationError,
  type AuthorizationServer,
  type OAuthClient,
} from '../../domain/actions/mcp-authorization-port.ts';

/** The methods that the service can use. Others are not stored. */
const METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** The database cannot store each character, and addresses and scopes have no others. */
const PRINTABLE = /^[\x20-\x7e]*$/;

/** @throws {AuthorizationError} if a text of the server is too long to be stored */
export function boundedServer(server: AuthorizationServer): AuthorizationServer {
  const { issuer, tokenEndpoint, revocationEndpoint, resource } = server;
  for (const url of [issuer, tokenEndpoint, revocationEndpoint, resource]) if (url !== undefined) requireUsableUrl(url);
  return { ...server, authMethods: METHODS.filter((method) => server.authMethods.includes(method)) };
}

/** @throws {AuthorizationError} if the server has issued a client ID or secret that is too long */
export function boundedClient({ authMethod, ...client }: OAuthClient): OAuthClient {
  const most = LIMITS.integrationClientLength;
  if (client.clientId.length > most || (client.clientSecret?.length ?? 0) > most) {
    throw new AuthorizationError('rejected', 'The authorization server issued a client ID or secret that is too long.');
  }
  return { ...client, authMethod: METHODS.find((method) => method === authMethod) };
}

/** @throws {AuthorizationError} */
export function requireUsableUrl(url: string): void {
  if (url.length <= LIMITS.integrationSignInUrlLength && PRINTABLE.test(url)) return;
  throw new AuthorizationError(
    'rejected',
    'The MCP server or its authorization server names an address that is too long or no URL.',
  );
}

/** @throws {AuthorizationError} */
export function requireUsableScope(scope: string): void {
  if (scope.length <= LIMITS.integrationScopeLength && PRINTABLE.test(scope)) return;
  throw new AuthorizationError('rejected', 'The MCP server asks for too many scopes.');
}

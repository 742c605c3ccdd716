import type { SomeServices } from '../../context.ts';
import type { ClientMetadata } from '../mcp-authorization-port.ts';

/** Where authorization servers send the browser back, with the ID of the integration after it. */
export const SIGN_IN_CALLBACK_PATH = '/sign-in/integration/callback';

/** The path of the documents that describe this service as a client, with the ID of the integration after it. */
export const CLIENT_DOCUMENT_PATH = '/oauth/client';

type WithUrl = SomeServices<'publicUrl'>;

/**
 * The address for the response of the authorization server. Each integration has its own: otherwise a hostile MCP server
 * could send the browser to the authorization server of another integration, and receive the code that it issues.
 */
export function signInRedirectUri({ settings: { publicUrl } }: WithUrl, integrationId: string): string {
  return `${publicUrl}${SIGN_IN_CALLBACK_PATH}/${integrationId}`;
}

/** The client ID of the document. Undefined: the service has no https address, so no server would read it. */
export function clientDocumentUrl(services: WithUrl, integrationId: string): string | undefined {
  return services.settings.publicUrl.startsWith('https:') ? documentUrl(services, integrationId) : undefined;
}

function documentUrl({ settings: { publicUrl } }: WithUrl, integrationId: string): string {
  return `${publicUrl}${CLIENT_DOCUMENT_PATH}/${integrationId}.json`;
}

/** How the service describes itself to authorization servers (RFC 7591). It has no secret of its own. */
export function clientMetadata(redirectUri: string): ClientMetadata {
  return {
    client_name: 'Parley',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

/** The client ID metadata document. It is the same whether the integration exists or not, so it discloses nothing. */
export function clientDocument(services: WithUrl, integrationId: string): object {
  const metadata = clientMetadata(signInRedirectUri(services, integrationId));
  return { client_id: documentUrl(services, integrationId), client_uri: services.settings.publicUrl, ...metadata };
}

import { SCOPES, type Scope } from '../../contract/scopes.ts';
import type { Settings } from '../../domain/context.ts';

/** The document of RFC 8414. */
export function authorizationServerMetadata({
  publicUrl,
  appRegistration,
}: Pick<Settings, 'publicUrl' | 'appRegistration'>): object {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    ...(appRegistration && { registration_endpoint: `${publicUrl}/oauth/register` }),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['ES256', 'EdDSA', 'PS256', 'RS256'],
    revocation_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    revocation_endpoint_auth_signing_alg_values_supported: ['ES256', 'EdDSA', 'PS256', 'RS256'],
    scopes_supported: SCOPES,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

/** What the document of RFC 9728 says about an address of this service. */
interface Resource {
  readonly resource: string;
  readonly name?: string | undefined;
  readonly scopes?: readonly Scope[];
}

/** The document of RFC 9728. */
export function resourceMetadata(publicUrl: string, { resource, name = 'Parley', scopes = SCOPES }: Resource): object {
  return {
    resource,
    resource_name: name,
    authorization_servers: [publicUrl],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
  };
}

import { SCOPES } from '../../contract/scopes.ts';

/** The document of RFC 8414. */
export function authorizationServerMetadata(publicUrl: string): object {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
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

/** The document of RFC 9728 about one of the addresses of this service. */
export function resourceMetadata(publicUrl: string, resource: string): object {
  return {
    resource,
    resource_name: 'Parley',
    authorization_servers: [publicUrl],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
  };
}

/** How the service identifies itself at an authorization server. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** How the server expects the secret. Undefined: the service chooses by the server's metadata. */
  readonly authMethod?: string | undefined;
  /** `entered` by a member, the `document` of this service, or `registered` at the server on request. */
  readonly source: 'entered' | 'document' | 'registered';
  /** The only authorization server that gets the secret. Undefined until the first sign-in with an entered client. */
  readonly issuer?: string | undefined;
  /** The address that the client was registered for. */
  readonly redirectUri?: string | undefined;
}

/** What the service keeps about an authorization server. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** False: the server describes itself nowhere, and `issuer` is only its address. */
  readonly isDescribed: boolean;
  readonly tokenEndpoint: string;
  /** Undefined: the server cannot revoke tokens. */
  readonly revocationEndpoint?: string | undefined;
  readonly authMethods: readonly string[];
  /** Whether its responses name it (RFC 9207). */
  readonly namesIssuer: boolean;
  /** The identifier of the MCP server (RFC 8707). Undefined: the MCP server does not describe itself. */
  readonly resource?: string | undefined;
}

/** The tokens of a sign-in. */
export interface OAuthTokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Seconds until the access token expires. Undefined: the server does not say it. */
  readonly expiresIn: number | undefined;
}

/** The description of a client (RFC 7591). */
export interface ClientMetadata {
  readonly client_name: string;
  readonly redirect_uris: string[];
  readonly grant_types: string[];
  readonly response_types: string[];
  readonly token_endpoint_auth_method: string;
}

/** What a sign-in begins with. */
export interface AuthorizationStart {
  /** The URL of the MCP server. */
  readonly url: string;
  /** The scopes that the server asked for before. Undefined: those that it asks for now. */
  readonly scope: string | undefined;
  readonly state: string;
  readonly redirectUri: string;
  /** How the service describes itself when it registers (RFC 7591). */
  readonly metadata: ClientMetadata;
  /** The address of the document of this service. Undefined: it has no https address. */
  readonly documentUrl: string | undefined;
  /** Undefined: the service uses its document or registers. */
  readonly client: OAuthClient | undefined;
}

/** A sign-in that waits for the response of the authorization server. */
export interface StartedAuthorization {
  /** The page for the browser. */
  readonly authorizationUrl: string;
  /** The secret of PKCE. */
  readonly codeVerifier: string;
  readonly server: AuthorizationServer;
  readonly client: OAuthClient;
  readonly scope: string | undefined;
}

/** The parts of a started sign-in that belong to requests for tokens. */
export interface TokenRequest {
  readonly server: AuthorizationServer;
  readonly client: OAuthClient;
}

/**
 * `rejected`: the code or token is not valid any more. `client`: the server does not know the client. `failed`: another
 * attempt can succeed.
 */
export type AuthorizationFailure = 'rejected' | 'client' | 'failed';

/** A failed step of a sign-in. `message` is safe to show: it contains neither tokens nor the server's text. */
export class AuthorizationError extends Error {
  readonly failure: AuthorizationFailure;

  constructor(failure: AuthorizationFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'AuthorizationError';
    this.failure = failure;
  }
}

/** Signs in to MCP servers with OAuth. Implemented in `src/model`. */
export interface McpAuthorizationPort {
  /** Finds the authorization server of an MCP server, and registers if needed. @throws {AuthorizationError} */
  start(input: AuthorizationStart): Promise<StartedAuthorization>;
  /** Exchanges the code of a response. `iss` is its parameter of that name. @throws {AuthorizationError} */
  redeem(
    request: TokenRequest & {
      readonly code: string;
      readonly iss: string | undefined;
      readonly codeVerifier: string;
      readonly redirectUri: string;
    },
  ): Promise<OAuthTokens>;
  /** Exchanges a refresh token. The result has the old one if the server keeps it. @throws {AuthorizationError} */
  refresh(request: TokenRequest & { readonly refreshToken: string }): Promise<OAuthTokens>;
  /** @throws {AuthorizationError} */
  revoke(request: TokenRequest & { readonly token: string }): Promise<void>;
}

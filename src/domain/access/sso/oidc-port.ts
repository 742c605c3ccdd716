/** The registration of a workspace at its provider. */
export interface OidcClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What binds the response of the provider to one attempt of one browser. */
export interface OidcAttempt {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** The secret of PKCE. */
  readonly codeVerifier: string;
}

/** Facts of the provider about a person. `sub` identifies them. Other claims are not checked. */
export type OidcClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** `denied`: the provider refused the person. `invalid`: its response breaks a rule. `failed`: everything else. */
export type OidcFailure = 'failed' | 'denied' | 'invalid';

/** A provider that cannot be used. `message` contains no secret and no token. */
export class OidcError extends Error {
  readonly failure: OidcFailure;

  constructor(failure: OidcFailure, message: string) {
    super(message);
    this.name = 'OidcError';
    this.failure = failure;
  }
}

/** Signs people in with OpenID Connect. Implemented in `src/identity`. */
export interface OidcPort {
  /** Reads the configuration of a provider. Returns why it cannot be used, in words that are safe to show. */
  problemOf(issuer: string): Promise<string | undefined>;
  /** The page of the provider for the browser. @throws {OidcError} */
  authorizationUrl(client: OidcClient, attempt: OidcAttempt): Promise<URL>;
  /**
   * Redeems the code of a response and validates the ID token: signature, issuer, audience, expiry, nonce.
   * @throws {OidcError}
   */
  claimsOf(client: OidcClient, attempt: OidcAttempt, response: URLSearchParams): Promise<OidcClaims>;
}

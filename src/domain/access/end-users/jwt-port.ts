/** What a JWT says about itself before its signature is verified. It only selects the settings to verify it with. */
export interface UnverifiedJwt {
  readonly issuer: string;
  readonly audiences: readonly string[];
}

/** How the JWTs of an environment are verified. */
export interface JwtRule {
  readonly issuer: string;
  readonly audience: string;
  /** The URL of the public keys. */
  readonly jwksUrl: string;
}

/** The claims of a JWT with a valid signature, issuer, audience and time. */
export interface VerifiedJwt {
  /** `sub`: 1 to 255 characters that the database can store. */
  readonly subject: string;
  readonly issuedAt: Date;
  /** When the JWT is no longer accepted: at `exp`, or the longest time after `iat`. */
  readonly expiresAt: Date;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Verifies JWTs of other servers. Implemented in `src/identity`. */
export interface JwtPort {
  /** Parses a JWT after a check of its size. Undefined if it cannot be valid, for example with a symmetric algorithm. */
  read(token: string): UnverifiedJwt | undefined;
  /**
   * Verifies a JWT. Undefined if it is not valid.
   * @param waitMs milliseconds to wait for the keys. Default: the time limit of the request for them.
   * @throws {ServiceError} unavailable if the keys could not be read
   */
  verify(token: string, rule: JwtRule, waitMs?: number): Promise<VerifiedJwt | undefined>;
  /** Reads the keys with a new request. Returns why they cannot be used, in words that are safe to show. */
  problemOf(jwksUrl: string): Promise<string | undefined>;
}

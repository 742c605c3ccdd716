/** Verifies responses to the challenges of a provider. Implemented in `src/identity`. */
export interface ChallengePort {
  /** The public key that pages show the challenge with. */
  readonly siteKey: string;
  /**
   * Whether the visitor at this address has solved the challenge.
   * @throws {ServiceError} unavailable if the provider gives no valid answer in time
   */
  verify(response: string, address: string): Promise<boolean>;
}

import type { Token, TokenSource } from '../../sdk/index.ts';
import { requestToken } from './host-token.ts';

/** The user of a hosted page, whom the page around it has identified. */
export interface UserSession {
  /** For the SDK, which renews the token. */
  readonly getToken: TokenSource;
}

/** @throws {Error} if the page around this one identifies nobody */
export async function openUserSession(allowlist: readonly string[]): Promise<UserSession> {
  let first: Token | undefined = await requestToken(allowlist);
  return {
    getToken() {
      const token = first ?? requestToken(allowlist);
      first = undefined;
      return token;
    },
  };
}

import type { Token, TokenSource } from '../../sdk/index.ts';
import { requestToken } from './host-token.ts';

/** The user of a hosted page, whom the page around it has identified. */
export interface UserSession {
  /** For the SDK, which renews the token. */
  readonly getToken: TokenSource;
  /** The newest token that has not expired, for requests outside of the SDK. */
  currentToken(): Promise<string>;
  /** The newest token is not valid any more. */
  forgetToken(): void;
}

/** A token is renewed so long before it expires. */
const MARGIN_MS = 5_000;

/** @throws {Error} if the page around this one identifies nobody */
export async function openUserSession(allowlist: readonly string[]): Promise<UserSession> {
  let first: Token | undefined = await requestToken(allowlist);
  let newest: Token | undefined = first;
  const renew = async (): Promise<Token> => {
    newest = await requestToken(allowlist);
    return newest;
  };
  return {
    getToken() {
      const token = first ?? renew();
      first = undefined;
      return token;
    },
    async currentToken() {
      const token = newest && !isExpiring(newest) ? newest : await renew();
      return typeof token === 'string' ? token : token.token;
    },
    forgetToken() {
      newest = undefined;
    },
  };
}

function isExpiring(token: Token): boolean {
  if (typeof token === 'string' || token.expiresAt === undefined) return false;
  return new Date(token.expiresAt).getTime() - MARGIN_MS < Date.now();
}

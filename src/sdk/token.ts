import { callOption } from './error.ts';

/** A token, and when it expires. Without the time, the client renews it only after a 401. */
export type Token = string | { readonly token: string; readonly expiresAt?: string | number | Date | undefined };

/** Returns a new token of the user, from your own server. */
export type TokenSource = () => Token | Promise<Token>;

type Fetch = typeof globalThis.fetch;

/** A token is renewed so long before it expires, for requests that are on their way and clocks that differ. */
const MARGIN_MS = 30_000;

interface Current {
  readonly token: string;
  readonly renewAtMs: number;
}

/**
 * Sends each request with the current token. Renews the token before it expires, and once after a 401. Requests at the same
 * time wait for the same renewal. The token is only in memory.
 */
export function fetchWithToken(fetch: Fetch, getToken: TokenSource): Fetch {
  let current: Current | undefined;
  let renewal: Promise<Current> | undefined;
  const renew = (): Promise<Current> => {
    renewal ??= callOption('token_failed', 'getToken', async () => {
      current = read(await getToken());
      return current;
    }).finally(() => {
      renewal = undefined;
    });
    return renewal;
  };
  const valid = async (): Promise<Current> =>
    current && Date.now() < current.renewAtMs && !renewal ? current : renew();
  return async (input, init) => {
    const used = await valid();
    const response = await fetch(input, withToken(init, used.token));
    if (response.status !== 401) return response;
    // Another request can have renewed the token meanwhile.
    const renewed = current === used ? await renew() : await valid();
    response.body?.cancel().catch(() => {});
    return fetch(input, withToken(init, renewed.token));
  };
}

function read(made: Token): Current {
  const { token, expiresAt } = typeof made === 'string' ? { token: made, expiresAt: undefined } : (made ?? {});
  if (!token) throw new TypeError('it must return a token');
  const endMs = expiresAt === undefined ? Number.POSITIVE_INFINITY : new Date(expiresAt).getTime();
  // A token that lives shorter than the margin is used for half of its life.
  return { token, renewAtMs: Math.max(endMs - MARGIN_MS, (endMs + Date.now()) / 2) };
}

function withToken(init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

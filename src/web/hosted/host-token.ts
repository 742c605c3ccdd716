import { isListedHost } from '../../contract/site-hosts.ts';
import type { Token } from '../../sdk/index.ts';
import { IDENTIFIED, type TokenReply, type TokenRequest } from '../widget/frame-token.ts';

/** Limit: characters of a token. Longer ones exceed the limit of request headers. */
const TOKEN_LENGTH = 8_192;

const TIMEOUT_MS = 10_000;

let lastId = 0;

/** Whether the page is for a user whom the page around it identifies. */
export const isIdentified = new URLSearchParams(location.search).has(IDENTIFIED);

/**
 * Asks the page around this one for a token of its user. Only a page on the deployment's allowlist can answer: any other
 * page could make a visitor write into an account of its own.
 * @throws {Error} if there is no allowed page, or if the user is not signed in
 */
export function requestToken(allowlist: readonly string[]): Promise<Token> {
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('message', onMessage);
    };
    const timer = setTimeout(() => {
      end();
      reject(new Error('no-reply'));
    }, TIMEOUT_MS);
    const onMessage = ({ source, origin, data }: MessageEvent): void => {
      if (source !== parent || parent === window || !isAllowed(allowlist, origin)) return;
      const reply = replyOf(data, id);
      if (!reply) return;
      end();
      if (reply.token === null) reject(new Error('signed-out'));
      else resolve({ token: reply.token, expiresAt: reply.expiresAt });
    };
    addEventListener('message', onMessage);
    const request: TokenRequest = { type: 'parley:token-request', id };
    // The origin of the other page is not known yet. The request contains only a number.
    parent.postMessage(request, '*');
  });
}

function isAllowed(allowlist: readonly string[], origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  return isListedHost(allowlist, hostname) || isListedHost(allowlist, hostname.replace(/^www\./, ''));
}

function replyOf(data: unknown, id: number): TokenReply | undefined {
  const reply = (data ?? {}) as Partial<Record<keyof TokenReply, unknown>>;
  if (reply.type !== 'parley:token' || reply.id !== id) return undefined;
  const { token, expiresAt } = reply;
  if (token === null) return { type: 'parley:token', id, token };
  if (typeof token !== 'string' || token.length > TOKEN_LENGTH || !/^[\w.-]+$/.test(token)) return undefined;
  const end = expiresAt instanceof Date || typeof expiresAt === 'string' ? new Date(expiresAt).getTime() : expiresAt;
  const expiry = typeof end === 'number' && Number.isFinite(end) ? { expiresAt: end } : {};
  return { type: 'parley:token', id, token, ...expiry };
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** How the server answers from now on. */
export interface JwksReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The response never ends. */
  readonly isEndless?: boolean;
}

/** A server of public keys in a process of its own. */
export interface JwksServer {
  readonly url: string;
  answer(reply: JwksReply): Promise<void>;
  /** Publishes the public keys. */
  publish(...keys: readonly SigningKey[]): Promise<void>;
  /** The number of requests so far. */
  requests(): Promise<number>;
  close(): void;
}

export async function startJwksServer(): Promise<JwksServer> {
  const file = join(import.meta.dirname, 'processes/jwks-server.ts');
  const child = fork(file, [], { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const next = async () => ((await once(child, 'message')) as [{ port: number; requests: number }])[0];
  const { port } = await next();
  const ask = (message: { readonly reply?: JwksReply }) => {
    const replied = next();
    child.send(message);
    return replied;
  };
  const answer = async (reply: JwksReply) => void (await ask({ reply }));
  return {
    url: `http://127.0.0.1:${port}/jwks.json`,
    answer,
    publish: async (...keys) => answer({ body: JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }) }),
    requests: async () => (await ask({})).requests,
    close: () => void child.kill(),
  };
}

/** A key pair of a customer's server. */
export interface SigningKey {
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly alg: string;
  readonly privateKey: CryptoKey;
}

export async function newSigningKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }, alg, privateKey };
}

export const ISSUER = 'https://login.example.com/';
export const AUDIENCE = 'parley';

export const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** A JWT of a user. `claims` replace its claims, and undefined removes one. */
export function signJwt(
  { privateKey, alg, jwk }: SigningKey,
  sub: string,
  claims: Readonly<Record<string, unknown>> = {},
  header: object = {},
): Promise<string> {
  const now = nowSeconds();
  const payload = { iss: ISSUER, aud: AUDIENCE, sub, iat: now, exp: now + 600, ...claims } as JWTPayload;
  return new SignJWT(payload).setProtectedHeader({ alg, kid: String(jwk.kid), ...header }).sign(privateKey);
}

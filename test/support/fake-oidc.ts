import { createHmac, createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a fake provider answers the next request for a token. */
export interface TokenPlan {
  /** Claims that differ from those of a correct ID token. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly signature?: 'RS256' | 'unsigned' | 'HS256' | 'unknown key' | 'broken';
  /** The response of the user info endpoint. */
  readonly userInfo?: Readonly<Record<string, unknown>>;
  /** Claims to leave out of the ID token. */
  readonly without?: readonly string[];
}

/** A provider that sends whatever a test wants, for responses that no honest provider sends. */
export interface FakeOidc {
  readonly issuer: string;
  /** The bodies of requests for a token. */
  readonly tokenRequests: URLSearchParams[];
  /** Values that replace those of the configuration. */
  readonly configuration: Record<string, unknown>;
  /** Plans the next token. `nonce` and the client come from the authorization request. */
  plan(authorization: URL, plan?: TokenPlan): void;
  close(): void;
}

export const FAKE_CLIENT = { clientId: 'parley', clientSecret: 'the secret of the client' };

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

export async function startFakeOidc(): Promise<FakeOidc> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const tokenRequests: URLSearchParams[] = [];
  const configuration: Record<string, unknown> = {};
  let next: { readonly nonce: string | null; readonly plan: TokenPlan } = { nonce: null, plan: {} };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const bytes of request) body += bytes;
    const send = (value: object) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return send({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          userinfo_endpoint: `${issuer}/me`,
          id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
          ...configuration,
        });
      case '/jwks':
        return send({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] });
      case '/me':
        return send(next.plan.userInfo ?? {});
      default:
        tokenRequests.push(new URLSearchParams(body));
        return send({
          access_token: 'an access token',
          token_type: 'Bearer',
          id_token: idToken(issuer, next.nonce, next.plan, privateKey),
        });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    tokenRequests,
    configuration,
    plan: (authorization, plan = {}) => {
      next = { nonce: authorization.searchParams.get('nonce'), plan };
    },
    close: () => void server.close(),
  };
}

function idToken(issuer: string, nonce: string | null, plan: TokenPlan, key: KeyObject): string {
  const { claims = {}, signature = 'RS256', without = [] } = plan;
  const at = Math.floor(Date.now() / 1000);
  const all = {
    iss: issuer,
    aud: FAKE_CLIENT.clientId,
    sub: 'person-1',
    iat: at,
    exp: at + 300,
    nonce,
    email: 'ada@acme.test',
    email_verified: true,
    name: 'Ada',
    ...claims,
  };
  const payload = encode(Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name))));
  if (signature === 'unsigned') return `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`;
  const alg = signature === 'HS256' ? 'HS256' : 'RS256';
  const signed = `${encode({ alg, typ: 'JWT', kid: 'one' })}.${payload}`;
  const hmac = () => createHmac('sha256', FAKE_CLIENT.clientSecret).update(signed).digest('base64url');
  if (signature === 'HS256') return `${signed}.${hmac()}`;
  if (signature === 'broken') return `${signed}.${randomUUID()}`;
  const other = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const signer = signature === 'unknown key' ? other() : key;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(signer, 'base64url')}`;
}

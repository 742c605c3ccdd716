import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { fromManyAddresses } from '../support/client.ts';
import { endUserToken, REMOVE_ISSUER, REVOKE_TOKENS, SET_ISSUER } from '../support/end-users.ts';
import { busyMs } from '../support/event-loop.ts';
import {
  AUDIENCE,
  ISSUER,
  type JwksServer,
  newSigningKey,
  nowSeconds,
  type SigningKey,
  signJwt,
  startJwksServer,
} from '../support/jwks-server.ts';
import { errorOf } from '../support/results.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { openSession } from '../support/tenants.ts';

const HOUR = 3_600;

let service: TestService;
let owner: string;
let jwks: JwksServer;
let key: SigningKey;
beforeAll(async () => {
  service = fromManyAddresses(await startService({ trustProxy: 'loopback' }));
  owner = await openSession(service, 'owner');
  jwks = await startJwksServer();
  key = await newSigningKey('one');
  await jwks.publish(key);
  await configure();
});
afterAll(async () => {
  jwks.close();
  await service.close();
});

async function configure(fields: object = {}): Promise<void> {
  const input = { issuer: ISSUER, audience: AUDIENCE, jwksUrl: jwks.url, deploymentIds: [DEMO_CHAT_ID], ...fields };
  expect(errorOf(await service.graphql(SET_ISSUER, { input }, { key: owner }))).toBeUndefined();
}

const list = (token: string) => service.send('GET', '/v1/runner/conversations', { key: token });
const statusOf = async (token: string) => (await list(token)).status;

async function idsOf(token: string): Promise<string[]> {
  const { body } = await service.graphql('{ conversations { nodes { conversationId } } }', {}, { key: token });
  return body.data.conversations.nodes.map(({ conversationId }: { conversationId: string }) => conversationId);
}

const say = (token: string, deploymentId = DEMO_CHAT_ID) =>
  service.send('POST', `/v1/runner/${deploymentId}/conversation`, {
    key: token,
    body: { content: [{ type: 'text', text: 'Hello' }] },
  });

/** Signs a JWT by hand, for headers that the library does not make. */
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a JWT of a customer', () => {
  it('gives a user their own conversations, which a token of Parley for the same user shares', async () => {
    const { status, body } = await say(await signJwt(key, 'ada'));
    expect(status).toBe(200);
    const own = await endUserToken(service, DEMO_CHAT_ID, 'ada');
    for (const token of [await signJwt(key, 'ada'), own]) {
      expect(await idsOf(token)).toEqual([body.conversation_id]);
    }
    expect(await idsOf(await signJwt(key, 'grace'))).toEqual([]);
  });

  it('works only for the deployments of the settings', async () => {
    expect((await say(await signJwt(key, 'ada'), DEMO_AGENT_ID)).status).toBe(404);
  });

  it.each([
    ['RS256', 'RS256'],
    ['PS256', 'PS256'],
    ['Ed25519', 'EdDSA'],
  ])('is accepted with the algorithm %s', async (kid, alg) => {
    const other = await newSigningKey(kid, alg);
    const server = await startJwksServer();
    try {
      await server.publish(other);
      await configure({ jwksUrl: server.url });
      expect(await statusOf(await signJwt(other, 'ada'))).toBe(200);
    } finally {
      await configure();
      server.close();
    }
  });

  it.each<[string, Record<string, unknown>]>([
    ['another issuer', { iss: 'https://other.example.com/' }],
    ['another audience', { aud: 'another' }],
    ['no audience', { aud: undefined }],
    ['too many audiences', { aud: [AUDIENCE, ...Array.from({ length: LIMITS.endUserJwtAudiences }, String)] }],
    ['no expiry', { exp: undefined }],
    ['no time of issue', { iat: undefined }],
    ['a past expiry', { exp: nowSeconds() - 1 }],
    ['a start in the future', { nbf: nowSeconds() + 60 }],
    ['a time of issue in the future', { iat: nowSeconds() + 60 }],
    ['a time of issue too long ago', { iat: nowSeconds() - LIMITS.endUserJwtHours * HOUR - 10 }],
    ['no user', { sub: undefined }],
    ['a blank user', { sub: ' ' }],
    ['a user with a NUL character', { sub: 'a\0b' }],
    ['a user with half of a character', { sub: 'a\ud800' }],
    ['too long a user', { sub: 'x'.repeat(LIMITS.endUserLength + 1) }],
  ])('is 401 with %s', async (_description, claims) => {
    expect(await statusOf(await signJwt(key, 'ada', claims))).toBe(401);
  });

  it('is accepted with the longest user, several audiences and a clock that is slightly ahead', async () => {
    const claims = { aud: ['other', AUDIENCE], iat: nowSeconds() + 2, nbf: nowSeconds() + 2 };
    expect(await statusOf(await signJwt(key, 'x'.repeat(LIMITS.endUserLength), claims))).toBe(200);
  });

  it('is 401 if it is not signed, or with a public key as a secret', async () => {
    const claims = encode({ iss: ISSUER, aud: AUDIENCE, sub: 'ada', iat: nowSeconds(), exp: nowSeconds() + 60 });
    expect(await statusOf(`${encode({ alg: 'none' })}.${claims}.`)).toBe(401);
    expect(await statusOf(`${encode({ alg: 'none' })}.${claims}.AA`)).toBe(401);
    const signed = `${encode({ alg: 'HS256', kid: 'one' })}.${claims}`;
    const signature = createHmac('sha256', JSON.stringify(key.jwk)).update(signed).digest('base64url');
    expect(await statusOf(`${signed}.${signature}`)).toBe(401);
  });

  it('is 401 if its signature or its claims were changed', async () => {
    const [head, claims, signature] = (await signJwt(key, 'ada')).split('.');
    const other = await signJwt(key, 'grace');
    expect(await statusOf(`${head}.${other.split('.')[1]}.${signature}`)).toBe(401);
    expect(await statusOf(`${head}.${claims}.${other.split('.')[2]}`)).toBe(401);
    const stranger = await newSigningKey('one');
    expect(await statusOf(await signJwt(stranger, 'ada'))).toBe(401);
  });

  it('is 401 above the limits of its size and its key ID', async () => {
    const fits = await signJwt(key, 'ada', { pad: 'x'.repeat(4_000) });
    expect(fits.length).toBeLessThan(LIMITS.endUserJwtLength);
    expect(await statusOf(fits)).toBe(200);
    const large = await signJwt(key, 'ada', { pad: 'x'.repeat(6_500) });
    expect(large.length).toBeGreaterThan(LIMITS.endUserJwtLength);
    expect(await statusOf(large)).toBe(401);
    const before = await jwks.requests();
    expect(await statusOf(await signJwt(key, 'ada', {}, { kid: 'x'.repeat(LIMITS.keyIdLength + 1) }))).toBe(401);
    expect(await jwks.requests()).toBe(before);
  });

  it('has only the scopes in its claim, of those that end users can have', async () => {
    await configure({ scopeClaim: 'scope' });
    const write = await signJwt(key, 'ada', { scope: 'openid conversations:write resources:read' });
    expect((await say(write)).status).toBe(200);
    expect(errorOf(await list(write))).toMatchObject({ code: 'forbidden' });
    const read = await signJwt(key, 'ada', { scope: ['conversations:read'] });
    expect([await statusOf(read), (await say(read)).status]).toEqual([200, 403]);
    expect(await statusOf(await signJwt(key, 'ada'))).toBe(403);
    await configure();
  });
});

describe('the end of a JWT', () => {
  const follow = (token: string) =>
    subscribe(service, 'subscription { conversationsChanged { conversationId } }', {}, token);

  it('comes with its expiry, which also ends its open stream within a second', async () => {
    const exp = nowSeconds() + 3;
    const token = await signJwt(key, 'brief', { exp });
    const stream = await follow(token);
    expect(await stream.next()).toBeUndefined();
    expect(Date.now()).toBeGreaterThanOrEqual(exp * 1_000);
    expect(Date.now()).toBeLessThan(exp * 1_000 + busyMs(1_000));
    expect(await statusOf(token)).toBe(401);
  });

  it('comes when the tokens of the user are revoked, unless it was issued later', async () => {
    const [token, other] = [await signJwt(key, 'gone'), await signJwt(key, 'stays')];
    const streams = [await follow(token), await follow(other)];
    await service.graphql(REVOKE_TOKENS, { input: { endUser: 'gone' } });
    expect(await streams[0]?.next()).toBeUndefined();
    expect([await statusOf(token), await statusOf(other)]).toEqual([401, 200]);
    // A clock that is ahead must not save a token from before.
    const ahead = await signJwt(key, 'gone', { iat: nowSeconds() + LIMITS.endUserJwtClockSeconds - 1 });
    expect(await statusOf(ahead)).toBe(401);
    const { prisma } = service.service.services.stores;
    const earlier = new Date(Date.now() - (LIMITS.endUserJwtClockSeconds + 2) * 1_000);
    await prisma.revokedEndUser.updateMany({ data: { revokedAt: earlier } });
    expect(await statusOf(await signJwt(key, 'gone'))).toBe(200);
    await streams[1]?.close();
  });

  it('comes when the issuer is removed or replaced, also for open streams', async () => {
    const token = await signJwt(key, 'ada');
    for (const [document, variables] of [
      [SET_ISSUER, { input: { issuer: ISSUER, audience: 'next', jwksUrl: jwks.url, deploymentIds: [DEMO_CHAT_ID] } }],
      [REMOVE_ISSUER, {}],
    ] as const) {
      await configure();
      const stream = await follow(token);
      await service.graphql(document, variables, { key: owner });
      const endedAt = performance.now();
      expect(await stream.next()).toBeUndefined();
      expect(performance.now() - endedAt).toBeLessThan(busyMs(1_000));
      expect(await statusOf(token)).toBe(401);
    }
    await configure();
    expect(await statusOf(token)).toBe(200);
  });
});

describe('the keys of an issuer', () => {
  it('are read again when a JWT has a new key, and a stranger cannot cause more requests', async () => {
    const rotated = await newSigningKey('two');
    await jwks.publish(key, rotated);
    const before = await jwks.requests();
    expect(await statusOf(await signJwt(rotated, 'ada'))).toBe(200);
    const stranger = await newSigningKey('three');
    for (let round = 0; round < 5; round += 1) {
      const token = await signJwt(stranger, 'ada', {}, { kid: `guess ${round}` });
      expect(await statusOf(token)).toBe(401);
    }
    expect(await jwks.requests()).toBe(before + 1);
  });

  it('are not requested for a JWT of an unknown issuer', async () => {
    const before = await jwks.requests();
    expect(await statusOf(await signJwt(key, 'ada', { iss: 'https://unknown.example.com' }))).toBe(401);
    expect(await jwks.requests()).toBe(before);
  });

  it.each([
    ['a status other than 200', { status: 500 }],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }],
    ['no JSON', { body: 'x' }],
    ['no keys', { body: '{"keys":[]}' }],
    ['only symmetric keys', { body: JSON.stringify({ keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'one' }] }) }],
    ['too many bytes', { body: JSON.stringify({ keys: [], pad: 'x'.repeat(LIMITS.jwksBytes) }) }],
  ])('that cannot be read because of %s make its JWTs 503, with one request', async (_description, reply) => {
    const server = await startJwksServer();
    try {
      await server.answer(reply);
      await configure({ jwksUrl: server.url });
      const responses = await Promise.all([1, 2, 3].map(async () => list(await signJwt(key, 'ada'))));
      responses.push(await list(await signJwt(key, 'ada')));
      expect(responses.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
      expect(responses[0]?.headers.get('retry-after')).not.toBeNull();
      expect(await server.requests()).toBe(1);
    } finally {
      await configure();
      server.close();
    }
  });

  it('with too many keys are not used', async () => {
    const server = await startJwksServer();
    try {
      const keys = Array.from({ length: LIMITS.jwksKeys + 1 }, (_, index) => ({ kty: 'EC', kid: String(index) }));
      await server.answer({ body: JSON.stringify({ keys }) });
      await configure({ jwksUrl: server.url });
      expect(await statusOf(await signJwt(key, 'ada'))).toBe(503);
    } finally {
      await configure();
      server.close();
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnedStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { ERASE_END_USER, endUserToken, REMOVE_ISSUER, REVOKE_TOKENS, SET_ISSUER } from '../support/end-users.ts';
import { busyMs } from '../support/event-loop.ts';
import { AUDIENCE, ISSUER, type JwksServer, newSigningKey, signJwt, startJwksServer } from '../support/jwks-server.ts';
import { createKey, rotateKeyById, statusOf, updateKey } from '../support/keys.ts';
import { accept, inviteToken, removeMember } from '../support/members.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { errorOf } from '../support/results.ts';
import { DEMO_CHAT_ID } from '../support/service.ts';
import { signIn } from '../support/sign-in.ts';
import { subscribe } from '../support/subscriptions.ts';

describe.skipIf(!POSTGRES_URL)('a credential that is revoked on one process, on PostgreSQL', () => {
  let store: OwnedStore;
  let pair: [ServiceProcess, ServiceProcess];
  let jwks: JwksServer | undefined;
  beforeAll(async () => {
    store = await postgresStore();
    // Each attempt to accept comes from a new IP address.
    const proxied = { TRUST_PROXY: '1', ALLOW_LOOPBACK: 'true' };
    pair = await Promise.all([startOn(store, proxied), startOn(store, proxied)]);
  });
  afterAll(async () => {
    jwks?.close();
    await killAll();
    await store.remove();
  });

  it('ends its subscription on another process within a second after a rotation, and gets 401 there at once', async () => {
    const [first, second] = pair;
    const created = await first.graphql(
      'mutation { createApiKey(input: { name: "A", scopes: [EVENTS_READ] }) { __typename ... on CreateApiKeyPayload { secret apiKey { apiKeyId } } ... on Error { code message path } } }',
    );
    const { secret, apiKey } = created.body.data.createApiKey;
    const stream = await subscribe(second, 'subscription { eventAppended { cursor } }', {}, secret);
    expect(stream.rejection).toBeUndefined();
    await first.graphql(
      'mutation ($id: ID!) { rotateApiKey(input: { id: $id }) { __typename ... on RotateApiKeyPayload { secret } ... on Error { code message path } } }',
      { id: apiKey.apiKeyId },
    );
    const rotatedAt = performance.now();
    const read = second.send('GET', '/v1/events', { key: secret });
    expect(await stream.next()).toBeUndefined();
    expect(performance.now() - rotatedAt).toBeLessThan(busyMs(1_000));
    expect((await read).status).toBe(401);
  });

  it('expires on every process at its time, and so does a rotated secret at the end of its overlap', async () => {
    const [first, second] = pair;
    const expiring = await createKey(first);
    const rotated = await createKey(first);
    const fresh = await rotateKeyById(first, rotated.id, 1);
    const follow = (key: string) => subscribe(second, 'subscription { eventAppended { cursor } }', {}, key);
    const streams = await Promise.all([expiring.secret, rotated.secret].map(follow));
    expect(streams.map(({ rejection }) => rejection)).toEqual([undefined, undefined]);
    const end = Date.now() + 2_000;
    await updateKey(first, expiring.id, { expiresAt: new Date(end).toISOString() });
    expect(await streams[0]?.next()).toBeUndefined();
    expect(Date.now()).toBeGreaterThanOrEqual(end);
    expect(Date.now()).toBeLessThan(end + busyMs(1_000));
    await expect.poll(() => statusOf(second, expiring.secret)).toBe(401);
    expect(await statusOf(second, rotated.secret)).toBe(200);
    const ended = streams[1]?.next();
    await rotateKeyById(first, rotated.id, 24);
    const rotatedAt = Date.now();
    expect(await ended).toBeUndefined();
    expect(Date.now() - rotatedAt).toBeLessThan(busyMs(1_000));
    expect(await Promise.all([rotated.secret, fresh].map((key) => statusOf(second, key)))).toEqual([401, 200]);
  });

  it('ends the streams of an end user on another process if their tokens are revoked or they are erased', async () => {
    const [first, second] = pair;
    const follow = async (endUser: string) => {
      const token = await endUserToken(first, DEMO_CHAT_ID, endUser);
      return { token, stream: await subscribe(second, 'subscription { conversationsChanged { cursor } }', {}, token) };
    };
    for (const end of [REVOKE_TOKENS, ERASE_END_USER]) {
      const { token, stream } = await follow('ada');
      const other = await follow('grace');
      const ended = stream.next();
      await first.graphql(end, { input: { endUser: 'ada' } });
      const endedAt = performance.now();
      expect(await ended).toBeUndefined();
      expect(performance.now() - endedAt).toBeLessThan(busyMs(1_000));
      const statusWith = async (key: string) => (await second.send('GET', '/v1/runner/conversations', { key })).status;
      expect([await statusWith(token), await statusWith(other.token)]).toEqual([401, 200]);
      await other.stream.close();
    }
  });

  it('ends the streams of a JWT on another process if its user is revoked or erased, and if its issuer is removed', async () => {
    const [first, second] = pair;
    jwks = await startJwksServer();
    const key = await newSigningKey('one');
    await jwks.publish(key);
    const owner = await signIn(first, store);
    const statusWith = async (token: string) =>
      (await second.send('GET', '/v1/runner/conversations', { key: token })).status;
    const input = { issuer: ISSUER, audience: AUDIENCE, jwksUrl: jwks.url, deploymentIds: [DEMO_CHAT_ID] };
    expect(errorOf(await first.graphql(SET_ISSUER, { input }, { key: owner }))).toBeUndefined();
    for (const [end, sender] of [
      [REVOKE_TOKENS, undefined],
      [ERASE_END_USER, undefined],
      [REMOVE_ISSUER, owner],
    ] as const) {
      const user = `user of ${end}`.slice(0, 200);
      const token = await signJwt(key, user);
      const stream = await subscribe(second, 'subscription { conversationsChanged { cursor } }', {}, token);
      expect(stream.rejection).toBeUndefined();
      const ended = stream.next();
      const variables = sender ? {} : { input: { endUser: user } };
      expect(errorOf(await first.graphql(end, variables, sender ? { key: sender } : {}))).toBeUndefined();
      const endedAt = performance.now();
      expect(await ended).toBeUndefined();
      expect(performance.now() - endedAt).toBeLessThan(busyMs(1_000));
      expect(await statusWith(token)).toBe(401);
    }
  });

  it('keeps exactly two of the secrets that two processes make at the same time', async () => {
    const [first, second] = pair;
    for (let round = 0; round < 10; round += 1) {
      const { id, secret } = await createKey(first);
      const made = await Promise.all(pair.map((client) => rotateKeyById(client, id, 24)));
      const statuses = await Promise.all([secret, ...made].map((key) => statusOf(second, key)));
      expect(statuses).toEqual([401, 200, 200]);
    }
  });

  it('ends the subscriptions and sessions of a removed member on another process', async () => {
    const [first, second] = pair;
    const owner = await signIn(first, store);
    const email = 'gone@example.com';
    const token = await inviteToken(first, owner, email, 'developer');
    const joined = await accept(second, { token, name: 'Gone', password: 'long enough it is' });
    const key = joined.body.data.acceptInvitation.token;
    const { body } = await second.send('GET', '/v1/me', { key });
    const stream = await subscribe(second, 'subscription { eventAppended { cursor } }', {}, key);
    await removeMember(first, owner, body.data.user.id);
    const removedAt = performance.now();
    const read = second.send('GET', '/v1/me', { key });
    expect(await stream.next()).toBeUndefined();
    expect(performance.now() - removedAt).toBeLessThan(busyMs(1_000));
    expect((await read).status).toBe(401);
  });

  it('lets one of two acceptances on two processes win, and keeps one of two owners who remove each other', async () => {
    const [first, second] = pair;
    const owner = await signIn(first, store);
    for (let round = 0; round < 10; round += 1) {
      const email = `owner-${round}@example.com`;
      const token = await inviteToken(first, owner, email, 'viewer');
      const twice = [first, second].map((client, index) =>
        accept(client, { token, name: 'A', password: `long enough it is ${index}` }),
      );
      const responses = await Promise.all(twice);
      expect(responses.filter((response) => !errorOf(response))).toHaveLength(1);
    }
    const token = await inviteToken(first, owner, 'other@example.com', 'owner');
    const joined = await accept(second, { token, name: 'Other', password: 'long enough it is' });
    const other = joined.body.data.acceptInvitation.token;
    const idOf = async (key: string) => (await first.send('GET', '/v1/me', { key })).body.data.user.id;
    const [ownerId, otherId] = [await idOf(owner), await idOf(other)];
    const responses = await Promise.all([removeMember(first, owner, otherId), removeMember(second, other, ownerId)]);
    expect(responses.filter((response) => !errorOf(response))).toHaveLength(1);
    const left = await Promise.all([owner, other].map((key) => first.send('GET', '/v1/me', { key })));
    expect(left.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { type OwnedStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { accept, inviteToken, removeMember } from '../support/members.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { errorOf } from '../support/results.ts';
import { subscribe } from '../support/subscriptions.ts';

describe.skipIf(!POSTGRES_URL)('WIRE 4: a credential that is revoked on one process, on PostgreSQL', () => {
  let store: OwnedStore;
  let pair: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    store = await postgresStore();
    // Each attempt to accept comes from a new IP address.
    const proxied = { TRUST_PROXY: '1' };
    pair = await Promise.all([startOn(store, proxied), startOn(store, proxied)]);
  });
  afterAll(async () => {
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
    expect(performance.now() - rotatedAt).toBeLessThan(1_000);
    expect((await read).status).toBe(401);
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
    expect(performance.now() - removedAt).toBeLessThan(1_000);
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

async function signIn(client: Client, { owner }: OwnedStore): Promise<string> {
  const { body } = await client.graphql(
    'mutation ($input: SignInInput!) { signIn(input: $input) { __typename ... on SignInPayload { token } ... on Error { code message path } } }',
    { input: owner },
    { key: null },
  );
  return body.data.signIn.token;
}

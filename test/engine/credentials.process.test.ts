import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { accept, invited, removeMember } from '../support/members.ts';
import { type OwnedPlace, postgres, startAt } from '../support/places.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { subscribe } from '../support/subscriptions.ts';

describe.skipIf(!POSTGRES_URL)('WIRE 4: a credential that ends on one process, on PostgreSQL', () => {
  let home: OwnedPlace;
  let pair: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    home = await postgres();
    // Each attempt to accept comes from an address of its own.
    const proxied = { TRUST_PROXY: '1' };
    pair = await Promise.all([startAt(home, proxied), startAt(home, proxied)]);
  });
  afterAll(async () => {
    await killAll();
    await home.remove();
  });

  it('by rotation ends its subscription on another within a second, and is 401 there from that moment on', async () => {
    const [first, second] = pair;
    const made = await first.graphql(
      'mutation { createApiKey(input: { name: "A", scopes: ["events:read"] }) { secret apiKey { apiKeyId } } }',
    );
    const { secret, apiKey } = made.body.data.createApiKey;
    const stream = await subscribe(second, 'subscription { eventAppended { cursor } }', {}, secret);
    expect(stream.refused).toBeUndefined();
    const rotatedAt = performance.now();
    await first.graphql('mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }', { id: apiKey.apiKeyId });
    expect((await second.send('GET', '/v1/events', { key: secret })).status).toBe(401);
    expect(await stream.next()).toBeUndefined();
    expect(performance.now() - rotatedAt).toBeLessThan(1_000);
  });

  it('ends all that a removed member has open on another, and takes their sessions there no more', async () => {
    const [first, second] = pair;
    const owner = await signIn(first, home);
    const email = 'gone@example.com';
    const token = await invited(first, owner, email, 'developer');
    const joined = await accept(second, { token, name: 'Gone', password: 'long enough it is' });
    const key = joined.body.data.acceptInvitation.token;
    const { body } = await second.send('GET', '/v1/me', { key });
    const stream = await subscribe(second, 'subscription { eventAppended { cursor } }', {}, key);
    const removedAt = performance.now();
    await removeMember(first, owner, body.data.user.id);
    expect((await second.send('GET', '/v1/me', { key })).status).toBe(401);
    expect(await stream.next()).toBeUndefined();
    expect(performance.now() - removedAt).toBeLessThan(1_000);
  });

  it('lets one of two acceptances on two processes win, and leaves one of two owners who remove each other', async () => {
    const [first, second] = pair;
    const owner = await signIn(first, home);
    for (let round = 0; round < 10; round += 1) {
      const email = `owner-${round}@example.com`;
      const token = await invited(first, owner, email, 'viewer');
      const twice = [first, second].map((client, index) =>
        accept(client, { token, name: 'A', password: `long enough it is ${index}` }),
      );
      const answers = await Promise.all(twice);
      expect(answers.filter(({ body }) => !body.errors)).toHaveLength(1);
    }
    const token = await invited(first, owner, 'other@example.com', 'owner');
    const joined = await accept(second, { token, name: 'Other', password: 'long enough it is' });
    const other = joined.body.data.acceptInvitation.token;
    const idOf = async (key: string) => (await first.send('GET', '/v1/me', { key })).body.data.user.id;
    const [ownerId, otherId] = [await idOf(owner), await idOf(other)];
    const answers = await Promise.all([removeMember(first, owner, otherId), removeMember(second, other, ownerId)]);
    expect(answers.filter(({ body }) => !body.errors)).toHaveLength(1);
    const left = await Promise.all([owner, other].map((key) => first.send('GET', '/v1/me', { key })));
    expect(left.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});

async function signIn(client: Client, { owner }: OwnedPlace): Promise<string> {
  const { body } = await client.graphql(
    'mutation ($input: SignInInput!) { signIn(input: $input) { token } }',
    { input: owner },
    { key: null },
  );
  return body.data.signIn.token;
}

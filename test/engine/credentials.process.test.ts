import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POSTGRES_URL } from '../support/database.ts';
import { type PostgresPlace, postgres, startPair } from '../support/places.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { subscribe } from '../support/subscriptions.ts';

describe.skipIf(!POSTGRES_URL)('WIRE 4: rotating a key on one process, on PostgreSQL', () => {
  let home: PostgresPlace;
  let pair: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    home = await postgres();
    pair = await startPair(home);
  });
  afterAll(async () => {
    await killAll();
    await home.remove();
  });

  it('ends its subscription on another within a second, and is 401 there from that moment on', async () => {
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
});

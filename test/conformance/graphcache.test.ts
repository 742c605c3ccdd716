import { Client, type DocumentInput, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { introspectionFromSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicSchema } from '../../src/graphql/schema/schema.ts';
import { createFixtures, type Fixtures } from '../support/fixtures.ts';
import { fullQueries } from '../support/full-selection.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';
import { until } from '../support/until.ts';

const schema = introspectionFromSchema(publicSchema);

/** As in docs/graphql.md: objects without an identity belong to the object that contains them. */
const keys = Object.fromEntries(
  schema.__schema.types.flatMap((type) =>
    type.kind === 'OBJECT' && !type.interfaces.some(({ name }) => name === 'Node') ? [[type.name, () => null]] : [],
  ),
);

describe('urql with its normalized cache', () => {
  let service: TestService;
  let fixtures: Fixtures;
  let session: string;
  beforeAll(async () => {
    service = await startService({ maxQueryCost: 1_000_000 });
    fixtures = await createFixtures(service);
    session = await openSession(service, 'owner');
  });
  afterAll(() => service.close());

  function cachedClient() {
    const messages: string[] = [];
    const cache = cacheExchange({
      schema,
      keys,
      // A debug message reports that the cache must ask the service.
      logger: (severity, message) => severity !== 'debug' && messages.push(`${severity}: ${message}`),
    });
    const client = new Client({
      url: `${service.url}/graphql`,
      preferGetMethod: false,
      fetchOptions: { headers: { authorization: `Bearer ${session}` } },
      exchanges: [cache, fetchExchange],
    });
    return { client, messages };
  }

  it.each(fullQueries(publicSchema))('stores everything that $field returns, without a warning', async ({ query }) => {
    const { client, messages } = cachedClient();
    const { data, error } = await client.query(query, {}).toPromise();
    expect([error, messages]).toEqual([undefined, []]);
    const cached = await client.query(query, {}, { requestPolicy: 'cache-only' }).toPromise();
    expect(cached.data).toEqual(data);
  });

  it('updates a list when another query reads a changed object of it', async () => {
    const { client, messages } = cachedClient();
    const list = '{ resources(first: 100) { nodes { id resourceId fields } } }';
    const names: unknown[] = [];
    const subscription = client.query(list, {}).subscribe(({ data }) => {
      const found = data?.resources.nodes.find(
        (one: { resourceId: string }) => one.resourceId === fixtures.resource.resourceId,
      );
      names.push(found?.fields.name);
    });
    await until(async () => names.length === 1);
    await service.send('PATCH', `/v1/resources/${fixtures.resource.resourceId}`, {
      body: { fields: { name: 'Renamed' } },
    });
    const one: DocumentInput = 'query ($id: ID!) { resource(id: $id) { id fields } }';
    await client.query(one, { id: fixtures.resource.resourceId }).toPromise();
    await until(async () => names.at(-1) === 'Renamed');
    subscription.unsubscribe();
    expect(messages).toEqual([]);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../support/database.ts';
import { ALL_TOOLS, SignIns, toolsOf } from '../support/integration-sign-in.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

describe.skipIf(!POSTGRES_URL)('two services with one database', () => {
  let home: TestDatabase;
  let services: readonly [TestService, TestService];
  let session: string;
  const signIns = new SignIns(() => ({ service: services[0], session }));
  beforeAll(async () => {
    home = await createDatabase();
    services = [await startService({}, { home }), await startService({}, { home })];
    session = await openSession(services[0], 'owner');
  });
  afterEach(() => signIns.close());
  afterAll(async () => {
    await services?.[1].close();
    await services?.[0].close();
  });

  it('exchange an expired token once', async () => {
    const { pair, id } = await signIns.signedIn({ tokens: { expires_in: 0 } });
    pair.options.tokens = {};
    const lists = await Promise.all([0, 1, 0, 1, 0, 1].map((at) => toolsOf(services[at as 0 | 1], id)));
    expect(lists).toEqual(lists.map(() => ALL_TOOLS));
    const exchanges = pair.at('/token').filter(({ body }) => body.get('grant_type') === 'refresh_token');
    expect(exchanges).toHaveLength(1);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { publish, unpublish } from '../support/documents.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';

describe.skipIf(!POSTGRES_URL)('a document that one of two processes publishes', () => {
  let store: PostgresStore;
  let first: ServiceProcess;
  let second: ServiceProcess;
  beforeAll(async () => {
    store = await postgresStore();
    const start = () => startOn(store, { TRUSTED_DOCUMENTS: 'prefer' });
    [first, second] = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    await killAll();
    await store.remove();
  });

  it('runs in the other process at once, in every version, on every API, until it is unpublished', async () => {
    const mcp = await connectMcp(second.url, { key: store.key });
    let documentId = '';
    let trustedId = '';
    for (const alias of ['first', 'second', 'third']) {
      const text = `{ ${alias}: resources { totalCount } }`;
      const document = await publish(first, 'counted', text, { acknowledgeBreaking: true });
      ({ documentId } = document);
      ({ trustedId } = document.check);
      const expected = { [alias]: { totalCount: 0 } };
      expect((await second.send('GET', '/v1/x/counted')).body).toEqual(expected);
      expect(await callTool(mcp, 'counted', {})).toEqual(expected);
      const trusted = await second.send('POST', '/graphql', { body: { documentId: trustedId } });
      expect(trusted.body.data).toEqual(expected);
    }
    await unpublish(first, documentId);
    expect((await second.send('GET', '/v1/x/counted')).status).toBe(404);
    const trusted = await second.send('POST', '/graphql', { body: { documentId: trustedId } });
    expect(trusted.body.errors[0].extensions.code).toBe('INVALID_REQUEST');
    await expect(callTool(mcp, 'counted', {})).rejects.toThrow('There is no tool');
  });
});

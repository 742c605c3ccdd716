import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import type { HttpResponse } from '../support/client.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { errorOf } from '../support/results.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe.skipIf(!POSTGRES_URL)('a database that rejects writes', () => {
  let service: TestService;
  /** Connections of the superuser. The service does not use them. */
  let admin: pg.Pool;
  let name: string;
  beforeAll(async () => {
    service = await startService();
    const [row] = await service.service.services.stores.sql.rows<{ name: string }>`SELECT current_database() AS name`;
    name = row?.name ?? '';
    admin = openPool(String(POSTGRES_URL), 1);
  });
  afterAll(async () => {
    await admin.end();
    await service.close();
  });

  const key = randomUUID();
  const body = { content: textContent('Hello') };
  const turn = () => service.agentTurn('Hello');
  const turnUnderKey = () =>
    service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, { body, headers: { 'idempotency-key': key } });
  const writes: Readonly<Record<string, () => Promise<HttpResponse>>> = {
    'a turn over REST': turn,
    'a turn with an idempotency key': turnUnderKey,
    'a new resource over REST': () => service.send('POST', '/v1/resources', { body: { type: 'a', fields: {} } }),
  };
  const MUTATION =
    'mutation { createResource(input: { type: "a", fields: {} }) { __typename ... on CreateResourcePayload { resource { id } } ... on Error { code message path } } }';
  const readiness = () => service.send('GET', '/readyz', { key: null });
  const isReady = async () => (await readiness()).status === 200;

  async function expectUnavailable() {
    for (const [operation, write] of Object.entries(writes)) {
      const { status, body, headers } = await write();
      expect(status, operation).toBe(503);
      expect(body.error.code, operation).toBe('unavailable');
      expect(headers.get('retry-after'), operation).toBe('2');
    }
    const { body } = await service.graphql(MUTATION);
    expect(body.errors[0].extensions.code).toBe('UNAVAILABLE');
    expect(await readiness()).toMatchObject({
      status: 503,
      body: { status: 'not_ready', checks: { database: true, migrations: true, writable: false } },
    });
  }

  async function expectAvailable() {
    await until(isReady);
    expect((await turn()).status).toBe(200);
    expect((await turnUnderKey()).status).toBe(200);
    expect(errorOf(await service.graphql(MUTATION))).toBeUndefined();
  }

  describe('because it is read-only', () => {
    const setReadOnly = async (value: 'on' | 'off') => {
      await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      // The service notices that its connections have ended.
      await until(async () => (await service.send('GET', '/v1/resources')).status === 200);
    };
    afterEach(() => setReadOnly('off'));

    it('fails writes with 503 and is not ready until it is writable again', async () => {
      expect(await isReady()).toBe(true);
      await setReadOnly('on');
      await expectUnavailable();
      expect((await service.send('GET', '/v1/resources')).status).toBe(200);
      await setReadOnly('off');
      await expectAvailable();
    });
  });

  describe('because its disk is full', () => {
    let owner: pg.Client;
    beforeAll(async () => {
      const url = new URL(String(POSTGRES_URL));
      url.pathname = `/${name}`;
      owner = new pg.Client({ connectionString: url.href });
      await owner.connect();
    });
    afterAll(() => owner.end());

    it('fails writes with 503 and is not ready until a write succeeds', async () => {
      // The error of PostgreSQL if a table needs a new block.
      const raise = `LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`;
      await owner.query(`CREATE FUNCTION full_for_rows() RETURNS trigger ${raise}`);
      await owner.query(`CREATE FUNCTION full_for_tables() RETURNS event_trigger ${raise}`);
      for (const table of ['conversation', 'resource', 'idempotency_record']) {
        await owner.query(
          `CREATE TRIGGER full_disk BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION full_for_rows()`,
        );
      }
      expect(await isReady()).toBe(true);
      await owner.query('CREATE EVENT TRIGGER full_disk ON ddl_command_start EXECUTE FUNCTION full_for_tables()');
      await expectUnavailable();
      expect(await isReady()).toBe(false);
      await owner.query('DROP EVENT TRIGGER full_disk');
      await owner.query('DROP FUNCTION full_for_rows CASCADE');
      await expectAvailable();
    });
  });
});

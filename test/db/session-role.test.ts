import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmptyPostgres, openPool, POSTGRES_URL } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';

describe.skipIf(!POSTGRES_URL)('a database user who is not a superuser', () => {
  const user = `parley_test_owner_${randomUUID().replaceAll('-', '')}`;
  let admin: pg.Pool;
  let home: Awaited<ReturnType<typeof createEmptyPostgres>>;
  let url: URL;
  beforeAll(async () => {
    home = await createEmptyPostgres();
    url = new URL(home.url);
    url.username = user;
    admin = openPool(home.url, 1);
    await admin.query(`CREATE ROLE ${user} LOGIN`);
    await admin.query(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO ${user}`);
    await admin.query(`ALTER SCHEMA public OWNER TO ${user}`);
    // Other tests may not have created the role yet.
    await admin.query(
      `DO $$ BEGIN CREATE ROLE parley_service NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$`,
    );
  });
  afterAll(async () => {
    await home.drop();
    await admin.end();
    const server = openPool(String(POSTGRES_URL), 1);
    await server.query(`DROP ROLE ${user}`);
    await server.end();
  });

  /** Writes and reads a resource over HTTP, and returns whether the service warned. */
  async function use(): Promise<boolean> {
    const service = await startService({ database: { kind: 'postgresql', url: url.href } });
    try {
      const key = await makeKey(service);
      const response = await service.send('POST', '/v1/resources', { key, body: { type: 'a', fields: {} } });
      expect(response.status).toBe(201);
      const list = await service.send('GET', '/v1/resources', { key });
      expect(list.body.data[0]).toMatchObject({ type: 'a' });
      return service.logLines.some((line) => line.includes('row-level security'));
    } finally {
      await service.close();
    }
  }

  it('runs the service with a warning if the user cannot take the role', async () => {
    expect(await use()).toBe(true);
  });

  it('is restricted by the policies after the role is granted', async () => {
    await admin.query(`GRANT parley_service TO ${user}`);
    expect(await use()).toBe(false);
  });
});

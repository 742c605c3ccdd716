import type pg from 'pg';
import { afterEach, beforeEach } from 'vitest';
import { openPool, type TestDatabase } from './database.ts';

/**
 * Another connection to the PostgreSQL database of each test of a file or a group. Its open transaction ends with the test.
 * Call it after the hooks that open the database.
 */
export function otherConnection(databaseOf: () => TestDatabase): Pick<pg.PoolClient, 'query'> {
  let pool: pg.Pool;
  let client: pg.PoolClient;
  beforeEach(async () => {
    const { location } = databaseOf();
    pool = openPool(location.kind === 'postgresql' ? location.url : '', 1);
    client = await pool.connect();
  });
  afterEach(async () => {
    client.release(true);
    await pool.end();
  });
  return { query: ((text: string, values?: unknown[]) => client.query(text, values)) as pg.PoolClient['query'] };
}

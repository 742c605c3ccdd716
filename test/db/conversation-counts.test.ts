import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import { makeTenant } from '../support/all-models.ts';
import { createDatabase, ROOT, type TestDatabase } from '../support/database.ts';

const MIGRATION = 'prisma/migrations/20261124160000_conversation_counts/migration.sql';

let copy: TestDatabase;
let database: Database;
let environment: EnvironmentRef;

beforeAll(async () => {
  copy = await createDatabase();
  database = await openDatabase(copy.location);
});
afterAll(async () => {
  await database.close();
  await copy.drop();
});
beforeEach(async () => {
  environment = (await makeTenant(database.prisma)).live;
});

const INSERT = `INSERT INTO conversation (id, environment_id, deployment_id, name, variables, meta, created_at, updated_at)
  VALUES ($1, $2, $3, 'A', '{}', '{}', now(), now())`;

function valuesOf(deploymentId: string): unknown[] {
  return [randomUUID(), environment.id, deploymentId];
}

/** Runs a statement for all tenants, like the first start. */
async function insert(deploymentId: string): Promise<void> {
  const [id, environmentId] = valuesOf(deploymentId);
  await database.sql.execute`
    INSERT INTO conversation (id, environment_id, deployment_id, name, variables, meta, created_at, updated_at)
    VALUES (${id}::uuid, ${environmentId}::uuid, ${deploymentId}::uuid, 'A', '{}', '{}', now(), now())`;
}

/** The counted and the stored conversations of a deployment, and the number of rows that count them. */
async function counts(deploymentId: string): Promise<{ counted: number; stored: number; rows: number }> {
  const [row] = await database.sql.rows<{ counted: number; stored: number; rows: number }>`
    SELECT coalesce(sum(amount), 0)::int4 AS counted, count(*)::int4 AS rows,
           (SELECT count(*)::int4 FROM conversation
            WHERE environment_id = ${environment.id}::uuid AND deployment_id = ${deploymentId}::uuid) AS stored
    FROM conversation_count WHERE environment_id = ${environment.id}::uuid AND deployment_id = ${deploymentId}::uuid`;
  if (!row) throw new Error('An aggregate has a row.');
  return row;
}

describe('the stored count of conversations', () => {
  it('is exact and merges its rows when many conversations start at once', async () => {
    const STARTS = 1_000;
    await insert(DEMO_AGENT_ID);
    await Promise.all(Array.from({ length: STARTS }, () => insert(DEMO_CHAT_ID)));
    const { counted, stored, rows } = await counts(DEMO_CHAT_ID);
    expect({ counted, stored }).toEqual({ counted: STARTS, stored: STARTS });
    expect(rows).toBeLessThan(STARTS);
    // Merging the rows of one deployment leaves those of another.
    expect(await counts(DEMO_AGENT_ID)).toEqual({ counted: 1, stored: 1, rows: 1 });
  });

  it('is exact after conversations were deleted and moved to another deployment', async () => {
    for (let start = 0; start < 5; start += 1) await insert(DEMO_CHAT_ID);
    await database.sql.execute`
      UPDATE conversation SET deployment_id = ${DEMO_AGENT_ID}::uuid
      WHERE id IN (SELECT id FROM conversation WHERE environment_id = ${environment.id}::uuid LIMIT 2)`;
    await database.sql.execute`
      DELETE FROM conversation WHERE id IN (
        SELECT id FROM conversation
        WHERE environment_id = ${environment.id}::uuid AND deployment_id = ${DEMO_CHAT_ID}::uuid LIMIT 1)`;
    expect(await counts(DEMO_CHAT_ID)).toMatchObject({ counted: 2, stored: 2 });
    expect(await counts(DEMO_AGENT_ID)).toMatchObject({ counted: 2, stored: 2 });
  });

  it('counts the conversations that existed before the migration', async () => {
    for (let start = 0; start < 3; start += 1) await insert(DEMO_CHAT_ID);
    const client = await database.pool.connect();
    await client.query(`
      SET ROLE none; DROP TABLE conversation_count;
      DROP FUNCTION conversation_counted, conversation_uncounted, conversation_moved CASCADE`);
    await client.query(await readFile(join(ROOT, MIGRATION), 'utf8'));
    client.release(true);
    await insert(DEMO_CHAT_ID);
    expect(await counts(DEMO_CHAT_ID)).toMatchObject({ counted: 4, stored: 4 });
  });
});

// An embedded database has one connection.
describe.skipIf(!process.env.TEST_DATABASE_URL)('on PostgreSQL', () => {
  /** Runs with connections of their own, which see all tenants. */
  async function withClients(run: (first: pg.PoolClient, second: pg.PoolClient) => Promise<void>): Promise<void> {
    const clients = [await database.pool.connect(), await database.pool.connect()] as const;
    try {
      for (const client of clients) await client.query('SET ROLE none');
      await run(...clients);
    } finally {
      for (const client of clients) client.release(true);
    }
  }

  it('lets a conversation start while the start of another is not committed', async () => {
    await withClients(async (first, second) => {
      // The first transaction merges this row and keeps it locked.
      await second.query(INSERT, valuesOf(DEMO_CHAT_ID));
      await first.query('BEGIN');
      // Enough to merge rows and keep them locked.
      for (let start = 0; start < 400; start += 1) await first.query(INSERT, valuesOf(DEMO_CHAT_ID));
      await second.query(`SET lock_timeout = '2s'`);
      for (let start = 0; start < 400; start += 1) await second.query(INSERT, valuesOf(DEMO_CHAT_ID));
      expect(await counts(DEMO_CHAT_ID)).toMatchObject({ counted: 401, stored: 401 });
      await first.query('ROLLBACK');
    });
    expect(await counts(DEMO_CHAT_ID)).toMatchObject({ counted: 401, stored: 401 });
  });

  it('lets a conversation start in a transaction whose snapshot is older than a merge', async () => {
    await withClients(async (first, second) => {
      await first.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await first.query('SELECT 1 FROM conversation_count LIMIT 1');
      for (let start = 0; start < 400; start += 1) await second.query(INSERT, valuesOf(DEMO_CHAT_ID));
      for (let start = 0; start < 400; start += 1) await first.query(INSERT, valuesOf(DEMO_CHAT_ID));
      await first.query('COMMIT');
    });
    expect(await counts(DEMO_CHAT_ID)).toMatchObject({ counted: 800, stored: 800 });
  });
});

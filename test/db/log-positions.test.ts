import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { continueLogOnServer, migrate } from '../../src/db/migrate.ts';
import {
  createDatabase,
  createEmptyPostgres,
  openPool,
  POSTGRES_URL,
  ROOT,
  type TestDatabase,
} from '../support/database.ts';
import { writeEvent } from '../support/log-writers.ts';
import { until } from '../support/until.ts';

const OTHER_SERVER = `CREATE OR REPLACE FUNCTION log_server() RETURNS text LANGUAGE sql STABLE RETURN 'another server/1'::text`;

describe('positions in the event log', () => {
  let created: TestDatabase;
  let database: Database;
  let environmentId: string;
  beforeAll(async () => {
    created = await createDatabase();
    database = await openDatabase(created.location);
    environmentId = (await database.prisma.environment.findFirstOrThrow()).id;
  });
  afterAll(async () => {
    await database.close();
    await created.drop();
  });

  /** Pretends that the database was restored from another server. */
  const moveServer = () => asOwner((pool) => pool.query(OTHER_SERVER));

  async function asOwner<T>(work: (pool: pg.Pool) => Promise<T>): Promise<T> {
    if (created.location.kind === 'postgresql') {
      const pool = openPool(created.location.url, 1);
      return work(pool).finally(() => pool.end());
    }
    await database.pool.query('RESET ROLE');
    return work(database.pool).finally(() => database.pool.query('SET ROLE parley_service'));
  }

  /** Reads with a prepared statement, whose plan PostgreSQL keeps. */
  async function read(column: 'log_xid' | 'log_xmin'): Promise<bigint> {
    const [row] = await database.prisma.$queryRawUnsafe<{ at: string }[]>(`SELECT ${column}()::text AS at`);
    return BigInt(row?.at ?? 0);
  }

  it('stay the same if the database starts on the same server again', async () => {
    const before = await read('log_xid');
    expect(await migrate(database, ROOT)).toEqual([]);
    expect((await read('log_xid')) - before).toBeLessThan(1_000n);
  });

  it('rise above all earlier positions on another server, at once on open connections', async () => {
    const [before, oldest] = [await read('log_xid'), await read('log_xmin')];
    await moveServer();
    await continueLogOnServer(database);
    const [xid, xmin] = [await read('log_xid'), await read('log_xmin')];
    expect(xid - before).toBeGreaterThan(2n ** 32n);
    expect(xmin - oldest).toBeGreaterThan(2n ** 32n);
    await continueLogOnServer(database);
    expect((await read('log_xid')) - xid).toBeLessThan(1_000n);
  });

  it('do not change the order of a snapshot: it sees what has ended, and nothing else', async () => {
    const [row] = await database.prisma.$queryRaw<{ same: boolean; sees_itself: boolean }[]>`
      SELECT pg_snapshot_xmin(log_snapshot()) <= log_xmin() AND log_xmin() <= pg_snapshot_xmax(log_snapshot()) AS same,
             pg_visible_in_snapshot(log_xid(), log_snapshot()) AS sees_itself`;
    expect(row).toEqual({ same: true, sees_itself: false });
  });

  it('cost an insert no call of a function', async () => {
    const { rows } = await asOwner((pool) =>
      pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN (VERBOSE) SELECT log_xid()`),
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toMatch(/log_\w+\(/);
  });

  it.skipIf(!POSTGRES_URL)('wait for an open transaction of this database, but not of another one', async () => {
    if (created.location.kind !== 'postgresql') throw new Error('This test needs PostgreSQL.');
    const other = await createEmptyPostgres();
    const [elsewhere, here] = [openPool(other.url, 1), openPool(created.location.url, 2)];
    const [before, after] = [await elsewhere.connect(), await here.connect()];
    for (const session of [before, after]) await session.query('BEGIN; SELECT pg_current_xact_id()');
    const { rows } = await after.query<{ xid: string }>('SELECT log_xid()::text AS xid');
    // A snapshot lists an open transaction only if a later one has ended.
    await here.query('SELECT pg_current_xact_id()');
    // The transaction of the other database is older and still open.
    expect(await read('log_xmin')).toBe(BigInt(rows[0]?.xid ?? 0));
    await after.query('COMMIT');
    expect(await read('log_xmin')).toBeGreaterThan(BigInt(rows[0]?.xid ?? 0));
    await before.query('COMMIT');
    for (const session of [before, after]) session.release();
    await Promise.all([elsewhere.end(), here.end()]);
    await other.drop();
  });

  it.skipIf(!POSTGRES_URL)('wait for the transactions that wrote with the old offset', async () => {
    if (created.location.kind !== 'postgresql') throw new Error('This test needs PostgreSQL.');
    const pool = openPool(created.location.url, 2);
    const open = await writeEvent(pool, environmentId);
    await moveServer();
    const continued = continueLogOnServer(database).then(() => 'continued');
    await waitForLock(pool);
    await open.commit();
    expect(await continued).toBe('continued');
    const { rows } = await pool.query('SELECT xid < log_xmin() AS before FROM event WHERE id = $1', [open.eventId]);
    expect(rows).toEqual([{ before: true }]);
    await pool.end();
  });

  /** Waits until a statement waits for a lock on the log. */
  async function waitForLock(pool: pg.Pool): Promise<void> {
    const waiting = `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE d.datname = current_database() AND NOT l.granted AND l.relation = 'event'::regclass`;
    await until(async () => ((await pool.query(waiting)).rowCount ?? 0) > 0);
  }
});

import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { readBatch } from '../../src/domain/events/batch.ts';
import { ALL_CHANGES } from '../../src/domain/events/filter.ts';
import { logSnapshot } from '../../src/domain/events/order.ts';
import { hasSeen, type LogPosition, positionOfSnapshot } from '../../src/domain/events/position.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { writeEvent } from '../support/log-writers.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

// The embedded database has one connection, so it has no two open transactions.
describe.skipIf(!POSTGRES_URL)('a reader of the log', () => {
  let service: TestService;
  let pool: pg.Pool;
  let live: EnvironmentRef;
  let test: EnvironmentRef;
  beforeAll(async () => {
    service = await startService();
    const { prisma, sql } = service.service.services.stores;
    const [{ name }] = (await sql.rows<{ name: string }>`SELECT current_database() AS name`) as [{ name: string }];
    pool = openPool(new URL(`/${name}`, POSTGRES_URL).href, 3);
    const environments = await prisma.environment.findMany();
    const find = (kind: string) => environments.find((one) => one.kind === kind) as EnvironmentRef;
    [live, test] = [find('live'), find('test')];
  });
  afterAll(async () => {
    await pool.end();
    await service.close();
  });

  const write = (environment: EnvironmentRef) => writeEvent(pool, environment.id);

  /** A position after everything that a page which is read now contains. */
  async function now(): Promise<LogPosition> {
    const { sql } = service.service.services.stores;
    const rows = await sql.rows<{ snapshot: string }>`SELECT ${logSnapshot(live, 'event')} AS snapshot`;
    return positionOfSnapshot(rows[0]?.snapshot ?? '');
  }

  /** Reads with SQL that sees every environment. */
  async function read(from: LogPosition, environment = live) {
    const { sql } = service.service.services.stores;
    const batch = await readBatch({ sql, environment }, from, ALL_CHANGES);
    return { ids: batch.rows.map(({ row }) => row.id), isHeldBack: batch.isHeldBack };
  }

  /** Reads once no transaction is open, those of other databases included. */
  const readSettled = (from: LogPosition, environment = live) =>
    until(async () => {
      const { ids, isHeldBack } = await read(from, environment);
      return ids.length > 0 && !isHeldBack ? ids : undefined;
    });

  it('stops at a transaction that is still open, and reads on after its end', async () => {
    const from = await now();
    const [early, late] = [await write(live), await write(live)];
    await late.commit();
    expect(await read(from)).toEqual({ ids: [], isHeldBack: true });
    await early.commit();
    expect(await readSettled(from)).toEqual([early.eventId, late.eventId]);
  });

  it('gets no event that its page contained, although an older one comes later', async () => {
    const [early, shown] = [await write(live), await write(live)];
    await shown.commit();
    const from = await now();
    await early.commit();
    expect(await readSettled(from)).toEqual([early.eventId]);
  });

  it('passes no transaction after the newest event: after a crash the server can assign its ID again', async () => {
    const from = await now();
    const { commit, eventId } = await write(live);
    await commit();
    expect(await readSettled(from)).toEqual([eventId]);
    const { rows } = await pool.query('SELECT xid::text AS xid FROM event WHERE id = $1', [eventId]);
    const newest = BigInt(rows[0].xid);
    // A statement that fails, for example, has an ID and leaves nothing.
    const aborted: bigint[] = [];
    for (let count = 0; count < 5; count += 1) {
      const client = await pool.connect();
      await client.query('BEGIN');
      aborted.push(BigInt((await client.query('SELECT log_xid()::text AS xid')).rows[0].xid));
      await client.query('ROLLBACK');
      client.release();
    }
    const page = await now();
    expect(aborted.filter((xid) => hasSeen(page, xid))).toEqual([]);
    const { sql } = service.service.services.stores;
    const resourceId = 'no event has this resource';
    const filters = [ALL_CHANGES, { ...ALL_CHANGES, resourceId }];
    for (const filter of filters) {
      const { position } = await readBatch({ sql, environment: live }, from, filter);
      expect(position.xid).toBe(newest + 1n);
    }
  });

  it('gets only the events of its environment, even without row-level security', async () => {
    const from = await now();
    const [ofLive, ofTest] = [await write(live), await write(test)];
    await Promise.all([ofLive.commit(), ofTest.commit()]);
    expect(await readSettled(from)).toEqual([ofLive.eventId]);
    expect(await readSettled(from, test)).toEqual([ofTest.eventId]);
  });
});

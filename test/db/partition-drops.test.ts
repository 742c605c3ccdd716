import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createPartitions } from '../../src/db/partitions/create.ts';
import { type DropRule, dropPartitions } from '../../src/db/partitions/drop.ts';
import {
  AUDIT_LOG,
  type PartitionedLog,
  partitionName,
  periodAt,
  WORKFLOW_LOG,
} from '../../src/db/partitions/periods.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { auditRule, workflowLogRule } from '../../src/domain/retention/log-rules.ts';
import { createEveryRow, makeTenant } from '../support/all-models.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { otherConnection } from '../support/other-connection.ts';
import { asOwner, inPeriod, maintainAt, partitionsOf, writeLogs } from '../support/partitions.ts';

/** Far enough for the retention of both logs. */
const LATE = inPeriod(WORKFLOW_LOG, 9);

const CURRENT = (log: PartitionedLog) => partitionName(log, periodAt(log, new Date()));

let copy: TestDatabase;
let database: Database;
let own: EnvironmentRef;
beforeEach(async () => {
  copy = await createDatabase();
  database = await openDatabase(copy.location);
  own = (await makeTenant(database.prisma)).live;
  await createEveryRow(database.prisma, own);
});
afterEach(async () => {
  await database.close();
  await copy.drop();
});

const namesOf = async (log: PartitionedLog) => (await partitionsOf(database, log)).map(({ name }) => name);

const drop = (log: PartitionedLog, rule: DropRule) =>
  database.asOwner((connection) => dropPartitions(connection, log, rule, LATE));

/** Begins a later period, so that everything can be dropped. */
async function passPeriods(): Promise<void> {
  await maintainAt(database, new Date());
  await writeLogs(database, own);
  await asOwner(database, 'UPDATE workflow_log SET conversation_id = NULL');
  await asOwner(database, 'UPDATE retention SET days = 1');
  await maintainAt(database, inPeriod(WORKFLOW_LOG, 3));
}

describe('a partition', () => {
  it('that gets the new rows is kept, however old they are', async () => {
    await maintainAt(database, new Date());
    await writeLogs(database, own);
    await database.asOwner((connection) => createPartitions(connection, AUDIT_LOG, LATE));
    expect(await drop(AUDIT_LOG, auditRule(1, LATE))).toEqual(['audit_entry_first']);
    expect(await namesOf(AUDIT_LOG)).toContain(CURRENT(AUDIT_LOG));
    await writeLogs(database, own);
  });

  it('without rows is kept until its period is older than the retention', async () => {
    await passPeriods();
    await drop(AUDIT_LOG, auditRule(3_650, LATE));
    expect((await namesOf(AUDIT_LOG))[0]).toBe('audit_entry_first');
    await drop(AUDIT_LOG, { days: 3_650, keepsRows: async () => false });
    expect((await namesOf(AUDIT_LOG))[0]).toBe('audit_entry_first');
  });

  it('is kept if a row must be kept at the moment of the drop', async () => {
    await passPeriods();
    const before = await namesOf(AUDIT_LOG);
    let reads = 0;
    const changing = { days: 1, keepsRows: async () => ++reads % 2 === 0 };
    expect(await drop(AUDIT_LOG, changing)).toEqual([]);
    expect(reads).toBeGreaterThan(1);
    expect(await namesOf(AUDIT_LOG)).toEqual(before);
  });

  it('is complete if the drop fails', async () => {
    await passPeriods();
    const before = await asOwner(database, 'SELECT id FROM workflow_log ORDER BY id');
    const failing = { ...workflowLogRule(LATE), release: () => Promise.reject(new Error('the process dies')) };
    await expect(drop(WORKFLOW_LOG, failing)).rejects.toThrow('the process dies');
    expect(await asOwner(database, 'SELECT id FROM workflow_log ORDER BY id')).toEqual(before);
    expect(await drop(WORKFLOW_LOG, workflowLogRule(LATE))).toContain(CURRENT(WORKFLOW_LOG));
  });
});

describe.skipIf(!POSTGRES_URL)('a partition that another connection uses', () => {
  const other = otherConnection(() => copy);

  it('is dropped by a later round, and blocks no request for long', async () => {
    await passPeriods();
    await other.query('BEGIN; SELECT count(*) FROM audit_entry');
    const startedAt = performance.now();
    const lines = await maintainAt(database, LATE, 1);
    expect(performance.now() - startedAt).toBeLessThan(busyMs(10_000));
    const message = 'the partitions of a log could not be maintained, and are tried again';
    expect(lines).toContainEqual({ message, facts: expect.objectContaining({ table: 'audit_entry' }) });
    expect(await namesOf(AUDIT_LOG)).toContain(CURRENT(AUDIT_LOG));
    await other.query('COMMIT');
    await maintainAt(database, LATE, 1);
    expect(await namesOf(AUDIT_LOG)).not.toContain(CURRENT(AUDIT_LOG));
  });

  it('is not dropped with an entry that a transaction writes late', async () => {
    await maintainAt(database, new Date());
    await writeLogs(database, own);
    expect(await drop(AUDIT_LOG, auditRule(1, LATE))).toEqual(['audit_entry_first']);
    // The transaction gets its ID before the next period begins.
    await other.query('BEGIN');
    await other.query(
      `INSERT INTO audit_entry (workspace_id, action, actor_kind, details, request_id, occurred_at)
       VALUES ($1, 'late', 'service', '{}', 'r', $2)`,
      [own.workspaceId, LATE],
    );
    await maintainAt(database, inPeriod(WORKFLOW_LOG, 3));
    const release = async () => void (await other.query('COMMIT'));
    const dropped = await drop(AUDIT_LOG, { ...auditRule(1, LATE), release }).catch(() => []);
    expect(dropped).not.toContain(CURRENT(AUDIT_LOG));
    await other.query('COMMIT');
    await maintainAt(database, LATE, 1);
    expect(await asOwner(database, `SELECT action FROM audit_entry WHERE action = 'late'`)).toHaveLength(1);
  });

  it('is not dropped with lines of an environment that sets a longer retention at that moment', async () => {
    await passPeriods();
    const rule = workflowLogRule(LATE);
    let isBlocked = false;
    const release: DropRule['release'] = async (connection, partition) => {
      await other.query("SET lock_timeout = '300ms'");
      const raised = other.query('UPDATE retention SET days = NULL WHERE environment_id = $1', [own.id]);
      isBlocked ||= await raised.then(() => false).catch(() => true);
      await rule.release?.(connection, partition);
    };
    await drop(WORKFLOW_LOG, { ...rule, release });
    expect(isBlocked).toBe(true);
  });

  it('is left to the process that holds the lock of the maintenance', async () => {
    await other.query('SELECT pg_advisory_lock(7275540)');
    await maintainAt(database, new Date());
    expect(await namesOf(AUDIT_LOG)).toEqual(['audit_entry_first']);
    await other.query('SELECT pg_advisory_unlock_all()');
    await maintainAt(database, new Date());
    expect(await namesOf(AUDIT_LOG)).toHaveLength(4);
  });
});

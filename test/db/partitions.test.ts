import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import {
  AUDIT_LOG,
  EVENT_LOG,
  firstIdOf,
  partitionName,
  periodAt,
  WORKFLOW_LOG,
} from '../../src/db/partitions/periods.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { createEveryRow, makeTenant } from '../support/all-models.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { asOwner, inPeriod, maintainAt, partitionsOf, type Written, writeLogs } from '../support/partitions.ts';
import { readTables, tableOf } from '../support/tables.ts';

const LOGS = [AUDIT_LOG, WORKFLOW_LOG];

const ALL_LOGS = [...LOGS, EVENT_LOG];

let copy: TestDatabase;
let database: Database;
let own: EnvironmentRef;
/** The IDs of rows from before the first maintenance. */
let first: Written;
beforeEach(async () => {
  copy = await createDatabase();
  database = await openDatabase(copy.location);
  own = (await makeTenant(database.prisma)).live;
  const { AuditEntry, WorkflowLog } = await createEveryRow(database.prisma, own);
  first = { audit_entry: AuditEntry?.id as bigint, workflow_log: WorkflowLog?.id as bigint };
});
afterEach(async () => {
  await database.close();
  await copy.drop();
});

const write = (environment = own) => writeLogs(database, environment);

const partitionOf = async (table: string, id: bigint) =>
  (
    await asOwner<{ name: string }>(database, `SELECT tableoid::regclass::text AS name FROM ${table} WHERE id = $1`, [
      id,
    ])
  )[0]?.name;

const moveSequence = (table: string, id: bigint) => asOwner(database, `SELECT setval('${table}_id_seq', ${id})`);

describe.each(LOGS)('the partitions of $table', (log) => {
  const { table } = log;
  const current = (at = new Date()) => periodAt(log, at);
  const firstId = (period: number) => BigInt(firstIdOf(log, period));

  it('begin with one for all rows from before, without a sequence of its own', async () => {
    // The clock of a computer without a battery.
    await maintainAt(database, new Date('2010-06-01'));
    const id = (await write())[table];
    expect(id).toBe(first[table] + 1n);
    expect(await partitionsOf(database, log)).toMatchObject([{ name: `${table}_first`, from: null }]);
    expect(await partitionOf(table, id)).toBe(`${table}_first`);
    const owner = await asOwner(database, `SELECT pg_get_serial_sequence('${table}', 'id') AS sequence`);
    expect(owner).toEqual([{ sequence: `public.${table}_id_seq` }]);
  });

  it('are created for the current period and the next two, once', async () => {
    const [before] = await partitionsOf(database, log);
    const lines = await maintainAt(database, new Date());
    expect(lines.map(({ message }) => message)).toEqual(ALL_LOGS.map(() => 'created partitions of a log'));
    const created = [0, 1, 2].map((later) => ({
      name: partitionName(log, current() + later),
      from: current() + later,
      to: current() + later + 1,
    }));
    expect(await partitionsOf(database, log)).toEqual([before, ...created]);
    expect(await maintainAt(database, new Date())).toEqual([]);
    expect(await partitionsOf(database, log)).toEqual([before, ...created]);
  });

  it('get the rows of their period, whose IDs are above all earlier ones', async () => {
    const ids = [(await write())[table]];
    for (const later of [0, 1, 5]) {
      await maintainAt(database, inPeriod(log, later));
      const id = (await write())[table];
      expect(id).toBe(firstId(current() + later));
      expect(await partitionOf(table, id)).toBe(partitionName(log, current() + later));
      ids.push(id, (await write())[table]);
    }
    expect(ids).toEqual([...ids].sort((a, b) => (a < b ? -1 : 1)));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => id < Number.MAX_SAFE_INTEGER)).toBe(true);
  });

  it('take every row if nothing maintains them, and if a period has more rows than IDs', async () => {
    await maintainAt(database, new Date());
    await moveSequence(table, firstId(current() + 1) - 1n);
    const id = (await write())[table];
    expect(id).toBe(firstId(current() + 1));
    expect(await partitionOf(table, id)).toBe(partitionName(log, current() + 1));
    await moveSequence(table, firstId(current() + 3) - 2n);
    expect(await partitionOf(table, (await write())[table])).toBe(partitionName(log, current() + 2));
  });

  it('never get an ID twice, even if the clock goes back', async () => {
    await maintainAt(database, inPeriod(log, 4));
    const id = (await write())[table];
    for (const later of [1, 0, 4]) {
      await maintainAt(database, inPeriod(log, later));
      expect((await write())[table]).toBeGreaterThan(id);
    }
    await maintainAt(database, new Date('1999-06-01'));
    expect(await partitionOf(table, (await write())[table])).toBe(partitionName(log, current() + 4));
  });

  it('of a period that has no partition leave the sequence in the period before', async () => {
    const taken = partitionName(log, current());
    await asOwner(database, `CREATE TABLE ${taken} (id bigint)`);
    const lines = await maintainAt(database, new Date());
    expect(lines).toContainEqual({
      message: 'the partitions of a log could not be maintained, and are tried again',
      facts: expect.objectContaining({ table }),
    });
    expect(await partitionOf(table, (await write())[table])).toBe(`${table}_first`);
    await asOwner(database, `DROP TABLE ${taken}`);
    await maintainAt(database, new Date());
    expect(await partitionOf(table, (await write())[table])).toBe(taken);
  });

  it('have the indexes and keys of the log', async () => {
    await maintainAt(database, new Date());
    const rows = await asOwner<{ name: string; keys: number; indexes: number; valid: boolean }>(
      database,
      `SELECT relname AS name,
              (SELECT count(*)::int FROM pg_constraint WHERE conrelid = c.oid AND contype IN ('f', 'p')) AS keys,
              (SELECT count(*)::int FROM pg_index WHERE indrelid = c.oid) AS indexes,
              (SELECT bool_and(indisvalid) FROM pg_index WHERE indrelid = c.oid) AS valid
       FROM pg_class c WHERE relname ~ '^${table}(_first|_\\d{4}_\\d\\d)?$' AND relkind IN ('r', 'p') ORDER BY 1`,
    );
    expect(rows).toHaveLength(5);
    const [{ name: _, ...expected } = {}] = rows;
    expect(expected).toEqual(
      table === 'audit_entry' ? { keys: 2, indexes: 4, valid: true } : { keys: 4, indexes: 7, valid: true },
    );
    for (const { name, ...partition } of rows) expect(partition, name).toEqual(expected);
  });

  it('show a statement that names them only the rows of its tenant', async () => {
    const foreign = (await makeTenant(database.prisma)).live;
    await createEveryRow(database.prisma, foreign);
    await maintainAt(database, new Date());
    for (const environment of [own, foreign]) await write(environment);
    const partitions = (await readTables(database.pool, true)).filter(({ name }) => name.startsWith(table));
    const [parent] = (await readTables(database.pool)).filter(({ name }) => name === table);
    expect(partitions).toHaveLength(4);
    for (const { name, hasRowSecurity, policies } of partitions) {
      expect({ name, hasRowSecurity, policies }).toEqual({ name, hasRowSecurity: true, policies: parent?.policies });
      expect((await database.pool.query(`SELECT * FROM ${name}`)).rows, name).toEqual([]);
    }
    const name = partitionName(log, current());
    expect(await tableOf(database.sql, name).read()).toHaveLength(2);
    const [row, ...others] = await tableOf(database.sql.within(own), name).read();
    expect(others).toEqual([]);
    expect(row).toMatchObject(table === 'audit_entry' ? { workspace_id: own.workspaceId } : { environment_id: own.id });
  });

  it('are the parts of one list', async () => {
    const ids = [first[table]];
    for (const later of [-1, 0, 1]) {
      if (later >= 0) await maintainAt(database, inPeriod(log, later));
      ids.push((await write())[table], (await write())[table]);
    }
    const model = table === 'audit_entry' ? database.prisma.auditEntry : database.prisma.workflowLog;
    const owned = table === 'audit_entry' ? { workspaceId: own.workspaceId } : { environmentId: own.id };
    const find = model.findMany as (query: object) => Promise<{ id: bigint }[]>;
    const read = async (before: bigint | undefined) =>
      (
        await find({ where: { ...owned, ...(before && { id: { lt: before } }) }, orderBy: { id: 'desc' }, take: 4 })
      ).map(({ id }) => id);
    const newestFirst = [...ids].reverse();
    expect(await read(undefined)).toEqual(newestFirst.slice(0, 4));
    expect(await read(newestFirst[3])).toEqual(newestFirst.slice(4));
  });
});

describe('every partition of the audit log', () => {
  it('rejects changes, also of its owner', async () => {
    await write();
    await maintainAt(database, new Date());
    await write();
    const filled = ['audit_entry_first', partitionName(AUDIT_LOG, periodAt(AUDIT_LOG, new Date())), 'audit_entry'];
    for (const name of filled) {
      for (const statement of [`UPDATE ${name} SET action = 'b'`, `DELETE FROM ${name}`]) {
        await expect(asOwner(database, statement), statement).rejects.toThrow('append-only');
      }
    }
    for (const { name } of [...(await partitionsOf(database, AUDIT_LOG)), { name: 'audit_entry' }]) {
      await expect(asOwner(database, `TRUNCATE ${name}`), name).rejects.toThrow('append-only');
    }
  });
});

describe('the foreign keys of the workflow log', () => {
  it('apply to rows of every partition', async () => {
    await maintainAt(database, new Date());
    const { workflow_log: id } = await write();
    const refer = (to: bigint) =>
      asOwner(database, 'UPDATE trigger SET workflow_log_id = $1 WHERE environment_id = $2', [to, own.id]);
    const read = () =>
      asOwner(database, 'SELECT workflow_log_id AS id FROM trigger WHERE environment_id = $1', [own.id]);
    for (const line of [first.workflow_log, id]) {
      await refer(line);
      await asOwner(database, 'DELETE FROM workflow_log WHERE id = $1', [line]);
      expect(await read()).toEqual([{ id: null }]);
    }
    await expect(refer(id)).rejects.toThrow('trigger_environment_id_workflow_log_id_fkey');
  });

  it('empty the references to a deleted conversation in every partition', async () => {
    await write();
    await maintainAt(database, new Date());
    await write();
    await asOwner(database, 'UPDATE conversation SET latest_run_id = NULL');
    for (const table of ['live_text', 'trace_span', 'timeline_item', 'run'])
      await asOwner(database, `DELETE FROM ${table}`);
    await asOwner(database, 'DELETE FROM conversation');
    const rows = await asOwner(
      database,
      'SELECT DISTINCT conversation_id, run_id FROM workflow_log WHERE environment_id = $1',
      [own.id],
    );
    expect(rows).toEqual([{ conversation_id: null, run_id: null }]);
  });
});

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { AUDIT_LOG, EVENT_LOG, periodAt, WORKFLOW_LOG } from '../../src/db/partitions/periods.ts';
import { createEveryRow, makeTenant } from '../support/all-models.ts';
import { createEmptyPostgres, POSTGRES_URL, ROOT } from '../support/database.ts';
import { writeEvent } from '../support/event-log.ts';
import { type LaterRelease, laterMigrations } from '../support/later-migrations.ts';
import { asOwner, inPeriod, maintainAt, partitionsOf } from '../support/partitions.ts';
import { tableOf } from '../support/tables.ts';

const LOGS = [AUDIT_LOG, WORKFLOW_LOG, EVENT_LOG];

const isOfLogs = (name: string) => name >= '20261125100000' && name < '20261126';
const isOfKeys = (name: string) =>
  (name >= '20261128073000' && name < '20261128073400') ||
  /_((budget|presence)_(conversation(_valid)?|run(_indexes)?)|note_conversation(_valid)?)$/.test(name);

let before: LaterRelease;
let old: Database;
let drop: () => Promise<void>;

/** Opens a database without some migrations. The rows of tests are of this build, so the other later migrations come first. */
async function openWithout(isLeftOut: (name: string) => boolean): Promise<void> {
  before = await laterMigrations();
  const folder = join(before.root, 'prisma/migrations');
  for (const name of await readdir(folder)) if (isLeftOut(name)) await rm(join(folder, name), { recursive: true });
  const server = POSTGRES_URL ? await createEmptyPostgres() : undefined;
  drop = server?.drop ?? (async () => {});
  old = await openDatabase(server ? { kind: 'postgresql', url: server.url } : { kind: 'memory' });
  await migrate(old, before.root);
}

afterEach(async () => {
  await old.close();
  await drop();
  await before.remove();
});

describe('the migration of logs with rows', () => {
  beforeEach(() => openWithout((name) => isOfLogs(name) || isOfKeys(name)));

  const stored = (table: string) => tableOf(old.sql, table).read();
  const fileOf = (table: string) => asOwner(old, `SELECT pg_relation_filenode('${table}') AS file`);

  it('keeps them in the first partition without a copy, with what was granted', async () => {
    await createEveryRow(old.prisma, (await makeTenant(old.prisma)).live);
    for (const { table } of LOGS) await asOwner(old, `GRANT SELECT ON ${table} TO pg_monitor`);
    const read = async (suffix = '') =>
      Promise.all(LOGS.map(async ({ table }) => [await stored(table), await fileOf(`${table}${suffix}`)]));
    const rows = await read();
    const deliveries = await stored('webhook_delivery');
    expect(deliveries.length).toBeGreaterThan(0);
    await migrate(old, ROOT);
    expect(await read('_first')).toEqual(rows);
    for (const { table } of LOGS) {
      const [granted] = await asOwner(
        old,
        `SELECT has_table_privilege('pg_monitor', '${table}', 'SELECT') AS reads,
        has_table_privilege('pg_monitor', '${table}', 'INSERT') AS writes`,
      );
      expect(granted).toEqual({ reads: true, writes: false });
    }
    await createEveryRow(old.prisma, (await makeTenant(old.prisma)).live);
    expect(await stored('workflow_log')).toHaveLength(2);
    const constraints = await asOwner(
      old,
      `SELECT DISTINCT convalidated AS valid FROM pg_constraint
       WHERE conparentid = 0 AND conrelid::regclass::text IN ('audit_entry', 'workflow_log', 'trigger', 'event', 'webhook_delivery')`,
    );
    expect(constraints).toEqual([{ valid: true }]);
    expect(await stored('webhook_delivery')).toHaveLength(2 * deliveries.length);
    await expect(asOwner(old, 'DELETE FROM webhook_endpoint; DELETE FROM event')).rejects.toThrow('append-only');
  });

  it('keeps events of a clock that was ahead, and takes those of later ones', async () => {
    const own = (await makeTenant(old.prisma)).live;
    const ahead = inPeriod(EVENT_LOG, 7);
    const ids = [await writeEvent(old, own, new Date(0)), await writeEvent(old, own, ahead)];
    await migrate(old, ROOT);
    const [{ to } = { to: 0 }] = await partitionsOf(old, EVENT_LOG);
    expect(to).toBe(periodAt(EVENT_LOG, ahead) + 1);
    ids.push(await writeEvent(old, own, new Date('2900-01-01')));
    const rows = await asOwner(old, 'SELECT tableoid::regclass::text AS partition, id FROM event ORDER BY id');
    expect(rows).toEqual(ids.map((id, place) => ({ partition: place < 2 ? 'event_first' : 'event_default', id })));
  });
});

describe('the migration of keys', () => {
  // The indexes exist already, as if a process died after them.
  beforeEach(() => openWithout((name) => isOfKeys(name) && !name.startsWith('20261128073000')));

  const keysOf = (table: string) =>
    asOwner<{ name: string; columns: string }>(
      old,
      `SELECT c.relname AS name, split_part(pg_get_indexdef(i.indexrelid), 'btree ', 2) AS columns
       FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
       WHERE i.indisunique AND (c.oid = $1::regclass OR c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = $1::regclass))
       ORDER BY 1`,
      [table],
    );

  it.each([WORKFLOW_LOG, EVENT_LOG])(
    'gives $table and its partitions one key, which begins with the environment',
    async (log) => {
      await createEveryRow(old.prisma, (await makeTenant(old.prisma)).live);
      // Newer than the indexes.
      await maintainAt(old, inPeriod(log, 5));
      const before = await asOwner(old, `SELECT count(*) FROM ${log.table}`);
      await migrate(old, ROOT);
      const partitions = (await partitionsOf(old, log)).map(({ name }) => name);
      const isDefault = log === EVENT_LOG ? ['event_default'] : [];
      expect(await keysOf(log.table)).toEqual(
        [log.table, ...partitions, ...isDefault].sort().map((name) => ({ name, columns: '(environment_id, id)' })),
      );
      expect(await asOwner(old, `SELECT count(*) FROM ${log.table}`)).toEqual(before);
      expect(
        await asOwner(
          old,
          "SELECT conname FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND NOT convalidated",
        ),
      ).toEqual([]);
      await expect(asOwner(old, `INSERT INTO ${log.table} SELECT * FROM ${log.table}`)).rejects.toThrow(
        'duplicate key',
      );
    },
  );
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { scopedDb } from '../../src/db/scoped.ts';
import { rowSecurityIsActive } from '../../src/db/session.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { createEveryRow, makeTenant } from '../support/all-models.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { readTables, type Table, tableOf } from '../support/tables.ts';

/** Tables that belong to no tenant. */
const SHARED = ['_prisma_migrations', 'rate_limit'];

let copy: TestDatabase;
let database: Database;
let own: EnvironmentRef;
let sibling: EnvironmentRef;
let foreign: EnvironmentRef;
let tables: readonly Table[];

beforeAll(async () => {
  copy = await createDatabase();
  // With one connection, every statement follows a statement of another scope.
  database = await openDatabase(
    copy.location.kind === 'postgresql' ? { ...copy.location, poolSize: 1 } : copy.location,
  );
  const tenant = await makeTenant(database.prisma);
  [own, sibling] = [tenant.live, tenant.test];
  foreign = (await makeTenant(database.prisma)).live;
  for (const environment of [own, sibling, foreign]) await createEveryRow(database.prisma, environment);
  tables = (await readTables(database.pool)).filter(({ name }) => !SHARED.includes(name));
});
afterAll(async () => {
  await database.close();
  await copy.drop();
});

/** The owner column of a table, and its value for the rows of an environment. */
function ownerOf({ name, columns }: Table, { id, workspaceId }: EnvironmentRef): [column: string, value: string] {
  if (columns.includes('environment_id')) return ['environment_id', id];
  return [name === 'workspace' ? 'id' : 'workspace_id', workspaceId];
}

/** Whether a table has an owner column. Rows of the other tables belong to a row that has an owner. */
const isOwned = ({ name, columns }: Table) =>
  name === 'workspace' || columns.some((column) => column === 'environment_id' || column === 'workspace_id');

const unprotected = (all: readonly Table[]) =>
  all.filter(({ hasRowSecurity, policies }) => !hasRowSecurity || policies.length !== 1).map(({ name }) => name);

describe('the policies', () => {
  it('apply to the role of the service', async () => {
    expect(await rowSecurityIsActive(database.sql)).toBe(true);
  });

  it('cover every table except the shared tables', async () => {
    expect(unprotected(await readTables(database.pool))).toEqual(SHARED);
  });

  it('compare the owner column', () => {
    for (const table of tables.filter(isOwned)) {
      const [column] = ownerOf(table, own);
      const setting = column === 'environment_id' ? 'environment' : 'workspace';
      expect(table.policies, table.name).toEqual([
        `(${column} = (NULLIF(current_setting('parley.${setting}'::text, true), ''::text))::uuid)`,
      ]);
    }
    expect(tables.filter((table) => !isOwned(table)).map(({ name }) => name)).toEqual([
      'authorization_record',
      'password_reset',
      'recovery_code',
      'registered_app',
      'second_factor',
      'user_account',
      'workflow_version',
    ]);
  });

  it('are reported as missing for a new table', async () => {
    await database.prisma.$executeRawUnsafe('CREATE TABLE forgotten (environment_id uuid)');
    expect(unprotected(await readTables(database.pool))).toContain('forgotten');
    await database.prisma.$executeRawUnsafe('DROP TABLE forgotten');
  });
});

describe('a statement without an environment', () => {
  it('reads no row of any table', async () => {
    for (const { name } of tables) {
      expect((await database.pool.query(`SELECT * FROM "${name}"`)).rows, name).toEqual([]);
      expect(await tableOf(database.sql, name).read(), name).not.toEqual([]);
    }
  });

  it('changes and deletes no row of any table', async () => {
    for (const { name, columns } of tables) {
      const before = await tableOf(database.sql, name).read();
      const { rowCount } = await database.pool.query(`UPDATE "${name}" SET "${columns[0]}" = "${columns[0]}"`);
      expect(rowCount, name).toBe(0);
      expect((await database.pool.query(`DELETE FROM "${name}"`)).rowCount, name).toBe(0);
      expect(await tableOf(database.sql, name).read(), name).toEqual(before);
    }
  });

  it('inserts no row in any table', async () => {
    for (const { name } of tables) {
      const [row] = await tableOf(database.sql, name).read();
      const inserted = database.pool.query(
        `INSERT INTO "${name}" SELECT (jsonb_populate_record(NULL::public."${name}", $1::jsonb)).*`,
        [JSON.stringify(row)],
      );
      await expect(inserted, name).rejects.toThrow(/row-level security/);
    }
  });

  it('cannot empty a table or change the schema', async () => {
    await expect(database.pool.query('TRUNCATE queued_turn')).rejects.toThrow(/permission denied/);
    await expect(database.pool.query('ALTER TABLE resource DISABLE ROW LEVEL SECURITY')).rejects.toThrow(/owner/);
  });
});

describe('a statement of one environment', () => {
  const mine = () => database.sql.within(own);

  it('reads all rows of its environment and no others', async () => {
    for (const table of tables.filter(isOwned)) {
      const [column, value] = ownerOf(table, own);
      const all = await tableOf(database.sql, table.name).read();
      const expected = all.filter((row) => row[column] === value);
      expect(expected.length, table.name).toBeGreaterThan(0);
      expect(expected.length, table.name).toBeLessThan(all.length);
      expect(await tableOf(mine(), table.name).read(), table.name).toEqual(expected);
    }
  });

  it('reads rows that belong to rows of its environment and no others', async () => {
    const [workflow] = await tableOf(mine(), 'workflow').read();
    const versions = await tableOf(mine(), 'workflow_version').read();
    expect(versions.map((row) => row.workflow_id)).toContain(workflow?.id);
    expect(versions.length).toBeLessThan((await tableOf(database.sql, 'workflow_version').read()).length);
    const members = (await tableOf(mine(), 'membership').read()).map((row) => row.user_id);
    const users = (await tableOf(mine(), 'user_account').read()).map((row) => row.id);
    expect(users.sort()).toEqual(members.sort());
  });

  it('changes, deletes and inserts no row of other environments', async () => {
    for (const table of tables) {
      const visible = await tableOf(mine(), table.name).read();
      const all = await tableOf(database.sql, table.name).read();
      const hidden = all.filter((row) => !visible.some((other) => JSON.stringify(other) === JSON.stringify(row)));
      expect(hidden.length, table.name).toBeGreaterThan(0);
      for (const row of hidden) {
        const of = tableOf(mine(), table.name);
        expect(await of.update(row, table.columns[0] ?? ''), table.name).toBe(0);
        expect(await of.remove(row), table.name).toBe(0);
        await expect(of.insert(row), table.name).rejects.toThrow(/row-level security/);
      }
      expect(await tableOf(database.sql, table.name).read(), table.name).toEqual(all);
    }
  });

  // Triggers reject every change of these tables before the policies apply.
  const immutable = ['audit_entry', 'event'];
  it('moves no row to another environment', async () => {
    for (const table of tables.filter((table) => isOwned(table) && !immutable.includes(table.name))) {
      const [row] = await tableOf(mine(), table.name).read();
      const [column, value] = ownerOf(table, foreign);
      await expect(tableOf(mine(), table.name).update(row ?? {}, column, value), table.name).rejects.toThrow(
        /row-level security/,
      );
    }
  });
});

describe('a scope', () => {
  const seen = async () => (await database.pool.query('SELECT id FROM resource')).rows.length;
  const role = async () => (await database.pool.query('SELECT current_user AS role')).rows[0].role;
  const readMine = () => database.sql.within(own).rows<{ id: string }>`SELECT id FROM resource`;

  it('ends with its statement', async () => {
    expect(await readMine()).toHaveLength(1);
    expect(await seen()).toBe(0);
    expect((await database.sql.rows`SELECT id FROM resource`).length).toBeGreaterThan(2);
    expect(await seen()).toBe(0);
    expect(await role()).toBe('parley_service');
  });

  it('ends with a statement that fails', async () => {
    await expect(database.sql.within(own).rows`SELECT 1 / 0`).rejects.toThrow(/zero/);
    expect(await seen()).toBe(0);
    await expect(database.sql.rows`SELECT nothing`).rejects.toThrow();
    expect(await seen()).toBe(0);
    expect(await role()).toBe('parley_service');
  });

  it.each([
    ['an environment', () => scopedDb(database.prisma, own), 1],
    ['the system', () => database.prisma, 3],
  ] as const)('of %s applies in a transaction and ends with its commit or rollback', async (_of, db, count) => {
    const read = (fail: boolean) =>
      inTransaction(db(), async (tx) => {
        await tx.$executeRaw`SELECT 1`;
        const found = await tx.$queryRaw<object[]>`SELECT id FROM resource WHERE type = 'a'`;
        if (fail) throw new Error(`saw ${found.length}`);
        return found.length;
      });
    expect(await read(false)).toBe(count);
    expect(await seen()).toBe(0);
    await expect(read(true)).rejects.toThrow(`saw ${count}`);
    expect(await seen()).toBe(0);
    expect(await role()).toBe('parley_service');
  });

  it('applies to SQL that a scoped client sends outside a transaction', async () => {
    expect(await scopedDb(database.prisma, own).$queryRaw`SELECT id FROM resource`).toHaveLength(1);
    expect(await seen()).toBe(0);
  });

  it('applies at other isolation levels', async () => {
    const read = inTransaction(scopedDb(database.prisma, own), (tx) => tx.resource.count(), {
      isolationLevel: 'RepeatableRead',
    });
    expect(await read).toBe(1);
  });

  it('rejects an environment whose ID is not a UUID', () => {
    expect(() => database.sql.within({ ...own, id: "'; RESET ROLE --" })).toThrow('not a UUID');
  });
});

describe('thousands of concurrent statements of several environments', () => {
  let shared: Database;
  beforeAll(async () => {
    if (copy.location.kind === 'postgresql') shared = await openDatabase({ ...copy.location, poolSize: 5 });
    else shared = database;
  });
  afterAll(async () => {
    if (shared !== database) await shared.close();
  });

  it('each see their own rows', async () => {
    const environments = [own, sibling, foreign];
    const readsOf = (environment: EnvironmentRef) => {
      const db = scopedDb(shared.prisma, environment);
      const { id } = environment;
      return [
        () => shared.sql.within(environment).rows<{ environment_id: string }>`SELECT environment_id FROM conversation`,
        () => db.$queryRaw<{ environment_id: string }[]>`SELECT environment_id FROM conversation`,
        async () => [{ environment_id: (await db.environment.findUniqueOrThrow({ where: { id } })).id }],
        async () => (await db.retention.findMany()).map((row) => ({ environment_id: row.environmentId })),
        () =>
          inTransaction(db, (tx) => tx.$queryRaw<{ environment_id: string }[]>`SELECT environment_id FROM resource`),
      ];
    };
    // With more concurrent statements, transactions would time out before they get a connection.
    for (let round = 0; round < 50; round += 1) {
      const mixed = Array.from({ length: 4 }, () => environments).flat();
      const results = mixed.flatMap((environment) =>
        readsOf(environment).map(async (read) => ({ environment, rows: await read() })),
      );
      expect(results).toHaveLength(60);
      for (const { environment, rows } of await Promise.all(results)) {
        expect(rows).toEqual([{ environment_id: environment.id }]);
      }
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { DISTRIBUTED_TABLES } from '../../src/db/distribution.ts';
import { createEveryRow, makeTenant } from '../support/all-models.ts';
import { KEY_EXCEPTIONS } from '../support/colocation-exceptions.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { asOwner } from '../support/partitions.ts';

interface ForeignKey {
  readonly name: string;
  readonly table: string;
  readonly column: string;
  readonly target: string;
  readonly targetColumn: string;
}

let copy: TestDatabase;
let database: Database;
let keys: ForeignKey[];
let environments: readonly { readonly id: string }[];
beforeAll(async () => {
  copy = await createDatabase();
  database = await openDatabase(copy.location);
  const { live, test } = await makeTenant(database.prisma);
  environments = [live, test, (await makeTenant(database.prisma)).live];
  for (const environment of [live, test, environments[2]])
    await createEveryRow(database.prisma, environment as typeof live);
  keys = await asOwner<ForeignKey>(
    database,
    `SELECT conname AS name, conrelid::regclass::text AS table, confrelid::regclass::text AS target,
            (SELECT attname::text FROM pg_attribute WHERE attrelid = conrelid AND attnum = conkey[2]) AS column,
            (SELECT attname::text FROM pg_attribute WHERE attrelid = confrelid AND attnum = confkey[2]) AS "targetColumn"
     FROM pg_constraint
     WHERE contype = 'f' AND conparentid = 0 AND confrelid::regclass::text = ANY ($1::text[]) ORDER BY 1`,
    [DISTRIBUTED_TABLES],
  );
});
afterAll(async () => {
  await database.close();
  await copy.drop();
});

describe('the foreign keys of an environment', () => {
  it('are those between its tables', () => {
    expect(keys.length).toBeGreaterThan(20);
  });

  it.each([
    ['the other environment of the workspace', 1],
    ['another tenant', 2],
  ])('reject a row of %s', async (_name, other) => {
    for (const { name, table, column, target, targetColumn } of keys) {
      const refer = database.asOwner(async (connection) => {
        await connection.query('BEGIN');
        try {
          // PostgreSQL checks these before the foreign keys.
          if (table === 'file_use') await connection.query('ALTER TABLE file_use DROP CONSTRAINT file_use_owner');
          for (const index of KEY_EXCEPTIONS.flatMap(({ names }) => names))
            await connection.query(`DROP INDEX ${index}`);
          const [own, foreign] = [environments[0]?.id, environments[other]?.id];
          const { rows } = await connection.query<{ id: string }>(
            `UPDATE ${table} SET ${column} = (SELECT ${targetColumn} FROM ${target} WHERE environment_id = $2 LIMIT 1)
             WHERE environment_id = $1 RETURNING ${column}::text AS id`,
            [own, foreign],
          );
          return rows.length;
        } finally {
          await connection.query('ROLLBACK');
        }
      });
      await expect(refer, name).rejects.toThrow(`violates foreign key constraint "${name}"`);
    }
  });
});

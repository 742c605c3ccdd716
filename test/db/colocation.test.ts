import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { DISTRIBUTED_TABLES, DISTRIBUTION_COLUMN, LOCAL_TABLES, REFERENCE_TABLES } from '../../src/db/distribution.ts';
import { KEY_EXCEPTIONS, SERVER_EXCEPTIONS } from '../support/colocation-exceptions.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { readTables } from '../support/tables.ts';

let home: TestDatabase;
let database: Database;
beforeAll(async () => {
  home = await createDatabase();
  database = await openDatabase(home.location);
});
afterAll(async () => {
  await database.close();
  await home.drop();
});

interface Key {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** The referenced table and columns of a foreign key. */
  readonly target: string | null;
  readonly targetColumns: readonly string[] | null;
}

/** Unique indexes (also those of primary keys) and foreign keys. Partitions have those of their table. */
async function readKeys(): Promise<Key[]> {
  const { rows } = await database.pool.query<Key>(`
    SELECT c.relname AS name, i.indrelid::regclass::text AS table, NULL AS target, NULL AS "targetColumns",
           ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = i.indrelid AND attnum = ANY (i.indkey)) AS columns
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indisunique AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
    UNION ALL
    SELECT conname, conrelid::regclass::text, confrelid::regclass::text,
           ARRAY(SELECT attname::text FROM unnest(confkey) WITH ORDINALITY AS k(n, place)
                 JOIN pg_attribute ON attrelid = confrelid AND attnum = k.n ORDER BY place),
           ARRAY(SELECT attname::text FROM unnest(conkey) WITH ORDINALITY AS k(n, place)
                 JOIN pg_attribute ON attrelid = conrelid AND attnum = k.n ORDER BY place)
    FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND connamespace = 'public'::regnamespace`);
  return rows.map((row) => ({
    ...row,
    table: row.table.replaceAll('"', ''),
    target: row.target?.replaceAll('"', '') ?? null,
  }));
}

const isIn = (tables: readonly string[], table: string | null) => table !== null && tables.includes(table);

/** Whether rows that the key compares are always on the same server. */
function isColocated({ table, columns, target, targetColumns }: Key): boolean {
  if (target === null) return !isIn(DISTRIBUTED_TABLES, table) || columns.includes(DISTRIBUTION_COLUMN);
  if (isIn(DISTRIBUTED_TABLES, target)) {
    const place = columns.indexOf(DISTRIBUTION_COLUMN);
    return isIn(DISTRIBUTED_TABLES, table) && place >= 0 && targetColumns?.[place] === DISTRIBUTION_COLUMN;
  }
  return isIn(REFERENCE_TABLES, target) || isIn(LOCAL_TABLES, table);
}

const sorted = (names: readonly string[]) => [...names].sort();

describe('the distribution of the tables', () => {
  it('has every table once', async () => {
    const tables = (await readTables(database.pool)).map(({ name }) => name);
    expect(sorted([...DISTRIBUTED_TABLES, ...REFERENCE_TABLES, ...LOCAL_TABLES])).toEqual(sorted(tables));
  });

  it('gives every distributed table the column of the environment, which is never null', async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT attrelid::regclass::text AS name FROM pg_attribute
       WHERE attname = $1 AND attnotnull AND attrelid::regclass::text = ANY ($2::text[])`,
      [DISTRIBUTION_COLUMN, DISTRIBUTED_TABLES],
    );
    expect(sorted(rows.map(({ name }) => name))).toEqual(sorted(DISTRIBUTED_TABLES));
  });

  it('keeps the rows of every key on one server, apart from the listed exceptions', async () => {
    const others = (await readKeys()).filter((key) => !isColocated(key)).map(({ name }) => name);
    expect(sorted(others)).toEqual(sorted(KEY_EXCEPTIONS.flatMap(({ names }) => names)));
  });

  it('uses transaction IDs and sequences of a server only as listed', async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT c.relname || '.' || a.attname AS name FROM pg_attrdef d
       JOIN pg_class c ON c.oid = d.adrelid JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
       WHERE c.relname = ANY ($1::text[]) AND pg_get_expr(adbin, adrelid) ~ 'nextval|log_x|log_snapshot|pg_current'
       UNION ALL
       SELECT relname FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace
         AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype IN ('a', 'i'))`,
      [DISTRIBUTED_TABLES],
    );
    expect(sorted(rows.map(({ name }) => name))).toEqual(sorted(SERVER_EXCEPTIONS.flatMap(({ names }) => names)));
  });
});

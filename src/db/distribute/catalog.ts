import type { OwnerConnection } from '../as-owner.ts';
import { DISTRIBUTED_TABLES, DISTRIBUTION_COLUMN, REFERENCE_TABLES } from '../distribution.ts';

/** Something that belongs to a table. Names are quoted for SQL. */
interface Part {
  readonly table: string;
  readonly name: string;
}

export interface ForeignKey extends Part {
  readonly definition: string;
  readonly target: string;
  readonly columns: readonly string[];
  readonly targetColumns: readonly string[];
  /** The columns that become null if the row of `target` is deleted. */
  readonly nullColumns: readonly string[];
}

export interface Trigger extends Part {
  readonly definition: string;
}

/** A policy whose condition reads another table. */
export interface Policy extends Part {
  readonly condition: string;
}

/** The tables that are not distributed yet, in the order of `distribution.ts`. */
export async function readMissing(
  connection: OwnerConnection,
): Promise<{ readonly reference: string[]; readonly distributed: string[] }> {
  const { rows } = await connection.query<{ readonly name: string; readonly method: string; readonly model: string }>(
    `SELECT relname AS name, partmethod AS method, repmodel AS model
     FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid AND relnamespace = 'public'::regnamespace`,
  );
  const isThere = (table: string, methods: string, models: string) =>
    rows.some(({ name, method, model }) => name === table && methods.includes(method) && models.includes(model));
  return {
    reference: REFERENCE_TABLES.filter((table) => !isThere(table, 'n', 't')),
    distributed: DISTRIBUTED_TABLES.filter((table) => !isThere(table, 'h', 's')),
  };
}

/** The foreign keys from and to the tables. */
export async function readForeignKeys(connection: OwnerConnection, tables: readonly string[]): Promise<ForeignKey[]> {
  const columns = (relation: string, numbers: string) => `ARRAY(
    SELECT quote_ident(attname) FROM unnest(${numbers}) WITH ORDINALITY AS k (number, place)
    JOIN pg_attribute ON attrelid = ${relation} AND attnum = k.number ORDER BY place)`;
  const { rows } = await connection.query<ForeignKey>(
    `SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition,
            confrelid::regclass::text AS target, ${columns('conrelid', 'conkey')} AS columns,
            ${columns('confrelid', 'confkey')} AS "targetColumns",
            ${columns('conrelid', `CASE WHEN confdeltype = 'n' THEN coalesce(confdelsetcols, conkey) END`)} AS "nullColumns"
     FROM pg_constraint
     WHERE contype = 'f' AND conparentid = 0 AND (conrelid = ANY ($1::regclass[]) OR confrelid = ANY ($1::regclass[]))
     ORDER BY 1, 2`,
    [quoted(tables)],
  );
  return rows;
}

/** The triggers of the tables, and those of single partitions. */
export async function readTriggers(connection: OwnerConnection, tables: readonly string[]): Promise<Trigger[]> {
  const { rows } = await connection.query<Trigger>(
    `SELECT tgrelid::regclass::text AS table, quote_ident(tgname) AS name, pg_get_triggerdef(oid) AS definition
     FROM pg_trigger LEFT JOIN pg_inherits ON inhrelid = tgrelid
     WHERE NOT tgisinternal AND tgparentid = 0 AND coalesce(inhparent, tgrelid) = ANY ($1::regclass[])
     ORDER BY 1, 2`,
    [quoted(tables)],
  );
  return rows;
}

/** The policies of the tables that read another table. */
export async function readPolicies(connection: OwnerConnection, tables: readonly string[]): Promise<Policy[]> {
  const { rows } = await connection.query<Policy>(
    `SELECT polrelid::regclass::text AS table, quote_ident(polname) AS name,
            regexp_replace(pg_get_expr(polqual, polrelid), '\\s+', ' ', 'g') AS condition
     FROM pg_policy WHERE polrelid = ANY ($1::regclass[]) AND pg_get_expr(polqual, polrelid) ~ 'SELECT'
     ORDER BY 1, 2`,
    [quoted(tables)],
  );
  return rows;
}

/** Unique indexes without the environment: statements of the previous release need them, and Citus rejects them. */
export async function readForeignIndexes(connection: OwnerConnection, tables: readonly string[]): Promise<string[]> {
  const { rows } = await connection.query<{ readonly name: string }>(
    `SELECT indexrelid::regclass::text AS name FROM pg_index
     WHERE indisunique AND NOT indisprimary AND indrelid = ANY ($1::regclass[])
       AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = indrelid AND attname = $2 AND attnum = ANY (indkey))
     ORDER BY 1`,
    [quoted(tables), DISTRIBUTION_COLUMN],
  );
  return rows.map(({ name }) => name);
}

/** Enums without a cast to text of their own. */
export async function readEnums(connection: OwnerConnection): Promise<string[]> {
  const { rows } = await connection.query<{ readonly name: string }>(
    `SELECT oid::regtype::text AS name FROM pg_type
     WHERE typtype = 'e' AND typnamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM pg_cast WHERE castsource = pg_type.oid AND casttarget = 'text'::regtype)
     ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

const quoted = (tables: readonly string[]) => tables.map((table) => `public."${table}"`);

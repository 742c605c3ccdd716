import type pg from 'pg';
import { Prisma } from '../../src/db/generated/client.ts';
import type { Sql } from '../../src/db/sql.ts';

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly hasRowSecurity: boolean;
  /** The conditions of its policies. */
  readonly policies: readonly string[];
}

/** The tables of the schema, from PostgreSQL's catalogue, or the partitions of tables. */
export async function readTables(pool: pg.Pool, partitions = false): Promise<Table[]> {
  const { rows } = await pool.query<Table>(
    `
    SELECT c.relname AS name, c.relrowsecurity AS "hasRowSecurity",
           (SELECT array_agg(attname::text) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0) AS columns,
           (SELECT coalesce(array_agg(pg_get_expr(polqual, polrelid)), '{}') FROM pg_policy
            WHERE polrelid = c.oid AND polcmd = '*' AND polwithcheck IS NULL) AS policies
    FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relispartition = $1
    ORDER BY c.relname`,
    [partitions],
  );
  return rows;
}

/** Hand-written SQL for any table. */
export function tableOf(sql: Sql, name: string) {
  const table = Prisma.raw(`public."${name}"`);
  return {
    read: async () => {
      const rows = await sql.rows<{ row: Record<string, unknown> }>`SELECT to_jsonb(t) AS row FROM ${table} t`;
      return rows.map(({ row }) => row);
    },
    insert: (row: object) => sql.execute`
      INSERT INTO ${table} SELECT (jsonb_populate_record(NULL::${table}, ${JSON.stringify(row)}::jsonb)).*`,
    /** Sets a column of every row that equals `row` to a value. Null keeps the current value. */
    update: (row: object, column: string, value: string | null = null) => {
      const name = Prisma.raw(`"${column}"`);
      const next = value === null ? name : Prisma.sql`${value}::uuid`;
      return sql.execute`
        UPDATE ${table} t SET ${name} = ${next} WHERE to_jsonb(t) = ${JSON.stringify(row)}::jsonb`;
    },
    remove: (row: object) => sql.execute`DELETE FROM ${table} t WHERE to_jsonb(t) = ${JSON.stringify(row)}::jsonb`,
  };
}

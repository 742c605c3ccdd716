import type pg from 'pg';
import { asEmbeddedOwner } from '../as-owner.ts';

/** Tables with more pages than their statistics say: by a tenth, and by 10 pages of 8 kB. */
const GROWN = `SELECT oid::regclass::text AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    AND pg_relation_size(oid) / current_setting('block_size')::int > greatest(relpages, 0) * 1.1 + 10`;

/** Rows of a sample, in hundreds. 3 thousand take some milliseconds, whatever the size of the table is. */
const SAMPLE = 10;

/**
 * Updates the statistics of the tables that have grown: the embedded database has no autovacuum. Without statistics, plans
 * expect one row of an environment, and each turn reads all rows of it. Returns the number of tables.
 */
export function analyzeGrown(pool: pg.Pool): Promise<number> {
  return asEmbeddedOwner(pool, async (connection) => {
    const { rows } = await connection.query<{ name: string }>(GROWN);
    await connection.query(`SET default_statistics_target = ${SAMPLE}`);
    try {
      for (const { name } of rows) await connection.query(`ANALYZE ${name}`);
    } finally {
      await connection.query('RESET default_statistics_target');
    }
    return rows.length;
  });
}

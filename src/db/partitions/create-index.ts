import { createHash } from 'node:crypto';
import type { OwnerConnection } from '../as-owner.ts';

const CREATE_INDEX =
  /^(CREATE\s+(?:UNIQUE\s+)?INDEX)\s+CONCURRENTLY\s+IF\s+NOT\s+EXISTS\s+("[^"]+"|\w+)\s+ON\s+("[^"]+"|\w+)([\s\S]*)$/i;

/**
 * Creates an index of a partitioned table without blocking writes: PostgreSQL has no CONCURRENTLY for it, so each partition
 * gets its index first. A unique index is for a key: PostgreSQL makes a key of a partition's index only if the index belongs
 * to no index of the table. So the table itself gets no index. `run` executes a statement for a plain table. Can run again after
 * an interruption. Returns false for other statements.
 */
export async function createPartitionedIndex(
  connection: OwnerConnection,
  statement: string,
  run: (statement: string) => Promise<void>,
): Promise<boolean> {
  const [, create, index, table, rest] = CREATE_INDEX.exec(statement) ?? [];
  if (index === undefined || table === undefined || !(await isPartitioned(connection, table))) return false;
  const isForKey = /UNIQUE/i.test(create ?? '');
  // From now on, a new partition gets the index when it is attached.
  if (!isForKey) await connection.query(`${create} IF NOT EXISTS ${index} ON ONLY ${table}${rest}`);
  const { rows } = await connection.query<{ name: string }>(
    'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = to_regclass($1) ORDER BY 1',
    [table],
  );
  for (const { name } of rows) {
    if (!isForKey && (await hasIndex(connection, name, index))) continue;
    const own = `${name}_${createHash('sha256').update(index).digest('hex').slice(0, 8)}`;
    await run(`${create} CONCURRENTLY IF NOT EXISTS ${own} ON ${name}${rest}`);
    if (!isForKey) await connection.query(`ALTER INDEX ${index} ATTACH PARTITION ${own}`);
  }
  return true;
}

async function isPartitioned(connection: OwnerConnection, table: string): Promise<boolean> {
  const { rows } = await connection.query(`SELECT FROM pg_class WHERE oid = to_regclass($1) AND relkind = 'p'`, [
    table,
  ]);
  return rows.length > 0;
}

async function hasIndex(connection: OwnerConnection, partition: string, index: string): Promise<boolean> {
  const { rows } = await connection.query(
    `SELECT FROM pg_inherits JOIN pg_index ON indexrelid = inhrelid
     WHERE inhparent = to_regclass($1) AND indrelid = to_regclass($2)`,
    [index, partition],
  );
  return rows.length > 0;
}

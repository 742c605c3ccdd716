import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { advance, type LogPosition, least } from './position.ts';

/** Rows per read. A row can have 512 KiB, and a reader that catches up must not fill the memory. */
export const BATCH = 100;

/** A row, and the position after it. */
export interface PositionedRow<Row> {
  readonly row: Row;
  readonly position: LogPosition;
}

/** The next rows after a position. */
export interface OrderedBatch<Row> {
  readonly rows: readonly PositionedRow<Row>[];
  /** The position to continue from: after the last row, or after the last transaction that can have no more rows. */
  readonly position: LogPosition;
  /** Whether rows wait for an older transaction to end. */
  readonly isHeldBack: boolean;
}

/** Every row has the transaction that wrote it, and its ID. */
export interface OrderedRow {
  readonly xid: string;
  /** Null in the placeholder row of an empty result. */
  readonly id: string | null;
}

/** A table with the columns `xid` and `id`. */
type OrderedTable = 'event' | 'conversation';

/** The rows to read of a table. */
export interface OrderedSource {
  readonly table: OrderedTable;
  /** Additional columns: a list that begins with a comma, or nothing. */
  readonly columns: Prisma.Sql;
  readonly where: Prisma.Sql;
  readonly idType: 'text' | 'uuid';
}

type EnvironmentId = Pick<Context['environment'], 'id'>;

const MIN_ID = { text: '', uuid: '00000000-0000-0000-0000-000000000000' } as const;

/**
 * Reads the next rows in the order (transaction, id), which never changes. It stops at the oldest open transaction.
 * Nothing below that transaction can still commit, so a reader never misses a row. It passes no transaction after the newest
 * row: see `positionOfSnapshot`.
 */
export async function readInOrder<Row extends OrderedRow>(
  { sql, environment }: Pick<Context, 'sql' | 'environment'>,
  from: LogPosition,
  { table, columns, where, idType }: OrderedSource,
): Promise<OrderedBatch<Row>> {
  const of = (column: string) => Prisma.raw(`${table}.${column}`);
  const later = Prisma.sql` AND xid >= ${String(from.xid)}::xid8`;
  const result = await sql.rows<Row & { xmin: string; newest: string | null }>`
    SELECT (SELECT log_xmin())::text AS xmin, ${newestOf(environment, table, later)} AS newest, next_rows.*
    FROM (SELECT 1) AS always LEFT JOIN LATERAL (
      SELECT xid::text AS xid, id${columns} FROM ${Prisma.raw(table)}
      WHERE ${where} AND ${isAfter(from, idType)}
      ORDER BY ${of('xid')}, ${of('id')} LIMIT ${BATCH}
    ) AS next_rows ON true
    ORDER BY next_rows.xid::xid8, next_rows.id`;
  const xmin = BigInt(result[0]?.xmin ?? 0);
  const candidates = result.filter(({ id }) => id !== null);
  let position = from;
  const placed = candidates
    .filter(({ xid }) => BigInt(xid) < xmin)
    .map((row) => {
      position = advance(position, BigInt(row.xid), row.id ?? '');
      return { row, position };
    });
  const heldBack = placed.length < candidates.length;
  // All rows up to here were read. So a filter with few matches does not scan the same rows at each read.
  const end = least(xmin, BigInt(result[0]?.newest ?? 0) + 1n);
  if (candidates.length < BATCH && end > position.xid) position = advance(position, end, '');
  return { rows: placed, position, isHeldBack: heldBack };
}

/** The current snapshot and the newest transaction in it that wrote a row of the table, as text for `positionOfSnapshot`. */
export function logSnapshot(environment: EnvironmentId, table: OrderedTable): Prisma.Sql {
  return Prisma.sql`(SELECT concat_ws(' ', log_snapshot(), ${newestOf(environment, table)}))`;
}

/** The newest transaction that wrote a row which the statement sees, as text. */
function newestOf({ id }: EnvironmentId, table: OrderedTable, condition = Prisma.empty): Prisma.Sql {
  return Prisma.sql`(
    SELECT newest.xid::text FROM ${Prisma.raw(table)} AS newest WHERE environment_id = ${id}::uuid${condition}
    ORDER BY newest.xid DESC LIMIT 1)`;
}

/** The condition that a row follows the position. */
export function isAfter(from: LogPosition, idType: OrderedSource['idType']): Prisma.Sql {
  const id = Prisma.sql`${from.id || MIN_ID[idType]}::${Prisma.raw(idType)}`;
  return Prisma.sql`(xid, id) > (${String(from.xid)}::xid8, ${id})${unseen(from)}`;
}

/** The condition that the position's snapshot did not see the row. */
export function unseen({ snapshot }: LogPosition): Prisma.Sql {
  return snapshot === null ? Prisma.empty : Prisma.sql` AND NOT pg_visible_in_snapshot(xid, ${snapshot}::pg_snapshot)`;
}

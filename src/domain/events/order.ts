import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { advance, type LogPosition } from './position.ts';

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

/** A table with the columns `xid` and `id`, and the rows to read. */
export interface OrderedSource {
  readonly table: 'event' | 'conversation';
  /** Additional columns: a list that begins with a comma, or nothing. */
  readonly columns: Prisma.Sql;
  readonly where: Prisma.Sql;
  readonly idType: 'text' | 'uuid';
}

const MIN_ID = { text: '', uuid: '00000000-0000-0000-0000-000000000000' } as const;

/**
 * Reads the next rows in the order (transaction, id), which never changes. It stops at the oldest open transaction.
 * Nothing below that transaction can still commit, so a reader never misses a row.
 */
export async function readInOrder<Row extends OrderedRow>(
  { sql }: Pick<Context, 'sql'>,
  from: LogPosition,
  { table, columns, where, idType }: OrderedSource,
): Promise<OrderedBatch<Row>> {
  const of = (column: string) => Prisma.raw(`${table}.${column}`);
  const result = await sql.rows<Row & { xmin: string }>`
    SELECT (SELECT log_xmin())::text AS xmin, next_rows.*
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
  // All rows below xmin were read. So a filter with few matches does not scan the same rows at each read.
  if (candidates.length < BATCH && xmin > position.xid) position = advance(position, xmin, '');
  return { rows: placed, position, isHeldBack: heldBack };
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

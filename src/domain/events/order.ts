import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { advance, type LogPosition } from './position.ts';

/** Rows read at a time: one may hold half a MiB, and a reader far behind must not fill the memory. */
export const BATCH = 100;

/** A row, and the position of a reader who has it. */
export interface Placed<Row> {
  readonly row: Row;
  readonly position: LogPosition;
}

/** The next rows behind a position. */
export interface OrderedBatch<Row> {
  readonly placed: readonly Placed<Row>[];
  /** Where to read on: behind the last row, or behind all that can have been missed where there is none. */
  readonly position: LogPosition;
  /** Whether there are rows that wait for an older transaction to end. */
  readonly heldBack: boolean;
}

/** What every row is read with: the transaction that wrote it, and its id. */
export interface OrderedRow {
  readonly xid: string;
  /** Null in the one row that is there where nothing was found. */
  readonly id: string | null;
}

/** Where rows are read from: a table with the columns `xid` and `id`. */
export interface OrderedSource {
  readonly table: 'event' | 'conversation';
  /** What is read of them beside those two: a list that begins with a comma, or nothing. */
  readonly columns: Prisma.Sql;
  readonly where: Prisma.Sql;
  readonly idType: 'text' | 'uuid';
}

const LEAST_ID = { text: '', uuid: '00000000-0000-0000-0000-000000000000' } as const;

/**
 * Reads on in the one order that never changes, (transaction, id), up to the oldest transaction that is still open:
 * below it nothing can commit any more, so nobody is ever overtaken.
 */
export async function readInOrder<Row extends OrderedRow>(
  ctx: Pick<Context, 'services'>,
  from: LogPosition,
  { table, columns, where, idType }: OrderedSource,
): Promise<OrderedBatch<Row>> {
  const of = (column: string) => Prisma.raw(`${table}.${column}`);
  const id = Prisma.sql`${from.id || LEAST_ID[idType]}::${Prisma.raw(idType)}`;
  const read = await ctx.services.sql.rows<Row & { xmin: string }>`
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xmin, found.*
    FROM (SELECT 1) AS always LEFT JOIN LATERAL (
      SELECT xid::text AS xid, id${columns} FROM ${Prisma.raw(table)}
      WHERE ${where} AND (xid, id) > (${String(from.xid)}::xid8, ${id})${unseen(from)}
      ORDER BY ${of('xid')}, ${of('id')} LIMIT ${BATCH}
    ) AS found ON true
    ORDER BY found.xid::xid8, found.id`;
  const xmin = BigInt(read[0]?.xmin ?? 0);
  const found = read.filter(({ id }) => id !== null);
  let position = from;
  const placed = found
    .filter(({ xid }) => BigInt(xid) < xmin)
    .map((row) => {
      position = advance(position, BigInt(row.xid), row.id ?? '');
      return { row, position };
    });
  const heldBack = placed.length < found.length;
  // Nothing is left below xmin, so a filter that matches little does not read the same rows again and again.
  if (found.length < BATCH && xmin > position.xid) position = advance(position, xmin, '');
  return { placed, position, heldBack };
}

function unseen({ snapshot }: LogPosition): Prisma.Sql {
  return snapshot === null ? Prisma.empty : Prisma.sql` AND NOT pg_visible_in_snapshot(xid, ${snapshot}::pg_snapshot)`;
}

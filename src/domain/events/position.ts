import { CursorCodec } from '../../db/cursor.ts';
import type { Context } from '../context.ts';
import type { CheckedFilter } from './filter.ts';

/**
 * How far a reader is in the log, in the order of its transactions: behind event `id` of transaction `xid`. What
 * `snapshot` saw is not for it either: the page that it was taken with has shown it.
 */
export interface LogPosition {
  readonly xid: bigint;
  /** Empty before the first event of the transaction. */
  readonly id: string;
  /** As PostgreSQL writes it, `xmin:xmax:xip,…`; null once no transaction that it saw can follow. */
  readonly snapshot: string | null;
}

/** The position of a reader who knows what this snapshot saw. */
export function positionOfSnapshot(snapshot: string): LogPosition {
  // Every transaction below xmin was over when it was taken.
  return { xid: bound(snapshot, 'xmin'), id: '', snapshot };
}

/** The same reader, further on. From xmax on the snapshot saw nothing, so it need not be remembered. */
export function advance({ snapshot }: LogPosition, xid: bigint, id: string): LogPosition {
  return { xid, id, snapshot: snapshot !== null && xid < bound(snapshot, 'xmax') ? snapshot : null };
}

/** Whether a reader is behind another one. */
export function isBefore(one: LogPosition, other: LogPosition): boolean {
  return one.xid < other.xid || (one.xid === other.xid && one.id < other.id);
}

/** Whether a reader's snapshot saw this transaction, as PostgreSQL's `pg_visible_in_snapshot` has it. */
export function saw({ snapshot }: LogPosition, xid: bigint): boolean {
  if (snapshot === null || xid >= bound(snapshot, 'xmax')) return false;
  return xid < bound(snapshot, 'xmin') || !snapshot.split(':')[2]?.split(',').includes(String(xid));
}

function bound(snapshot: string, name: 'xmin' | 'xmax'): bigint {
  const [xmin, xmax] = snapshot.split(':');
  return BigInt((name === 'xmin' ? xmin : xmax) ?? 0);
}

/** Positions as cursors: for one environment and one filter. */
export interface PositionCodec {
  encode(position: LogPosition): string;
  /** @throws {ServiceError} invalid_cursor */
  decode(cursor: string): LogPosition;
}

/** @throws {ServiceError} invalid_cursor from `decode`, for the cursor of another environment or filter */
export function positionCodec(
  { services, environment }: Pick<Context, 'services' | 'environment'>,
  { resourceId, types }: CheckedFilter,
): PositionCodec {
  return positionCodecOf(new CursorCodec(services.secretKey, ['event log', environment.id, resourceId, types]));
}

/** The same for another list that is followed in the order of transactions. */
export function positionCodecOf(codec: CursorCodec): PositionCodec {
  return {
    encode: ({ xid, id, snapshot }) => codec.encode([String(xid), id, snapshot ?? '']),
    decode(cursor) {
      const [xid = '0', id = '', snapshot = ''] = codec.decode(cursor, 'after');
      return { xid: BigInt(xid), id, snapshot: snapshot || null };
    },
  };
}

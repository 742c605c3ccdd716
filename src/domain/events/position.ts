import { CursorCodec } from '../../db/cursor.ts';
import type { Context } from '../context.ts';
import { type CheckedFilter, partBinding } from './filter.ts';

/**
 * A position in the log, in transaction order: after event `id` of transaction `xid`. The reader also skips the
 * transactions that `snapshot` saw, because the page that was read with it has already shown them.
 */
export interface LogPosition {
  readonly xid: bigint;
  /** Empty before the first event of the transaction. */
  readonly id: string;
  /** PostgreSQL's format `xmin:xmax:xip,…`. Null once the position is past every transaction that it saw. */
  readonly snapshot: string | null;
}

/**
 * The position of a reader who has seen everything in a snapshot, as text of `logSnapshot`: the snapshot, and the newest
 * transaction that it shows.
 *
 * The position knows no later transaction. The last ones before a crash can have no trace on the disk or on the standby, if
 * they did not commit. Then the server assigns their IDs again, and a reader must not take them for seen.
 */
export function positionOfSnapshot(text: string): LogPosition {
  const [current = '', newest = '0'] = text.split(' ');
  const xmax = least(bound(current, 'xmax'), BigInt(newest) + 1n);
  // Every transaction below xmin had ended when the snapshot was taken.
  const xmin = least(bound(current, 'xmin'), xmax);
  const open = (current.split(':')[2] ?? '').split(',').filter((xid) => xid !== '' && BigInt(xid) < xmax);
  return { xid: xmin, id: '', snapshot: `${xmin}:${xmax}:${open}` };
}

/** The smaller of two transactions. */
export function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** Moves a position forward. The snapshot saw nothing from xmax on, so it is dropped there. */
export function advance({ snapshot }: LogPosition, xid: bigint, id: string): LogPosition {
  return { xid, id, snapshot: snapshot !== null && xid < bound(snapshot, 'xmax') ? snapshot : null };
}

/** Whether a position is before another one. */
export function isBefore(one: LogPosition, other: LogPosition): boolean {
  return one.xid < other.xid || (one.xid === other.xid && one.id < other.id);
}

/** Whether the same items follow two positions. */
export function isSame(one: LogPosition, other: LogPosition): boolean {
  return one === other || (one.xid === other.xid && one.id === other.id && one.snapshot === other.snapshot);
}

/** Whether the snapshot of a position saw this transaction, like PostgreSQL's `pg_visible_in_snapshot`. */
export function hasSeen({ snapshot }: LogPosition, xid: bigint): boolean {
  if (snapshot === null || xid >= bound(snapshot, 'xmax')) return false;
  return xid < bound(snapshot, 'xmin') || !snapshot.split(':')[2]?.split(',').includes(String(xid));
}

function bound(snapshot: string, name: 'xmin' | 'xmax'): bigint {
  const [xmin, xmax] = snapshot.split(':');
  return BigInt((name === 'xmin' ? xmin : xmax) ?? 0);
}

/** Encodes positions as cursors, for one environment and one filter. */
export interface PositionCodec {
  encode(position: LogPosition): string;
  /** @throws {ServiceError} invalid_cursor */
  decode(cursor: string): LogPosition;
}

/** `decode` throws invalid_cursor for a cursor of another environment or filter. */
export function positionCodec(
  { services, environment }: Pick<Context, 'services' | 'environment'>,
  filter: CheckedFilter,
): PositionCodec {
  const binding = ['event log', environment.id, filter.resourceId, filter.types, ...partBinding(filter)];
  return positionCodecOf(new CursorCodec(services.settings.secretKey, binding));
}

/** The position codec of any list in transaction order. */
export function positionCodecOf(codec: CursorCodec): PositionCodec {
  return {
    encode: ({ xid, id, snapshot }) => codec.encode([String(xid), id, snapshot ?? '']),
    decode(cursor) {
      const [xid = '0', id = '', snapshot = ''] = codec.decodeOfFeed(cursor);
      return { xid: BigInt(xid), id, snapshot: snapshot || null };
    },
  };
}

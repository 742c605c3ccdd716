import type { OwnerConnection } from '../as-owner.ts';
import type { PartitionedLog } from './periods.ts';

/** A connection or a pool. */
type Queries = Pick<OwnerConnection, 'query'>;

/** A partition of a log. */
export interface Partition {
  readonly name: string;
  /** Its first period. Null for the first partition: it has all IDs before `to`. */
  readonly from: number | null;
  /** The first period after the partition. */
  readonly to: number;
}

/** The partitions of a log, oldest first, without its default partition. */
export async function readPartitions(connection: Queries, log: PartitionedLog): Promise<Partition[]> {
  const { rows } = await connection.query<{ name: string; bounds: string }>(
    `SELECT relname AS name, pg_get_expr(relpartbound, pg_class.oid) AS bounds
     FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = to_regclass($1)`,
    [`public.${log.table}`],
  );
  const periodOf = (firstId: string) => log.ids.periodOf(log, firstId);
  const partitions = rows.flatMap(({ name, bounds }) => {
    const to = /TO \('(\w+)'\)/.exec(bounds)?.[1];
    const from = /FROM \('(\w+)'\)/.exec(bounds)?.[1];
    // The default partition, or an operator's own partition without an upper end, has no period.
    return to === undefined ? [] : [{ name, from: from === undefined ? null : periodOf(from), to: periodOf(to) }];
  });
  return partitions.sort((a, b) => a.to - b.to);
}

/** The period that gets new rows. Infinite without a sequence: then every partition whose period is over can be dropped. */
export async function readLastPeriod(connection: Queries, log: PartitionedLog): Promise<number> {
  if (!log.ids.hasSequence) return Number.POSITIVE_INFINITY;
  const { rows } = await connection.query<{ last: string }>(
    `SELECT last_value::text AS last FROM public.${log.table}_id_seq`,
  );
  return log.ids.periodOf(log, rows[0]?.last ?? '0');
}

/**
 * How long a change of partitions waits for a lock. Requests on the tables wait for that time too, so it is shorter than
 * `deadlock_timeout` (1 s): a deadlock ends the change, never a request.
 */
const LOCK_TIMEOUT_MS = 300;

/** Runs `work` in a transaction that waits only briefly for locks. It is all or nothing: if the process dies, nothing changes. */
export async function inBriefTransaction<T>(connection: OwnerConnection, work: () => Promise<T>): Promise<T> {
  await connection.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    const result = await work();
    await connection.query('COMMIT');
    return result;
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

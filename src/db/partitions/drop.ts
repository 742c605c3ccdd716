import type { OwnerConnection } from '../as-owner.ts';
import { type PartitionedLog, startOf } from './periods.ts';
import { inBriefTransaction, type Partition, readLastPeriod, readPartitions } from './state.ts';

/** Decides whether a partition can be dropped. */
export interface DropRule {
  /** Rows are kept for at least so many days. */
  readonly days: number;
  /** Whether any row of the partition must be kept. */
  keepsRows(connection: OwnerConnection, partition: Partition): Promise<boolean>;
  /** Locks what `keepsRows` reads and others can change, until the end of the transaction. */
  lock?(connection: OwnerConnection, partition: Partition): Promise<void>;
  /** Removes most references to rows of the partition, in batches, before anything is locked. */
  prepare?(connection: OwnerConnection, partition: Partition, stopped?: AbortSignal): Promise<void>;
  /** Removes the references that are left, in the same transaction. */
  release?(connection: OwnerConnection, partition: Partition): Promise<void>;
}

/** Drops the partitions without a row that must be kept, oldest first. Returns their names. */
export async function dropPartitions(
  connection: OwnerConnection,
  log: PartitionedLog,
  rule: DropRule,
  now: Date,
  stopped?: AbortSignal,
): Promise<string[]> {
  const endedBefore = now.getTime() - rule.days * 86_400_000;
  const last = await readLastPeriod(connection, log);
  const dropped: string[] = [];
  for (const partition of await readPartitions(connection, log)) {
    if (stopped?.aborted) break;
    if (partition.to > last || startOf(log, partition.to).getTime() > endedBefore) continue;
    // Most rounds end here, without a lock. The look that counts is the one in `drop`.
    if (await rule.keepsRows(connection, partition)) continue;
    await rule.prepare?.(connection, partition, stopped);
    await awaitWriters(connection, log);
    if (await drop(connection, log, rule, partition)) dropped.push(partition.name);
  }
  return dropped;
}

/**
 * Waits for the transactions that write the log: one may have got an ID of an old partition before the sequence moved. A
 * statement holds its lock before it gets an ID, so after this no old partition gets a row.
 */
function awaitWriters(connection: OwnerConnection, { table }: PartitionedLog): Promise<void> {
  return inBriefTransaction(connection, async () => {
    await connection.query(`LOCK TABLE ONLY public.${table} IN SHARE MODE`);
  });
}

/**
 * The table locks are taken in the order in which requests take them, and last only while the partition is removed. A dropped
 * table with foreign keys needs them on the tables that it refers to.
 */
function drop(
  connection: OwnerConnection,
  { table, related }: PartitionedLog,
  rule: DropRule,
  partition: Partition,
): Promise<boolean> {
  return inBriefTransaction(connection, async () => {
    await rule.lock?.(connection, partition);
    if (await rule.keepsRows(connection, partition)) return false;
    await rule.release?.(connection, partition);
    await connection.query(`LOCK TABLE ONLY ${[...related, table].join(', ONLY ')} IN ACCESS EXCLUSIVE MODE`);
    await connection.query(`ALTER TABLE public.${table} DETACH PARTITION public."${partition.name}"`);
    await connection.query(`DROP TABLE public."${partition.name}"`);
    return true;
  });
}

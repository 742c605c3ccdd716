import type { OwnerConnection } from '../../db/as-owner.ts';
import type { DropRule } from '../../db/partitions/drop.ts';
import { EVENT_LOG, firstIdOf, type PartitionedLog, WORKFLOW_LOG } from '../../db/partitions/periods.ts';
import type { Partition } from '../../db/partitions/state.ts';
import { LOG_DAYS } from './batch.ts';

/** Entries of the audit log are kept for `days`. */
export function auditRule(days: number, now: Date): DropRule {
  return {
    days,
    keepsRows: (connection, { name }) =>
      exists(connection, `FROM public."${name}" WHERE occurred_at >= $1::timestamptz - make_interval(days => $2)`, [
        now,
        days,
      ]),
  };
}

/**
 * A line of the workflow log is kept as long as its environment says, but at least `LOG_DAYS`, and while its conversation exists.
 * Environments without a retention period keep all lines.
 */
export function workflowLogRule(now: Date): DropRule {
  return {
    days: LOG_DAYS,
    keepsRows: (connection, { name }) =>
      exists(
        connection,
        `FROM public."${name}" l LEFT JOIN retention r ON r.environment_id = l.environment_id
         WHERE l.conversation_id IS NOT NULL OR r.days IS NULL
           OR l.created_at >= $1::timestamptz - make_interval(days => greatest(r.days, $2))`,
        [now, LOG_DAYS],
      ),
    lock: async (connection, { name }) => {
      await connection.query(
        `SELECT FROM retention WHERE environment_id IN (SELECT environment_id FROM public."${name}") FOR SHARE`,
      );
    },
    // As the foreign key does if a line is deleted.
    release: async (connection, partition) => {
      await connection.query(
        'UPDATE trigger SET workflow_log_id = NULL WHERE workflow_log_id >= $1 AND workflow_log_id < $2',
        rangeOf(WORKFLOW_LOG, partition, '0'),
      );
    },
  };
}

/** Deliveries that one statement deletes. */
const DELIVERY_BATCH = 1_000;

/**
 * Events are kept for `days`, while a delivery of them is pending, and until every enabled endpoint has read them. The newest
 * events stay: positions continue from them after a restore.
 */
export function eventRule(days: number): DropRule {
  return {
    days,
    keepsRows: async (connection, partition) => {
      const range = rangeOf(EVENT_LOG, partition, '');
      return (
        (await exists(
          connection,
          `FROM webhook_delivery WHERE status = 'pending' AND event_id >= $1 AND event_id < $2`,
          range,
        )) ||
        (await exists(
          connection,
          `FROM webhook_endpoint w JOIN LATERAL (
             SELECT e.xid, e.id FROM public."${partition.name}" e
             WHERE e.environment_id = w.environment_id ORDER BY e.xid DESC, e.id DESC LIMIT 1
           ) newest ON (newest.xid, newest.id) > (w.position_xid, w.position_id) WHERE w.enabled`,
          [],
        )) ||
        !(await exists(connection, 'FROM event WHERE id >= $1', range.slice(1)))
      );
    },
    prepare: async (connection, partition, stopped) => {
      const range = rangeOf(EVENT_LOG, partition, '');
      while (!stopped?.aborted && (await deleteFinished(connection, range, DELIVERY_BATCH)) === DELIVERY_BATCH);
    },
    // Nothing can write or replay a delivery, or write an event with an old ID, between the last look and the drop.
    lock: async (connection) => {
      await connection.query('LOCK TABLE ONLY webhook_delivery, ONLY event IN ACCESS EXCLUSIVE MODE');
    },
    release: async (connection, partition) => {
      await deleteFinished(connection, rangeOf(EVENT_LOG, partition, ''), null);
    },
  };
}

/** Deletes finished deliveries of a range of events, with their attempts. Returns their number. */
async function deleteFinished(
  connection: OwnerConnection,
  range: readonly string[],
  limit: number | null,
): Promise<number> {
  const { rowCount } = await connection.query(
    `DELETE FROM webhook_delivery WHERE id IN (
       SELECT id FROM webhook_delivery WHERE status <> 'pending' AND event_id >= $1 AND event_id < $2
       LIMIT $3 FOR UPDATE SKIP LOCKED)`,
    [...range, limit],
  );
  return rowCount ?? 0;
}

/** The first ID of a partition, or `lowest` if it has all earlier ones, and the first ID after it. */
function rangeOf(log: PartitionedLog, { from, to }: Partition, lowest: string): string[] {
  return [from === null ? lowest : firstIdOf(log, from), firstIdOf(log, to)];
}

async function exists(connection: OwnerConnection, from: string, values: readonly unknown[]): Promise<boolean> {
  const { rows } = await connection.query<{ found: boolean }>(`SELECT EXISTS (SELECT ${from}) AS found`, [...values]);
  return rows[0]?.found !== false;
}

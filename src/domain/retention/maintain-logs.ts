import type { OwnerConnection } from '../../db/as-owner.ts';
import type { Database } from '../../db/database.ts';
import { beginPeriod, createPartitions } from '../../db/partitions/create.ts';
import { type DropRule, dropPartitions } from '../../db/partitions/drop.ts';
import { AUDIT_LOG, EVENT_LOG, type PartitionedLog, WORKFLOW_LOG } from '../../db/partitions/periods.ts';
import type { Log } from '../telemetry.ts';
import { auditRule, eventRule, workflowLogRule } from './log-rules.ts';

/** The key of the advisory lock of this maintenance. One process at a time changes partitions. */
const MAINTENANCE_LOCK = 7_275_540;

/** The dependencies of the maintenance. */
export interface LogMaintenanceParts {
  readonly asOwner: Database['asOwner'];
  readonly log: Log;
  /** Undefined: entries of the audit log are kept without a time limit. */
  readonly auditLogDays: number | undefined;
  /** Undefined: events are kept without a time limit. */
  readonly eventLogDays: number | undefined;
}

/**
 * Creates the partitions of the audit log, the workflow log and the event log ahead of time, begins their periods, and drops partitions
 * whose rows are all older than their retention. Returns at once if another process does it. What fails, for example because
 * a lock is not available, is logged, and the next call tries again. `at` replaces the time of the database in tests.
 */
export async function maintainLogs(parts: LogMaintenanceParts, stopped?: AbortSignal, at?: Date): Promise<void> {
  await parts.asOwner(async (connection) => {
    const { rows } = await connection.query<{ locked: boolean; now: Date }>(
      'SELECT pg_try_advisory_lock($1) AS locked, now() AS now',
      [MAINTENANCE_LOCK],
    );
    const [row] = rows;
    if (!row?.locked) return;
    const now = at ?? row.now;
    try {
      const { auditLogDays, eventLogDays } = parts;
      const audit = auditLogDays === undefined ? undefined : auditRule(auditLogDays, now);
      const events = eventLogDays === undefined ? undefined : eventRule(eventLogDays);
      await maintain(parts, connection, AUDIT_LOG, audit, now, stopped);
      await maintain(parts, connection, WORKFLOW_LOG, workflowLogRule(now), now, stopped);
      await maintain(parts, connection, EVENT_LOG, events, now, stopped);
    } finally {
      await connection.query('SELECT pg_advisory_unlock($1)', [MAINTENANCE_LOCK]).catch(() => {});
    }
  });
}

async function maintain(
  { log }: LogMaintenanceParts,
  connection: OwnerConnection,
  of: PartitionedLog,
  rule: DropRule | undefined,
  now: Date,
  stopped?: AbortSignal,
): Promise<void> {
  try {
    const { created, prevented } = await createPartitions(connection, of, now);
    if (created.length > 0) log.info({ partitions: created }, 'created partitions of a log');
    if (prevented.length > 0)
      log.warn(
        { partitions: prevented, rows_in: `${of.table}_default` },
        'rows of a later period prevent its partition: move them as "Rows in the default partition" in docs/operations.md says',
      );
    await beginPeriod(connection, of, now);
    const dropped = rule ? await dropPartitions(connection, of, rule, now, stopped) : [];
    if (dropped.length > 0)
      log.info({ partitions: dropped }, 'dropped partitions of a log: all rows were older than its retention');
  } catch (error) {
    log.warn({ err: error, table: of.table }, 'the partitions of a log could not be maintained, and are tried again');
  }
}

import type { OwnerConnection } from '../../src/db/as-owner.ts';
import type { Database } from '../../src/db/database.ts';
import { type PartitionedLog, periodAt } from '../../src/db/partitions/periods.ts';
import { type Partition, readPartitions } from '../../src/db/partitions/state.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { type LogMaintenanceParts, maintainLogs } from '../../src/domain/retention/maintain-logs.ts';

/** A message of the operator's log. */
export interface LogLine {
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** What the maintenance of a database needs. It adds its messages to `lines`. */
export function maintenanceOf(database: Database, lines: LogLine[] = []): LogMaintenanceParts {
  const add = (facts: object, message: string) => lines.push({ message, facts: { ...facts } });
  return {
    asOwner: database.asOwner,
    auditLogDays: undefined,
    eventLogDays: undefined,
    log: { info: add, warn: add, error: add },
  };
}

/** Maintains the logs as if it were `at`, and returns the messages. */
export async function maintainAt(
  database: Database,
  at: Date,
  auditLogDays?: number,
  eventLogDays?: number,
): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  await maintainLogs({ ...maintenanceOf(database, lines), auditLogDays, eventLogDays }, undefined, at);
  return lines;
}

export const partitionsOf = (database: Database, log: PartitionedLog): Promise<Partition[]> =>
  database.asOwner((connection) => readPartitions(connection, log));

/** Runs a statement as the owner of the tables. */
export function asOwner<Row extends object>(
  database: Pick<Database, 'asOwner'>,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return database.asOwner(async (connection: OwnerConnection) => (await connection.query<Row>(text, values)).rows);
}

/** A time in the middle of the period that is `later` periods after the current one. */
export function inPeriod(log: PartitionedLog, later: number): Date {
  return new Date(Date.UTC(2000, (periodAt(log, new Date()) + later) * log.months, 15));
}

/** The IDs of new rows. */
export interface Written {
  readonly audit_entry: bigint;
  readonly workflow_log: bigint;
}

/** Writes an entry and a line with the time `at`. The line names the conversation, run and trigger of the environment's rows. */
export async function writeLogs(database: Database, environment: EnvironmentRef, at = new Date()): Promise<Written> {
  const { id, workspaceId } = environment;
  const [entry] = await database.sql.rows<{ id: bigint }>`
    INSERT INTO audit_entry (workspace_id, action, actor_kind, details, request_id, occurred_at)
    VALUES (${workspaceId}::uuid, 'a', 'api_key', '{}', 'r', ${at}::timestamptz) RETURNING id`;
  const [line] = await database.sql.rows<{ id: bigint }>`
    INSERT INTO workflow_log (environment_id, workflow_id, deployment_id, conversation_id, run_id, trigger_id, request_id,
                              outcome, model, input_tokens, output_tokens, response_time_ms, counted, created_at)
    SELECT d.environment_id, d.workflow_id, d.deployment_id, c.id, c.latest_run_id, d.id, 'r', 'completed', 'demo', 1, 1, 1, true,
           ${at}::timestamptz
    FROM trigger d JOIN conversation c ON c.id = d.conversation_id WHERE d.environment_id = ${id}::uuid LIMIT 1
    RETURNING id`;
  if (!entry || !line) throw new Error('The environment has no trigger with a conversation.');
  return { audit_entry: entry.id, workflow_log: line.id };
}

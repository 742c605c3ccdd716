import { randomUUID } from 'node:crypto';
import type { EnvironmentKind } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context, SomeServices } from '../context.ts';
import { type Swept, sweepSome } from './batch.ts';
import { type RetentionSettings, readRetention } from './settings.ts';

/** The time between the end of a sweep and the start of the next one. */
const INTERVAL_MINUTES = 60;

/** Limit: duration of one transaction of a sweep. */
const TIMEOUT_MS = 30_000;

/** The dependencies of a sweep. It sees every environment. */
export type SweepParts = SomeServices<'prisma' | 'log'>;

/** Limit: due environments that one statement finds. */
const ENVIRONMENTS = 100;

/**
 * Sweeps all due environments in small transactions, the longest due first. Several processes can do this at the same
 * time: each transaction locks the row of its environment, and others skip it. If a process dies, another one continues
 * its sweep.
 */
export async function sweepDue(parts: SweepParts, stopped?: AbortSignal): Promise<void> {
  let sweeps = Number.POSITIVE_INFINITY;
  while (!stopped?.aborted && sweeps > 0) {
    sweeps = 0;
    for (const id of await dueEnvironments(parts)) {
      while (await sweepOnce(parts, id, SKIP_LOCKED)) {
        sweeps += 1;
        if (stopped?.aborted) return;
      }
    }
  }
}

async function dueEnvironments({ stores: { prisma } }: SweepParts): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT environment_id::text AS id FROM retention WHERE days IS NOT NULL AND next_sweep_at <= now()
    ORDER BY next_sweep_at LIMIT ${ENVIRONMENTS}`;
  return rows.map(({ id }) => id);
}

const SKIP_LOCKED = Prisma.sql`SKIP LOCKED`;

/** Sweeps the caller's environment completely, possibly together with other processes, and returns the new state. */
export async function sweepNow(ctx: Context): Promise<RetentionSettings> {
  const { id } = ctx.environment;
  // Truncated, because a value rounded up would not be due in the next transaction.
  await ctx.sql.execute`
    UPDATE retention SET next_sweep_at = date_trunc('milliseconds', now()) WHERE environment_id = ${id}::uuid`;
  while (await sweepOnce(ctx.services, id, Prisma.empty)) {
    // Each call deletes one batch.
  }
  return readRetention(ctx);
}

interface DueRow {
  readonly environment_id: string;
  readonly workspace_id: string;
  readonly kind: EnvironmentKind;
  readonly days: number;
}

interface CountedRow {
  readonly conversations: number;
  readonly triggers: number;
  readonly workflow_logs: number;
  readonly started_at: Date;
  readonly finished_at: Date | null;
}

/**
 * Returns false if the environment is not due, or if `locked` skips it. A failed sweep is postponed, so it does not block
 * other environments.
 */
async function sweepOnce(
  { stores: { prisma }, process: { log } }: SweepParts,
  id: string,
  locked: Prisma.Sql,
): Promise<boolean> {
  let due: DueRow | undefined;
  try {
    return await inTransaction(
      prisma,
      async (tx) => {
        due = await lockDue(tx, id, locked);
        if (!due) return false;
        const counted = await count(tx, due, await sweepSome(tx, due.environment_id, due.days));
        const { finished_at: at } = counted;
        if (at && deleted(counted) > 0) await tx.$executeRaw(auditEntryOf(due, counted, at));
        return true;
      },
      { timeoutMs: TIMEOUT_MS },
    );
  } catch (error) {
    if (!due) throw error;
    log.error({ err: error, environment_id: id }, 'expired data of an environment could not be deleted');
    await prisma.$executeRaw`
      UPDATE retention SET next_sweep_at = ${nextSweep()} WHERE environment_id = ${id}::uuid`;
    return true;
  }
}

async function lockDue(tx: Transaction, id: string, locked: Prisma.Sql): Promise<DueRow | undefined> {
  const [due] = await tx.$queryRaw<DueRow[]>`
    SELECT r.environment_id, e.workspace_id, e.kind::text AS kind, r.days
    FROM retention r JOIN environment e ON e.id = r.environment_id
    WHERE r.environment_id = ${id}::uuid AND r.days IS NOT NULL AND r.next_sweep_at <= now()
    FOR NO KEY UPDATE OF r ${locked}`;
  return due;
}

function nextSweep(): Prisma.Sql {
  return Prisma.sql`clock_timestamp() + make_interval(mins => ${INTERVAL_MINUTES}::int)`;
}

function deleted({ conversations, triggers, workflow_logs }: CountedRow): number {
  return conversations + triggers + workflow_logs;
}

/** The first batch of a sweep starts a new report, and the last batch completes it. */
async function count(tx: Transaction, { environment_id: id, days }: DueRow, swept: Swept): Promise<CountedRow> {
  const [row] = await tx.$queryRaw<CountedRow[]>`
    UPDATE retention SET
      conversations = ${swept.conversations} + CASE WHEN is_running THEN conversations ELSE 0 END,
      triggers = ${swept.triggers} + CASE WHEN is_running THEN triggers ELSE 0 END,
      workflow_logs = ${swept.workflowLogs} + CASE WHEN is_running THEN workflow_logs ELSE 0 END,
      swept_days = ${days},
      started_at = CASE WHEN is_running THEN started_at ELSE now() END,
      finished_at = CASE WHEN ${swept.done} THEN clock_timestamp() END,
      next_sweep_at = CASE WHEN ${swept.done} THEN ${nextSweep()} ELSE next_sweep_at END
    FROM (SELECT started_at IS NOT NULL AND finished_at IS NULL AS is_running FROM retention
          WHERE environment_id = ${id}::uuid) AS before
    WHERE environment_id = ${id}::uuid
    RETURNING conversations, triggers, workflow_logs, started_at, finished_at`;
  if (!row) throw new Error('the locked retention row does not exist');
  return row;
}

/** Each sweep that deleted rows writes one audit entry. */
function auditEntryOf(due: DueRow, counted: CountedRow, at: Date): Prisma.Sql {
  const source = {
    caller: { kind: 'service' },
    environment: { workspaceId: due.workspace_id, kind: due.kind },
    request: { id: randomUUID(), address: null },
  } as const;
  const { conversations, triggers, workflow_logs: workflowLogs } = counted;
  const details = { days: due.days, conversations, triggers, workflowLogs };
  return insertAuditEntry(source, { action: 'retention.swept', subjectId: due.environment_id, details, at });
}

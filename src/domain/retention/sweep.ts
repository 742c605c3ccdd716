import { randomUUID } from 'node:crypto';
import type { EnvironmentKind } from '../../contract/statuses.ts';
import { Prisma, type PrismaClient } from '../../db/generated/client.ts';
import type { Transaction } from '../../db/transaction.ts';
import { audited } from '../audit/append.ts';
import type { Context, Log } from '../context.ts';
import { type Swept, sweepSome } from './batch.ts';
import { type RetentionSettings, readRetention } from './settings.ts';

/** A sweep that is over is followed by the next one after so long. */
const EVERY_MINUTES = 60;

/** As long as one transaction of a sweep may take. */
const PATIENCE_MS = 30_000;

/** What a sweep works with: it sees every environment. */
export interface SweepParts {
  readonly prisma: PrismaClient;
  readonly log: Log;
}

/** Of those that are due, one that nobody else is at. */
const ANY = Prisma.sql`ORDER BY r.next_sweep_at LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED`;

/**
 * Sweeps the environments that are due, a small transaction at a time, until none is left. Any number of processes may do
 * it: each transaction holds the row of its environment, those who come meanwhile pass to another one, and what one that
 * died has left is gone on with by the next.
 */
export async function sweepDue(parts: SweepParts, stopped?: AbortSignal): Promise<void> {
  while (!stopped?.aborted && (await sweepOnce(parts, ANY))) {
    // One batch more.
  }
}

/** Sweeps the caller's environment now, or with whoever is at it, to its end. Answers what then holds. */
export async function sweepNow(ctx: Context): Promise<RetentionSettings> {
  const { id } = ctx.environment;
  // Not rounded up, for it is due in the very next transaction.
  await ctx.services.sql.changed`
    UPDATE retention SET next_sweep_at = date_trunc('milliseconds', now()) WHERE environment_id = ${id}::uuid`;
  const parts = { prisma: ctx.services.prisma, log: ctx.services.log };
  while (await sweepOnce(parts, Prisma.sql`AND r.environment_id = ${id}::uuid FOR NO KEY UPDATE OF r`)) {
    // One batch more.
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

/** False where nothing was due. One that fails is put off, so that it is in nobody's way. */
async function sweepOnce({ prisma, log }: SweepParts, which: Prisma.Sql): Promise<boolean> {
  let due: DueRow | undefined;
  try {
    return await prisma.$transaction(
      async (tx) => {
        due = await lockDue(tx, which);
        if (!due) return false;
        const counted = await count(tx, due, await sweepSome(tx, due.environment_id, due.days));
        const { finished_at: at } = counted;
        if (at && deleted(counted) > 0) await tx.$executeRaw(auditedSweep(due, counted, at));
        return true;
      },
      { maxWait: PATIENCE_MS, timeout: PATIENCE_MS },
    );
  } catch (error) {
    if (!due) throw error;
    const { environment_id: id } = due;
    log.error({ err: error, environment_id: id }, 'what is older than is to be kept could not be removed');
    await prisma.$executeRaw`
      UPDATE retention SET next_sweep_at = ${nextSweep()} WHERE environment_id = ${id}::uuid`;
    return true;
  }
}

async function lockDue(tx: Transaction, which: Prisma.Sql): Promise<DueRow | undefined> {
  const [due] = await tx.$queryRaw<DueRow[]>`
    SELECT r.environment_id, e.workspace_id, e.kind::text AS kind, r.days
    FROM retention r JOIN environment e ON e.id = r.environment_id
    WHERE r.days IS NOT NULL AND r.next_sweep_at <= now() ${which}`;
  return due;
}

function nextSweep(): Prisma.Sql {
  return Prisma.sql`clock_timestamp() + make_interval(mins => ${EVERY_MINUTES}::int)`;
}

function deleted({ conversations, triggers, workflow_logs }: CountedRow): number {
  return conversations + triggers + workflow_logs;
}

/** The first batch of a sweep begins a new report; the last one ends it. */
async function count(tx: Transaction, { environment_id: id, days }: DueRow, swept: Swept): Promise<CountedRow> {
  const [row] = await tx.$queryRaw<CountedRow[]>`
    UPDATE retention SET
      conversations = ${swept.conversations} + CASE WHEN at_work THEN conversations ELSE 0 END,
      triggers = ${swept.triggers} + CASE WHEN at_work THEN triggers ELSE 0 END,
      workflow_logs = ${swept.workflowLogs} + CASE WHEN at_work THEN workflow_logs ELSE 0 END,
      swept_days = ${days},
      started_at = CASE WHEN at_work THEN started_at ELSE now() END,
      finished_at = CASE WHEN ${swept.done} THEN clock_timestamp() END,
      next_sweep_at = CASE WHEN ${swept.done} THEN ${nextSweep()} ELSE next_sweep_at END
    FROM (SELECT started_at IS NOT NULL AND finished_at IS NULL AS at_work FROM retention
          WHERE environment_id = ${id}::uuid) AS before
    WHERE environment_id = ${id}::uuid
    RETURNING conversations, triggers, workflow_logs, started_at, finished_at`;
  if (!row) throw new Error('the row that this transaction holds is gone');
  return row;
}

/** Told once for each sweep that deleted something. */
function auditedSweep(due: DueRow, counted: CountedRow, at: Date): Prisma.Sql {
  const source = {
    caller: { kind: 'service' },
    environment: { workspaceId: due.workspace_id, kind: due.kind },
    request: { id: randomUUID(), address: null },
  } as const;
  const { conversations, triggers, workflow_logs: workflowLogs } = counted;
  const details = { days: due.days, conversations, triggers, workflowLogs };
  return audited(source, { action: 'retention.swept', subjectId: due.environment_id, details, at });
}

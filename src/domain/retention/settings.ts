import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Retention } from '../../db/generated/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';

/** The result of a sweep. */
export interface SweepReport {
  readonly startedAt: Date;
  /** Null while the sweep is running. */
  readonly finishedAt: Date | null;
  /** The retention period of the sweep. */
  readonly days: number;
  readonly conversations: number;
  readonly triggers: number;
  readonly workflowLogs: number;
}

/** How long an environment keeps conversations. */
export interface RetentionSettings {
  /** Null: without a time limit. */
  readonly days: number | null;
  /** Null if no sweep has run. */
  readonly lastSweep: SweepReport | null;
}

/** The settings of the caller's environment, and the result of its last sweep. */
export async function readRetention(ctx: Context): Promise<RetentionSettings> {
  const row = await ctx.db.retention.findUnique({ where: { environmentId: ctx.environment.id } });
  return row ? settingsOf(row) : { days: null, lastSweep: null };
}

/**
 * Sets how many days the caller's environment keeps conversations. Null means no limit. It applies from the next sweep.
 * @throws {ServiceError} invalid_request
 */
export function setRetention(ctx: Context, days: number | null): Promise<RetentionSettings> {
  if (days !== null && !(Number.isInteger(days) && days >= 1 && days <= LIMITS.retentionDays)) {
    throw new ServiceError('invalid_request', `{param} must be from 1 to ${LIMITS.retentionDays}.`, {
      param: ['days'],
    });
  }
  const { id: environmentId } = ctx.environment;
  const at = ctx.now();
  return inTransaction(ctx.db, async (tx) => {
    const previous = await tx.retention.findUnique({ where: { environmentId } });
    // Without a limit a running sweep has nothing left to delete.
    const finished = days === null && previous?.startedAt && !previous.finishedAt ? { finishedAt: at } : {};
    const row = await tx.retention.upsert({
      where: { environmentId },
      create: { environmentId, days, nextSweepAt: at },
      update: { days, nextSweepAt: at, ...finished },
    });
    const details = { days, before: previous?.days ?? null };
    if (details.days !== details.before) {
      await tx.$executeRaw(insertAuditEntry(ctx, { action: 'retention.set', subjectId: environmentId, details, at }));
    }
    return settingsOf(row);
  });
}

function settingsOf(row: Retention): RetentionSettings {
  const { days, startedAt, finishedAt, sweptDays, conversations, triggers, workflowLogs } = row;
  if (!startedAt || sweptDays === null) return { days, lastSweep: null };
  return { days, lastSweep: { startedAt, finishedAt, days: sweptDays, conversations, triggers, workflowLogs } };
}

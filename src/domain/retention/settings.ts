import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Retention } from '../../db/generated/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { audited } from '../audit/append.ts';
import type { Context } from '../context.ts';

/** What a sweep has done. */
export interface SweepReport {
  readonly startedAt: Date;
  /** Null while it is under way. */
  readonly finishedAt: Date | null;
  /** The days that it goes by. */
  readonly days: number;
  readonly conversations: number;
  readonly triggers: number;
  readonly workflowLogs: number;
}

/** How long an environment keeps what was said. */
export interface RetentionSettings {
  /** Null: for ever. */
  readonly days: number | null;
  /** Null where there has been none. */
  readonly lastSweep: SweepReport | null;
}

/** What holds for the caller's environment, and what the last sweep of it has done. */
export async function readRetention(ctx: Context): Promise<RetentionSettings> {
  const row = await ctx.db.retention.findUnique({ where: { environmentId: ctx.environment.id } });
  return row ? settingsOf(row) : { days: null, lastSweep: null };
}

/**
 * Keeps what was said in the caller's environment for so many days; null for ever. The next sweep goes by it.
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
    const known = await tx.retention.findUnique({ where: { environmentId } });
    // A sweep that nothing is left of to do is over.
    const over = days === null && known?.startedAt && !known.finishedAt ? { finishedAt: at } : {};
    const row = await tx.retention.upsert({
      where: { environmentId },
      create: { environmentId, days, nextSweepAt: at },
      update: { days, nextSweepAt: at, ...over },
    });
    const details = { days, before: known?.days ?? null };
    if (details.days !== details.before) {
      await tx.$executeRaw(audited(ctx, { action: 'retention.set', subjectId: environmentId, details, at }));
    }
    return settingsOf(row);
  });
}

function settingsOf(row: Retention): RetentionSettings {
  const { days, startedAt, finishedAt, sweptDays, conversations, triggers, workflowLogs } = row;
  if (!startedAt || sweptDays === null) return { days, lastSweep: null };
  return { days, lastSweep: { startedAt, finishedAt, days: sweptDays, conversations, triggers, workflowLogs } };
}

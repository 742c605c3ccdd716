import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import type { Retention } from '../../db/generated/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { SET_RETENTION } from '../../shapes/environment.ts';
import { rulesOf } from '../../shapes/field.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';

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
  /** How many days traces are kept. 0: they are not written. */
  readonly traceDays: number;
  /** Null if no sweep has run. */
  readonly lastSweep: SweepReport | null;
}

/** The settings of the caller's environment, and the result of its last sweep. */
export async function readRetention(ctx: Context): Promise<RetentionSettings> {
  const row = await ctx.db.retention.findUnique({ where: { environmentId: ctx.environment.id } });
  return row ? settingsOf(row) : { days: null, traceDays: LIMITS.defaultTraceDays, lastSweep: null };
}

const retentionInput = z.object(rulesOf(SET_RETENTION.fields));

/** The new settings. */
interface RetentionInput {
  readonly days: number | null;
  /** Undefined: unchanged. */
  readonly traceDays?: number | undefined;
}

/**
 * Sets how many days the caller's environment keeps conversations, and traces. Null days mean no limit. They apply from
 * the next sweep. Traces outside of the new period disappear at once, and are deleted within minutes.
 * @throws {ServiceError} invalid_request
 */
export function setRetention(ctx: Context, { days, traceDays }: RetentionInput): Promise<RetentionSettings> {
  parseInput(retentionInput, { days, traceDays });
  const { id: environmentId } = ctx.environment;
  const at = ctx.now();
  return inTransaction(ctx.db, async (tx) => {
    const previous = await tx.retention.findUnique({ where: { environmentId } });
    // Without a limit a running sweep has nothing left to delete.
    const finished = days === null && previous?.startedAt && !previous.finishedAt ? { finishedAt: at } : {};
    const row = await tx.retention.upsert({
      where: { environmentId },
      create: { environmentId, days, nextSweepAt: at, ...(traceDays !== undefined && { traceDays }) },
      update: { days, nextSweepAt: at, ...finished, ...(traceDays !== undefined && { traceDays }) },
    });
    const traceDaysBefore = previous?.traceDays ?? LIMITS.defaultTraceDays;
    const isTraceChange = row.traceDays !== traceDaysBefore;
    const traceDetails = isTraceChange ? { traceDays: row.traceDays, traceDaysBefore } : {};
    const details = { days, before: previous?.days ?? null, ...traceDetails };
    if (details.days !== details.before || isTraceChange) {
      await tx.$executeRaw(insertAuditEntry(ctx, { action: 'retention.set', subjectId: environmentId, details, at }));
    }
    return settingsOf(row);
  });
}

function settingsOf(row: Retention): RetentionSettings {
  const { days, traceDays, startedAt, finishedAt, sweptDays, conversations, triggers, workflowLogs } = row;
  if (!startedAt || sweptDays === null) return { days, traceDays, lastSweep: null };
  return {
    days,
    traceDays,
    lastSweep: { startedAt, finishedAt, days: sweptDays, conversations, triggers, workflowLogs },
  };
}

import { z } from 'zod';
import { LIMITS } from '../../../contract/limits.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { insertAuditEntry } from '../../audit/append.ts';
import type { Context } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { ratePerMinute } from '../rate-limits.ts';

const RUNS_RULE = `must be a whole number from 1 to ${LIMITS.concurrentRuns}, or null`;

const runs = z.int(RUNS_RULE).min(1, RUNS_RULE).max(LIMITS.concurrentRuns, RUNS_RULE).nullish();

const FILES_RULE = `must be a whole number from 1 to ${LIMITS.fileMegabytes}, or null`;

export const limitsInput = z.object({
  requestsPerMinute: ratePerMinute,
  concurrentRuns: runs,
  backgroundRuns: runs,
  fileMegabytes: z.int(FILES_RULE).min(1, FILES_RULE).max(LIMITS.fileMegabytes, FILES_RULE).nullish(),
});

/** The limits of an environment. */
export interface EnvironmentLimits {
  /** Requests of all callers together. Null: no limit. */
  readonly requestsPerMinute: number | null;
  /** Turns that can run at the same time. Null: no limit. */
  readonly concurrentRuns: number | null;
  /** Background turns that can run at the same time. Others wait. Null: the default limit. */
  readonly backgroundRuns: number | null;
  /** MiB of all files. Null: the default limit. */
  readonly fileMegabytes: number | null;
}

const COLUMNS = { requestsPerMinute: true, concurrentRuns: true, backgroundRuns: true, fileMegabytes: true } as const;

export function readEnvironmentLimits({ db, environment }: Context): Promise<EnvironmentLimits> {
  return db.environment.findUniqueOrThrow({ where: { id: environment.id }, select: COLUMNS });
}

/**
 * Sets limits from the next request on. Null restores the default.
 * @throws {ServiceError} invalid_request
 */
export function setEnvironmentLimits(
  ctx: Context,
  input: Readonly<Record<string, unknown>>,
): Promise<EnvironmentLimits> {
  const { requestsPerMinute, concurrentRuns, backgroundRuns, fileMegabytes } = parseInput(limitsInput, input);
  const data = {
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(concurrentRuns !== undefined && { concurrentRuns }),
    ...(backgroundRuns !== undefined && { backgroundRuns }),
    ...(fileMegabytes !== undefined && { fileMegabytes }),
  };
  const { id } = ctx.environment;
  return inTransaction(ctx.db, async (tx) => {
    const after = await tx.environment.update({ where: { id }, data, select: COLUMNS });
    const details = {
      requests_per_minute: after.requestsPerMinute,
      concurrent_runs: after.concurrentRuns,
      background_runs: after.backgroundRuns,
      file_megabytes: after.fileMegabytes,
    };
    await tx.$executeRaw(
      insertAuditEntry(ctx, { action: 'environment_limits.set', subjectId: id, details, at: ctx.now() }),
    );
    return after;
  });
}

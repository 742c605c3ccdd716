import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { inTransaction } from '../../db/transaction.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { ratePerMinute } from './rate-limits.ts';

const RUNS_RULE = `must be a whole number from 1 to ${LIMITS.concurrentRuns}, or null`;

const limitsInput = z.object({
  requestsPerMinute: ratePerMinute,
  concurrentRuns: z.int(RUNS_RULE).min(1, RUNS_RULE).max(LIMITS.concurrentRuns, RUNS_RULE).nullish(),
});

/** The limits of an environment. Null means no limit. */
export interface EnvironmentLimits {
  /** Requests of all callers together. */
  readonly requestsPerMinute: number | null;
  /** Turns that can run at the same time. */
  readonly concurrentRuns: number | null;
}

const COLUMNS = { requestsPerMinute: true, concurrentRuns: true } as const;

export function readEnvironmentLimits({ db, environment }: Context): Promise<EnvironmentLimits> {
  return db.environment.findUniqueOrThrow({ where: { id: environment.id }, select: COLUMNS });
}

/**
 * Sets limits from the next request on. Null removes a limit.
 * @throws {ServiceError} invalid_request
 */
export function setEnvironmentLimits(
  ctx: Context,
  input: Readonly<Record<string, unknown>>,
): Promise<EnvironmentLimits> {
  const { requestsPerMinute, concurrentRuns } = parseInput(limitsInput, input);
  const data = {
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(concurrentRuns !== undefined && { concurrentRuns }),
  };
  const { id } = ctx.environment;
  return inTransaction(ctx.db, async (tx) => {
    const after = await tx.environment.update({ where: { id }, data, select: COLUMNS });
    const details = { requests_per_minute: after.requestsPerMinute, concurrent_runs: after.concurrentRuns };
    await tx.$executeRaw(
      insertAuditEntry(ctx, { action: 'environment_limits.set', subjectId: id, details, at: ctx.now() }),
    );
    return after;
  });
}

import { z } from 'zod';
import { inTransaction } from '../../../db/transaction.ts';
import { ENVIRONMENT_LIMITS } from '../../../shapes/environment.ts';
import { rulesOf, type ValuesOf } from '../../../shapes/field.ts';
import { insertAuditEntry } from '../../audit/append.ts';
import type { Context } from '../../context.ts';
import { parseInput } from '../../input.ts';

export const limitsInput = z.object(rulesOf(ENVIRONMENT_LIMITS));

/** The limits of an environment. */
export type EnvironmentLimits = ValuesOf<typeof ENVIRONMENT_LIMITS>;

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

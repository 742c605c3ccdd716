import { LIMITS } from '../../contract/limits.ts';
import { changeByEnvironment, type FoundRow } from '../by-environment.ts';
import type { SweepParts } from './sweep.ts';

/** Spans of one environment that one statement deletes. */
const BATCH = 1_000;

/** Limit: environments that one statement finds. */
const ENVIRONMENTS = 100;

/**
 * Deletes spans that are older than the retention of traces in their environment. Several processes can do this at the
 * same time. Environments take turns: each statement takes some spans of one.
 */
export async function sweepTraces(parts: SweepParts, stopped?: AbortSignal): Promise<void> {
  const { prisma } = parts.stores;
  const deleteSome = (environmentId: string) => prisma.$executeRaw`
    DELETE FROM trace_span WHERE environment_id = ${environmentId}::uuid AND id IN (
      SELECT id FROM trace_span
      WHERE environment_id = ${environmentId}::uuid
        AND started_at <= now() - make_interval(days => coalesce(
          (SELECT trace_days FROM retention WHERE environment_id = ${environmentId}::uuid), ${LIMITS.defaultTraceDays}))
      ORDER BY started_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`;
  let deleted = Number.POSITIVE_INFINITY;
  while (!stopped?.aborted && deleted > 0) {
    deleted = await changeByEnvironment(await environmentsWithExpired(parts), deleteSome, stopped);
  }
}

/** Starts from the conversations of each environment, because the rows of an environment without any have no spans. */
function environmentsWithExpired({ stores: { prisma } }: SweepParts): Promise<FoundRow[]> {
  return prisma.$queryRaw<FoundRow[]>`
    SELECT known.environment_id::text AS "environmentId", '' AS id
    FROM (SELECT DISTINCT environment_id FROM conversation_count) AS known
    LEFT JOIN retention r ON r.environment_id = known.environment_id
    WHERE (SELECT s.started_at FROM trace_span s WHERE s.environment_id = known.environment_id
           ORDER BY s.started_at LIMIT 1)
      <= now() - make_interval(days => coalesce(r.trace_days, ${LIMITS.defaultTraceDays}))
    LIMIT ${ENVIRONMENTS}`;
}

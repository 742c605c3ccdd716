import { LIMITS } from '../../contract/limits.ts';
import type { SweepParts } from './sweep.ts';

/** Spans of one environment that one statement deletes. */
const BATCH = 1_000;

/**
 * Deletes spans that are older than the retention of traces in their environment. Several processes can do this at the
 * same time. Each statement takes some spans of every environment.
 */
export async function sweepTraces({ stores: { prisma } }: SweepParts, stopped?: AbortSignal): Promise<void> {
  let deleted = Number.POSITIVE_INFINITY;
  while (!stopped?.aborted && deleted >= BATCH) {
    deleted = await prisma.$executeRaw`
      DELETE FROM trace_span WHERE id IN (
        SELECT expired.id
        FROM environment e LEFT JOIN retention r ON r.environment_id = e.id, LATERAL (
          SELECT s.id FROM trace_span s
          WHERE s.environment_id = e.id
            AND s.started_at <= now() - make_interval(days => coalesce(r.trace_days, ${LIMITS.defaultTraceDays}))
          ORDER BY s.started_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) AS expired)`;
  }
}

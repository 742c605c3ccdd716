import type { PrismaClient } from '../../db/generated/client.ts';

/** Events looked at for one endpoint by one statement. */
const BATCH = 500;

/** What became of reading the log for endpoints. */
export interface Queued {
  /** Deliveries that are new. */
  readonly count: number;
  /** Whether an endpoint has more to read. */
  readonly more: boolean;
  /** Whether there are events that wait for an older transaction to end. */
  readonly heldBack: boolean;
}

/**
 * Reads on in the log for each enabled endpoint of these environments, and queues a delivery of each event that it
 * wants: its position moves in the same statement, under its row lock, so no event is queued twice or left out. An
 * endpoint that another process is reading for is passed over. As every reader of the log it stops at the oldest
 * transaction that is still open.
 */
export async function queueDeliveries(prisma: PrismaClient, environmentIds: readonly string[]): Promise<Queued> {
  const ids = [...environmentIds];
  const [row] = await prisma.$queryRaw<{ count: number; more: boolean; held_back: boolean }[]>`
    WITH head AS MATERIALIZED (
      SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin
    ), behind AS MATERIALIZED (
      SELECT w.id, w.environment_id, w.event_types, w.position_xid, w.position_id, w.since
      FROM webhook_endpoint w
      WHERE w.environment_id = ANY (${ids}::uuid[]) AND w.enabled
        AND (SELECT e.xid FROM event e
             WHERE e.environment_id = w.environment_id AND (e.xid, e.id) > (w.position_xid, w.position_id)
             ORDER BY e.xid, e.id LIMIT 1) < (SELECT xmin FROM head)
      FOR NO KEY UPDATE OF w SKIP LOCKED
    ), read AS MATERIALIZED (
      SELECT behind.id AS endpoint_id, behind.environment_id, found.id AS event_id, found.xid,
             row_number() OVER (PARTITION BY behind.id ORDER BY found.xid, found.id) AS place,
             (cardinality(behind.event_types) = 0 OR found.type = ANY (behind.event_types))
               AND NOT pg_visible_in_snapshot(found.xid, behind.since) AS wanted
      FROM behind CROSS JOIN LATERAL (
        SELECT e.id, e.xid, e.type FROM event e
        WHERE e.environment_id = behind.environment_id AND (e.xid, e.id) > (behind.position_xid, behind.position_id)
          AND e.xid < (SELECT xmin FROM head)
        ORDER BY e.xid, e.id LIMIT ${BATCH}
      ) AS found
    ), queued AS (
      INSERT INTO webhook_delivery (environment_id, endpoint_id, event_id, message_id, next_attempt_at, created_at)
      SELECT environment_id, endpoint_id, event_id, event_id, now(), now() FROM read
      WHERE wanted ORDER BY endpoint_id, place
      ON CONFLICT (endpoint_id, event_id) DO NOTHING
      RETURNING 1
    ), moved AS (
      UPDATE webhook_endpoint w SET position_xid = last.xid, position_id = last.event_id
      FROM (SELECT DISTINCT ON (endpoint_id) endpoint_id, xid, event_id FROM read ORDER BY endpoint_id, place DESC) last
      WHERE w.id = last.endpoint_id
    )
    SELECT (SELECT count(*)::int FROM queued) AS count,
           EXISTS (SELECT 1 FROM read WHERE place = ${BATCH}) AS more,
           EXISTS (SELECT 1 FROM unnest(${ids}::uuid[]) AS environment (id) CROSS JOIN LATERAL (
             SELECT 1 FROM event e WHERE e.environment_id = environment.id AND e.xid >= (SELECT xmin FROM head)
             ORDER BY e.xid, e.id LIMIT 1
           ) AS late) AS held_back`;
  return { count: row?.count ?? 0, more: row?.more ?? false, heldBack: row?.held_back ?? false };
}

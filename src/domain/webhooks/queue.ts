import { LIMITS } from '../../contract/limits.ts';
import type { Sql } from '../../db/sql.ts';

/** Events that one statement reads for one endpoint. */
const EVENT_BATCH = 500;

/** Deliveries that one statement removes. */
const SWEEP_BATCH = 1_000;

/** The result of reading the log for endpoints. */
export interface QueueResult {
  /** New deliveries. */
  readonly count: number;
  /** Whether an endpoint has more events to read. */
  readonly more: boolean;
  /** Whether events wait for an older transaction to end. */
  readonly heldBack: boolean;
}

/**
 * Reads new events from the log for each enabled endpoint of these environments, and queues a delivery of each event that
 * matches the endpoint's types. An endpoint without types gets no lifecycle events: only they have a conversation. The same statement moves the endpoint's position under its row lock, so every event is
 * queued exactly once. Endpoints that another process locks are skipped. Like every reader of the log, it stops at the
 * oldest transaction that is still open.
 */
export async function queueDeliveries(sql: Sql, environmentIds: readonly string[]): Promise<QueueResult> {
  const ids = [...environmentIds];
  const [row] = await sql.rows<{ count: number; more: boolean; held_back: boolean }>`
    WITH head AS MATERIALIZED (
      SELECT log_xmin() AS xmin
    ), pending AS MATERIALIZED (
      SELECT w.id, w.environment_id, w.event_types, w.position_xid, w.position_id, w.since
      FROM webhook_endpoint w
      WHERE w.environment_id = ANY (${ids}::uuid[]) AND w.enabled
        AND (SELECT e.xid FROM event e
             WHERE e.environment_id = w.environment_id AND (e.xid, e.id) > (w.position_xid, w.position_id)
             ORDER BY e.xid, e.id LIMIT 1) < (SELECT xmin FROM head)
      FOR NO KEY UPDATE OF w SKIP LOCKED
    ), read AS MATERIALIZED (
      SELECT pending.id AS endpoint_id, pending.environment_id, next.id AS event_id, next.xid,
             row_number() OVER (PARTITION BY pending.id ORDER BY next.xid, next.id) AS place,
             (CASE WHEN cardinality(pending.event_types) = 0 THEN next.conversation_id IS NULL
                   ELSE next.type = ANY (pending.event_types) END)
               AND NOT pg_visible_in_snapshot(next.xid, pending.since) AS matches
      FROM pending CROSS JOIN LATERAL (
        SELECT e.id, e.xid, e.type, e.conversation_id FROM event e
        WHERE e.environment_id = pending.environment_id AND (e.xid, e.id) > (pending.position_xid, pending.position_id)
          AND e.xid < (SELECT xmin FROM head)
        ORDER BY e.xid, e.id LIMIT ${EVENT_BATCH}
      ) AS next
    ), queued AS (
      INSERT INTO webhook_delivery (environment_id, endpoint_id, event_id, message_id, next_attempt_at, created_at)
      SELECT environment_id, endpoint_id, event_id, event_id, now(), now() FROM read
      WHERE matches ORDER BY endpoint_id, place
      ON CONFLICT DO NOTHING
      RETURNING 1
    ), advanced AS (
      UPDATE webhook_endpoint w SET position_xid = last.xid, position_id = last.event_id
      FROM (SELECT DISTINCT ON (endpoint_id) endpoint_id, environment_id, xid, event_id FROM read
            ORDER BY endpoint_id, place DESC) last
      WHERE w.id = last.endpoint_id AND w.environment_id = last.environment_id
    )
    SELECT (SELECT count(*)::int FROM queued) AS count,
           EXISTS (SELECT 1 FROM read WHERE place = ${EVENT_BATCH}) AS more,
           EXISTS (SELECT 1 FROM unnest(${ids}::uuid[]) AS environment (id) CROSS JOIN LATERAL (
             SELECT 1 FROM event e WHERE e.environment_id = environment.id AND e.xid >= (SELECT xmin FROM head)
             ORDER BY e.xid, e.id LIMIT 1
           ) AS late) AS held_back`;
  return { count: row?.count ?? 0, more: row?.more ?? false, heldBack: row?.held_back ?? false };
}

/** Removes deliveries that finished before the retention time, with their attempts, and old replays. */
export async function sweepDeliveries(sql: Sql): Promise<void> {
  await sql.execute`
    DELETE FROM webhook_delivery WHERE id IN (
      SELECT id FROM webhook_delivery
      WHERE status <> 'pending' AND finished_at < now() - make_interval(days => ${LIMITS.webhookDeliveryDays}::int)
      ORDER BY finished_at LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED)`;
  await sql.execute`
    DELETE FROM webhook_replay WHERE id IN (
      SELECT id FROM webhook_replay
      WHERE created_at < now() - make_interval(days => ${LIMITS.webhookDeliveryDays}::int)
      ORDER BY created_at LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED)`;
}

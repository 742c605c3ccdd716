import { LIMITS } from '../../contract/limits.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Sql } from '../../db/sql.ts';
import { changeByEnvironment, type FoundRow } from '../by-environment.ts';

/** Events that one statement reads for one endpoint. */
const EVENT_BATCH = 500;

/** Deliveries that one statement removes. */
const SWEEP_BATCH = 1_000;

const IS_OLD_DELIVERY = Prisma.sql`status <> 'pending' AND finished_at < now() - make_interval(days => ${LIMITS.webhookDeliveryDays}::int)`;

const IS_OLD_REPLAY = Prisma.sql`created_at < now() - make_interval(days => ${LIMITS.webhookDeliveryDays}::int)`;

/** Limit: environments that one statement finds. The deliveries of the first ones must not wait for all others. */
const ENVIRONMENTS = 100;

/**
 * Finds environments with new events for an enabled endpoint, in random order: processes that look at the same time start
 * with different ones. It locks nothing, and includes events that wait for an older transaction to end.
 */
export async function findGrownLogs(
  sql: Sql,
  environmentIds: readonly string[],
): Promise<{ readonly ids: readonly string[]; readonly more: boolean }> {
  const rows = await sql.rows<{ id: string }>`
    SELECT w.environment_id::text AS id
    FROM webhook_endpoint w CROSS JOIN LATERAL (
      SELECT 1 FROM event e
      WHERE e.environment_id = w.environment_id AND (e.xid, e.id) > (w.position_xid, w.position_id)
      ORDER BY e.xid, e.id LIMIT 1
    ) AS next
    WHERE w.environment_id = ANY (${[...environmentIds]}::uuid[]) AND w.enabled
    GROUP BY w.environment_id ORDER BY random() LIMIT ${ENVIRONMENTS}`;
  return { ids: rows.map(({ id }) => id), more: rows.length === ENVIRONMENTS };
}

/** The result of reading the log for the endpoints of an environment. */
export interface QueueResult {
  /** New deliveries. */
  readonly count: number;
  /** Whether an endpoint has more events to read. */
  readonly more: boolean;
  /** Whether events wait for an older transaction to end. */
  readonly heldBack: boolean;
}

/**
 * Reads new events from the log for each enabled endpoint of an environment, and queues a delivery of each event that
 * matches the endpoint's types. An endpoint without types gets no lifecycle events: only they have a conversation. The same statement moves the endpoint's position under its row lock, so every event is
 * queued exactly once. Endpoints that another process locks are skipped. Like every reader of the log, it stops at the
 * oldest transaction that is still open.
 */
export async function queueDeliveries(sql: Sql, environmentId: string): Promise<QueueResult> {
  const [row] = await sql.rows<{ count: number; more: boolean; held_back: boolean }>`
    WITH pending AS MATERIALIZED (
      SELECT w.id, w.environment_id, w.event_types, w.position_xid, w.position_id, w.since
      FROM webhook_endpoint w
      WHERE w.environment_id = ${environmentId}::uuid AND w.enabled
        AND (SELECT e.xid FROM event e
             WHERE e.environment_id = ${environmentId}::uuid AND (e.xid, e.id) > (w.position_xid, w.position_id)
             ORDER BY e.xid, e.id LIMIT 1) < (SELECT log_xmin())
      FOR NO KEY UPDATE OF w SKIP LOCKED
    ), read AS MATERIALIZED (
      SELECT pending.id AS endpoint_id, pending.environment_id, next.id AS event_id, next.xid,
             row_number() OVER (PARTITION BY pending.id ORDER BY next.xid, next.id) AS place,
             (CASE WHEN cardinality(pending.event_types) = 0 THEN next.conversation_id IS NULL
                   ELSE next.type = ANY (pending.event_types) END)
               AND NOT pg_visible_in_snapshot(next.xid, pending.since) AS matches
      FROM pending CROSS JOIN LATERAL (
        SELECT e.id, e.xid, e.type, e.conversation_id FROM event e
        WHERE e.environment_id = ${environmentId}::uuid AND (e.xid, e.id) > (pending.position_xid, pending.position_id)
          AND e.xid < (SELECT log_xmin())
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
      WHERE w.id = last.endpoint_id AND w.environment_id = ${environmentId}::uuid
    )
    SELECT (SELECT count(*)::int FROM queued) AS count,
           EXISTS (SELECT 1 FROM read WHERE place = ${EVENT_BATCH}) AS more,
           EXISTS (
             SELECT 1 FROM event e
             WHERE e.environment_id = ${environmentId}::uuid AND e.xid >= (SELECT log_xmin())
             ORDER BY e.xid, e.id LIMIT 1
           ) AS held_back`;
  return { count: row?.count ?? 0, more: row?.more ?? false, heldBack: row?.held_back ?? false };
}

/** Removes deliveries that finished before the retention time, with their attempts, and old replays. */
export async function sweepDeliveries(sql: Sql): Promise<void> {
  await removeOld(sql, Prisma.sql`webhook_delivery`, IS_OLD_DELIVERY, Prisma.sql`finished_at`);
  await removeOld(sql, Prisma.sql`webhook_replay`, IS_OLD_REPLAY, Prisma.sql`created_at`);
}

async function removeOld(sql: Sql, table: Prisma.Sql, isOld: Prisma.Sql, time: Prisma.Sql): Promise<void> {
  const rows = await sql.rows<OldRow>`
    SELECT environment_id::text AS "environmentId", id FROM ${table} WHERE ${isOld}
    ORDER BY ${time} LIMIT ${SWEEP_BATCH}`;
  await changeByEnvironment(
    rows.map(found),
    (environmentId, ids) => sql.execute`
      DELETE FROM ${table} WHERE environment_id = ${environmentId}::uuid AND id IN (
        SELECT id FROM ${table}
        WHERE environment_id = ${environmentId}::uuid AND id = ANY (${ids}::bigint[]) AND ${isOld}
        FOR UPDATE SKIP LOCKED)`,
  );
}

interface OldRow {
  readonly environmentId: string;
  readonly id: bigint;
}

const found = ({ environmentId, id }: OldRow): FoundRow => ({ environmentId, id: String(id) });

import { randomUUID } from 'node:crypto';
import { Prisma } from '../../db/generated/client.ts';
import type { Sql } from '../../db/sql.ts';
import { leaseEnd, NO_LEASE } from '../leases/lease-sql.ts';

/** A delivery that this process claimed. It makes the next attempt. */
export interface ClaimedDelivery {
  readonly id: bigint;
  /** The lease owner. Each claim has a new one, so a process that lost its claim cannot write. */
  readonly lease: string;
  readonly environmentId: string;
  readonly endpointId: string;
  readonly url: string;
  readonly sealedSecret: Uint8Array;
  readonly messageId: string;
  /** Null for a test message. */
  readonly event: {
    readonly type: string;
    readonly resourceId: string;
    readonly payload: object;
    readonly occurredAt: Date;
  } | null;
  /** The trace of the change. Null without tracing. */
  readonly traceparent: string | null;
  readonly createdAt: Date;
  /** The failed attempts of this delivery. */
  readonly attempts: number;
  /** The failed attempts of the endpoint since its last delivered message. */
  readonly endpointFailures: number;
}

/** How many attempts can start. */
export interface ClaimCapacity {
  /** For endpoints whose last attempt was delivered. */
  readonly steady: number;
  /** For endpoints whose last attempt failed. */
  readonly failing: number;
}

interface Row {
  id: bigint;
  environment_id: string;
  endpoint_id: string;
  url: string;
  sealed_secret: Uint8Array;
  message_id: string;
  type: string | null;
  resource_id: string;
  payload: object;
  occurred_at: Date;
  traceparent: string | null;
  created_at: Date;
  attempts: number;
  failures: number;
}

/** How many due deliveries of an environment can be claimed. */
export interface DueShare extends ClaimCapacity {
  readonly environmentId: string;
}

/**
 * Finds the due deliveries of several environments. Failing endpoints have their own capacity, and environments take
 * turns. So endpoints that hang cannot use up the capacity of others. It locks nothing: `claimDue` looks again.
 */
export function findDue(sql: Sql, environmentIds: readonly string[], capacity: ClaimCapacity): Promise<DueShare[]> {
  return sql.rows<DueShare>`
    WITH ${readyIn(Prisma.sql`w.environment_id = ANY (${[...environmentIds]}::uuid[])`, capacity)}
    SELECT environment_id::text AS "environmentId", count(*) FILTER (WHERE NOT is_failing)::int AS steady,
           count(*) FILTER (WHERE is_failing)::int AS failing
    FROM ready GROUP BY environment_id`;
}

/**
 * The deliveries that can be claimed now.
 *
 * An endpoint has at most two concurrent attempts. One is its oldest first attempt, so newer messages cannot overtake it.
 * The other is the retry that is due longest, so a message that fails for hours delays no other message. An endpoint whose
 * last attempt failed has one attempt at a time: the one that was due earlier. While its circuit breaker is open, an
 * endpoint has no attempts.
 *
 * Each ORDER BY matches an index. With the ID alone, the planner would scan all deliveries to find that an endpoint has no
 * pending ones.
 */
function readyIn(
  environments: Prisma.Sql,
  capacity: ClaimCapacity,
  environment = Prisma.sql`w.environment_id`,
): Prisma.Sql {
  return Prisma.sql`head AS (
      SELECT next.id, next.next_attempt_at, w.environment_id, w.failures > 0 AS is_failing,
             coalesce(next.lease_expires_at >= now(), false) AS is_leased,
             row_number() OVER (PARTITION BY w.id ORDER BY next.next_attempt_at, next.id) AS place,
             bool_or(coalesce(next.lease_expires_at >= now(), false)) OVER (PARTITION BY w.id) AS is_busy
      FROM webhook_endpoint w CROSS JOIN LATERAL (
        (SELECT id, next_attempt_at, lease_expires_at FROM webhook_delivery
         WHERE endpoint_id = w.id AND environment_id = ${environment} AND status = 'pending' AND attempts < 1 ORDER BY attempts, id LIMIT 1)
        UNION ALL
        (SELECT id, next_attempt_at, lease_expires_at FROM webhook_delivery
         WHERE endpoint_id = w.id AND environment_id = ${environment} AND status = 'pending' AND attempts > 0 ORDER BY next_attempt_at LIMIT 1)
      ) AS next
      WHERE ${environments} AND w.enabled AND (w.paused_until IS NULL OR w.paused_until <= now())
    ), in_turns AS (
      SELECT id, environment_id, is_failing, next_attempt_at,
             row_number() OVER (PARTITION BY is_failing, environment_id ORDER BY next_attempt_at, id) AS turn
      FROM head
      WHERE next_attempt_at <= now() AND NOT is_leased AND (NOT is_failing OR (place = 1 AND NOT is_busy))
    ), ready AS (
      (SELECT id, environment_id, is_failing FROM in_turns WHERE NOT is_failing
       ORDER BY turn, next_attempt_at LIMIT ${capacity.steady})
      UNION ALL
      (SELECT id, environment_id, is_failing FROM in_turns WHERE is_failing
       ORDER BY turn, next_attempt_at LIMIT ${capacity.failing})
    )`;
}

/**
 * Claims due deliveries of an environment for the longest time that an attempt can take. If this process dies, another
 * process can claim them after that time.
 */
export async function claimDue(
  sql: Sql,
  environmentId: string,
  { capacity, leaseMs }: { readonly capacity: ClaimCapacity; readonly leaseMs: number },
): Promise<ClaimedDelivery[]> {
  const lease = randomUUID();
  const environment = Prisma.sql`${environmentId}::uuid`;
  const rows = await sql.rows<Row>`
    WITH ${readyIn(Prisma.sql`w.environment_id = ${environment}`, capacity, environment)}, free AS (
      SELECT d.id, d.environment_id
      FROM webhook_delivery d JOIN ready ON ready.id = d.id AND ready.environment_id = d.environment_id
      WHERE d.environment_id = ${environment} AND d.status = 'pending' AND d.next_attempt_at <= now()
        AND (d.lease_expires_at IS NULL OR d.lease_expires_at < now())
      FOR NO KEY UPDATE OF d SKIP LOCKED
    ), claimed AS (
      UPDATE webhook_delivery d
      SET lease_owner = ${lease}::uuid, lease_expires_at = ${leaseEnd(leaseMs)}
      FROM free WHERE d.id = free.id AND d.environment_id = ${environment}
      RETURNING d.*
    )
    SELECT claimed.id, claimed.environment_id::text, claimed.endpoint_id, w.url, w.sealed_secret, claimed.message_id,
           e.type, e.resource_id, e.payload, e.occurred_at, e.traceparent, claimed.created_at, claimed.attempts, w.failures
    FROM claimed
    JOIN webhook_endpoint w ON w.id = claimed.endpoint_id AND w.environment_id = ${environment}
    LEFT JOIN event e ON e.id = claimed.event_id AND e.environment_id = ${environment}
    ORDER BY claimed.id`;
  return rows.map((row) => claimedDelivery(row, lease));
}

function claimedDelivery(row: Row, lease: string): ClaimedDelivery {
  const { type, resource_id: resourceId, payload, occurred_at: occurredAt } = row;
  return {
    id: row.id,
    lease,
    environmentId: row.environment_id,
    endpointId: row.endpoint_id,
    url: row.url,
    sealedSecret: row.sealed_secret,
    messageId: row.message_id,
    event: type === null ? null : { type, resourceId, payload, occurredAt },
    traceparent: row.traceparent,
    createdAt: row.created_at,
    attempts: row.attempts,
    endpointFailures: row.failures,
  };
}

/** Releases the claim of an aborted attempt, so any process can claim the delivery immediately. */
export async function releaseClaim(
  sql: Sql,
  { id, lease, environmentId }: Pick<ClaimedDelivery, 'id' | 'lease' | 'environmentId'>,
): Promise<void> {
  await sql.execute`
    UPDATE webhook_delivery SET ${NO_LEASE}
    WHERE id = ${id} AND environment_id = ${environmentId}::uuid AND lease_owner = ${lease}::uuid`;
}

import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '../../db/generated/client.ts';

/** An attempt that this process is to make. */
export interface ClaimedDelivery {
  readonly id: bigint;
  /** Who holds it: another process that takes it over has another one. */
  readonly lease: string;
  readonly environmentId: string;
  readonly endpointId: string;
  readonly url: string;
  readonly sealedSecret: Uint8Array;
  readonly messageId: string;
  /** None: a test message. */
  readonly event: {
    readonly type: string;
    readonly resourceId: string;
    readonly payload: object;
    readonly occurredAt: Date;
  } | null;
  readonly createdAt: Date;
  /** Attempts that have failed before. */
  readonly attempts: number;
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
  created_at: Date;
  attempts: number;
}

/**
 * Claims what is due, for as long as an attempt may take; who dies with it leaves it to the others after that. Of one
 * endpoint at most two are under way: the oldest first attempt, which nothing newer overtakes, and beside it the retry
 * that has been due the longest, so that what fails for hours holds up nothing. (Both orders are those of an index of
 * their own: by the id alone, the planner would walk through everybody's deliveries for an endpoint that has none.)
 */
export async function claimDue(
  prisma: PrismaClient,
  environmentIds: readonly string[],
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
): Promise<ClaimedDelivery[]> {
  const lease = randomUUID();
  const rows = await prisma.$queryRaw<Row[]>`
    WITH ready AS (
      SELECT next.id FROM webhook_endpoint w CROSS JOIN LATERAL (
        (SELECT id, next_attempt_at, lease_expires_at FROM webhook_delivery
         WHERE endpoint_id = w.id AND status = 'pending' AND attempts < 1 ORDER BY attempts, id LIMIT 1)
        UNION ALL
        (SELECT id, next_attempt_at, lease_expires_at FROM webhook_delivery
         WHERE endpoint_id = w.id AND status = 'pending' AND attempts > 0 ORDER BY next_attempt_at LIMIT 1)
      ) AS next
      WHERE w.environment_id = ANY (${[...environmentIds]}::uuid[]) AND w.enabled
        AND next.next_attempt_at <= now() AND (next.lease_expires_at IS NULL OR next.lease_expires_at < now())
      ORDER BY next.next_attempt_at LIMIT ${limit}
    ), free AS (
      SELECT d.id FROM webhook_delivery d JOIN ready ON ready.id = d.id
      WHERE d.status = 'pending' AND d.next_attempt_at <= now()
        AND (d.lease_expires_at IS NULL OR d.lease_expires_at < now())
      FOR NO KEY UPDATE OF d SKIP LOCKED
    ), claimed AS (
      UPDATE webhook_delivery d
      SET lease_owner = ${lease}::uuid, lease_expires_at = now() + make_interval(secs => ${leaseMs / 1_000}::float8)
      FROM free WHERE d.id = free.id
      RETURNING d.*
    )
    SELECT claimed.id, claimed.environment_id::text, claimed.endpoint_id, w.url, w.sealed_secret, claimed.message_id,
           e.type, e.resource_id, e.payload, e.occurred_at, claimed.created_at, claimed.attempts
    FROM claimed JOIN webhook_endpoint w ON w.id = claimed.endpoint_id LEFT JOIN event e ON e.id = claimed.event_id
    ORDER BY claimed.id`;
  return rows.map((row) => claimedOf(row, lease));
}

function claimedOf(row: Row, lease: string): ClaimedDelivery {
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
    createdAt: row.created_at,
    attempts: row.attempts,
  };
}

/** What became of an attempt. */
export interface AttemptOutcome {
  readonly delivered: boolean;
  /** Null where there was no answer. */
  readonly responseStatus: number | null;
  /** In words that may be shown; null where it was delivered. */
  readonly error: string | null;
  readonly startedAt: Date;
  readonly durationMs: number;
}

/**
 * Records an attempt, and what follows from it: the next one after `retryMs`, or the end of the delivery where that is
 * undefined. A process that has lost its claim records nothing, and so does one whose endpoint is deleted.
 */
export async function recordAttempt(
  prisma: PrismaClient,
  { id, lease }: ClaimedDelivery,
  { delivered, responseStatus, error, startedAt, durationMs }: AttemptOutcome,
  retryMs: number | undefined,
): Promise<void> {
  const retries = !delivered && retryMs !== undefined;
  const status = retries ? 'pending' : delivered ? 'delivered' : 'failed';
  await prisma.$executeRaw`
    WITH recorded AS (
      UPDATE webhook_delivery
      SET status = ${status}::delivery_status, attempts = attempts + 1, response_status = ${responseStatus}::int,
          last_error = ${error},
          next_attempt_at = CASE WHEN ${retries} THEN now() + make_interval(secs => ${(retryMs ?? 0) / 1_000}::float8) END,
          finished_at = CASE WHEN ${retries} THEN NULL ELSE now() END, lease_owner = NULL, lease_expires_at = NULL
      WHERE id = ${id} AND lease_owner = ${lease}::uuid AND status = 'pending'
      RETURNING id, environment_id
    )
    INSERT INTO webhook_attempt (environment_id, delivery_id, response_status, error, duration_ms, started_at)
    SELECT environment_id, id, ${responseStatus}::int, ${error}, ${durationMs}::int, ${startedAt} FROM recorded`;
}

/** Gives back what was claimed and not attempted to its end: any process may take it at once. */
export async function releaseClaim(prisma: PrismaClient, { id, lease }: ClaimedDelivery): Promise<void> {
  await prisma.$executeRaw`
    UPDATE webhook_delivery SET lease_owner = NULL, lease_expires_at = NULL
    WHERE id = ${id} AND lease_owner = ${lease}::uuid`;
}

/** The embedded database has one process: at its start, nobody holds anything there. */
export async function abandonClaims(prisma: PrismaClient): Promise<void> {
  await prisma.$executeRaw`
    UPDATE webhook_delivery SET lease_owner = NULL, lease_expires_at = NULL WHERE lease_owner IS NOT NULL`;
}

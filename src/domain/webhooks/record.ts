import type { Sql } from '../../db/sql.ts';
import { NO_LEASE } from '../leases/lease-sql.ts';
import type { ClaimedDelivery } from './claim.ts';
import { DISABLE_AFTER_DAYS, LONGEST_GAP_HOURS } from './pace.ts';

/** The result of an attempt. */
export interface AttemptOutcome {
  readonly delivered: boolean;
  /** Null if there was no response. */
  readonly responseStatus: number | null;
  /** Safe to show to the user. Null if the message was delivered. */
  readonly error: string | null;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Null if there was no response. */
  readonly sealedResponse: Uint8Array<ArrayBuffer> | null;
  /** The wait that the receiver asks for. It can be of any length. 0 without a request. */
  readonly retryAfterMs: number;
}

/** The waits after a failed attempt. */
export interface Waits {
  /** The wait until the next attempt. Undefined if this attempt was the last. */
  readonly retryMs: number | undefined;
  /** The pause of the endpoint, or 0. */
  readonly pauseMs: number;
}

/**
 * Records an attempt, the new state of its delivery and the failures of its endpoint. A process that lost its claim records
 * nothing. The statement locks the endpoint before the delivery, in the same order as a deletion. It locks the endpoint
 * only if its failures change, because the log cannot be read for a locked endpoint. A pause that another attempt of the
 * endpoint has begun is not shortened.
 * @returns whether the endpoint must be disabled
 */
export async function recordAttempt(
  sql: Sql,
  { id, lease, environmentId, endpointId }: Pick<ClaimedDelivery, 'id' | 'lease' | 'environmentId' | 'endpointId'>,
  { delivered, responseStatus, error, startedAt, durationMs, sealedResponse }: AttemptOutcome,
  { retryMs, pauseMs }: Waits,
): Promise<boolean> {
  const retries = !delivered && retryMs !== undefined;
  const status = retries ? 'pending' : delivered ? 'delivered' : 'failed';
  const [row] = await sql.rows<{ expired: boolean }>`
    WITH changing AS MATERIALIZED (
      SELECT id, paused_until, CASE WHEN failures > 0 AND last_failed_at > now() - make_interval(hours => ${LONGEST_GAP_HOURS}::int)
                      THEN failing_since ELSE now() END AS failing_since
      FROM webhook_endpoint
      WHERE id = ${endpointId} AND environment_id = ${environmentId}::uuid AND (NOT ${delivered} OR failures > 0)
      FOR NO KEY UPDATE
    ), recorded AS (
      UPDATE webhook_delivery
      SET status = ${status}::delivery_status, attempts = attempts + 1, response_status = ${responseStatus}::int,
          last_error = ${error},
          next_attempt_at = CASE WHEN ${retries} THEN now() + make_interval(secs => ${(retryMs ?? 0) / 1_000}::float8) END,
          finished_at = CASE WHEN ${retries} THEN NULL ELSE now() END, ${NO_LEASE}
      WHERE id = ${id} AND environment_id = ${environmentId}::uuid AND lease_owner = ${lease}::uuid AND status = 'pending'
        AND (SELECT count(*) FROM changing) >= 0
      RETURNING id, environment_id
    ), attempt AS (
      INSERT INTO webhook_attempt (environment_id, delivery_id, endpoint_id, response_status, error, duration_ms,
                                   started_at, sealed_response)
      SELECT environment_id, id, ${endpointId}, ${responseStatus}::int, ${error}, ${durationMs}::int, ${startedAt},
             ${sealedResponse}::bytea FROM recorded
    )
    UPDATE webhook_endpoint w
    SET failures = CASE WHEN ${delivered} THEN 0 ELSE w.failures + 1 END,
        failing_since = CASE WHEN ${delivered} THEN NULL ELSE changing.failing_since END,
        last_failed_at = CASE WHEN ${delivered} THEN NULL ELSE now() END,
        paused_until = CASE WHEN pause.until > now() THEN pause.until END
    FROM changing, recorded, LATERAL (
      SELECT greatest(changing.paused_until, now() + make_interval(secs => ${pauseMs / 1_000}::float8)) AS until
    ) AS pause
    WHERE w.id = changing.id AND w.environment_id = ${environmentId}::uuid
    RETURNING coalesce(w.failing_since <= now() - make_interval(days => ${DISABLE_AFTER_DAYS}::int), false) AS expired`;
  return row?.expired ?? false;
}

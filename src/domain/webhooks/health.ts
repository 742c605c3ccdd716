import { LIMITS } from '../../contract/limits.ts';
import type { Context } from '../context.ts';

/** The hours whose attempts the health of an endpoint counts. */
export const HEALTH_HOURS = 24;

/** The latest failed attempt of an endpoint. */
export interface LastFailure {
  readonly at: Date;
  /** Null: there was no response. */
  readonly responseStatus: number | null;
  /** Safe to show to the user. */
  readonly error: string;
}

/** The latest attempts of an endpoint in the last 24 hours. */
export interface EndpointHealth {
  readonly attempts: number;
  readonly delivered: number;
  /** Of attempts with a response. Null without such attempts. */
  readonly medianDurationMs: number | null;
  readonly lastFailure: LastFailure | null;
}

type Row = Omit<EndpointHealth, 'lastFailure'> & {
  readonly id: string;
  readonly failedAt: Date | null;
  readonly responseStatus: number | null;
  readonly error: string | null;
};

/**
 * The health of each of these endpoints. It counts at most 1,000 attempts of each, so a busy endpoint costs no more than
 * others.
 */
export async function healthOfEach(ctx: Context, endpointIds: readonly string[]): Promise<EndpointHealth[]> {
  const rows = await ctx.sql.rows<Row>`
    SELECT endpoint.id, counted.*, failure.*
    FROM unnest(${[...new Set(endpointIds)]}::text[]) AS endpoint (id)
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS attempts, (count(*) FILTER (WHERE recent.error IS NULL))::int AS delivered,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY recent.duration_ms)
               FILTER (WHERE recent.response_status IS NOT NULL) AS "medianDurationMs"
      FROM (
        SELECT error, response_status, duration_ms FROM webhook_attempt
        WHERE endpoint_id = endpoint.id AND environment_id = ${ctx.environment.id}::uuid
          AND started_at > ${ctx.now()}::timestamptz - make_interval(hours => ${HEALTH_HOURS}::int)
        ORDER BY started_at DESC LIMIT ${LIMITS.webhookHealthAttempts}
      ) AS recent
    ) AS counted
    LEFT JOIN LATERAL (
      SELECT recent.started_at AS "failedAt", recent.response_status AS "responseStatus", recent.error
      FROM (
        SELECT started_at, response_status, error FROM webhook_attempt
        WHERE endpoint_id = endpoint.id AND environment_id = ${ctx.environment.id}::uuid
          AND started_at > ${ctx.now()}::timestamptz - make_interval(hours => ${HEALTH_HOURS}::int)
        ORDER BY started_at DESC LIMIT ${LIMITS.webhookHealthAttempts}
      ) AS recent
      WHERE recent.error IS NOT NULL ORDER BY recent.started_at DESC LIMIT 1
    ) AS failure ON true`;
  const health = new Map(rows.map(({ id, ...row }) => [id, healthOf(row)]));
  return endpointIds.map((id) => health.get(id) ?? NO_ATTEMPTS);
}

const NO_ATTEMPTS: EndpointHealth = { attempts: 0, delivered: 0, medianDurationMs: null, lastFailure: null };

function healthOf({ failedAt, responseStatus, error, medianDurationMs, ...counts }: Omit<Row, 'id'>): EndpointHealth {
  return {
    ...counts,
    medianDurationMs: medianDurationMs === null ? null : Math.round(medianDurationMs),
    lastFailure: failedAt && error !== null ? { at: failedAt, responseStatus, error } : null,
  };
}

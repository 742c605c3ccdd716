import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Context } from '../context.ts';
import { loadInBatch } from '../related/batches.ts';
import type { Durations } from './durations.ts';

/** The calls of one day (UTC). */
export interface DayCalls {
  readonly day: Date;
  readonly calls: number;
  readonly errors: number;
  /** The sum of the response times in milliseconds. */
  readonly totalMs: number;
  readonly durations: Durations;
  readonly lastCalledAt: Date;
}

/** The calls of a document on its latest days, oldest first. Days without calls are missing. */
export type CallCounts = readonly DayCalls[];

interface Row extends Omit<DayCalls, 'day'> {
  readonly documentId: string;
  readonly day: string;
}

/** The calls of the last `days` days, today included. @throws {ServiceError} invalid_request */
export async function documentCalls(ctx: Context, documentId: string, days: number): Promise<CallCounts> {
  if (days < 1 || days > LIMITS.documentCallDays) {
    const message = `{param} must be from 1 to ${LIMITS.documentCallDays}. You sent ${days}.`;
    throw new ServiceError('invalid_request', message, { param: ['days'] });
  }
  return loadInBatch(ctx, `document calls ${days}`, documentId, async (ids) => {
    const rows = await ctx.sql.rows<Row>`
      SELECT document_id AS "documentId", day::text AS day, calls, errors, total_ms AS "totalMs",
             durations, last_called_at AS "lastCalledAt"
      FROM document_calls
      WHERE document_id = ANY (${ids}::text[]) AND environment_id = ${ctx.environment.id}::uuid
        AND day > (${ctx.now()}::timestamptz AT TIME ZONE 'UTC')::date - ${days}::int
      ORDER BY day`;
    const counts = rows.map(({ day, ...row }) => ({ ...row, day: new Date(`${day}T00:00:00Z`) }));
    return ids.map((id) => counts.filter((row) => row.documentId === id));
  });
}

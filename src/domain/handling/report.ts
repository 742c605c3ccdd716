import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { type BoundedPeriod, checkReportPeriod } from '../period.ts';

/** How people handled conversations in a period, and what waits now. */
export interface HandOverReport {
  /** How many times a conversation began to wait for a person. */
  readonly handOvers: number;
  /** How many times a person took a conversation over. */
  readonly taken: number;
  /** Of the first messages of people in conversations that had waited for them. Null without any. */
  readonly medianFirstAnswerSeconds: number | null;
  readonly p95FirstAnswerSeconds: number | null;
  /** Conversations that wait now. */
  readonly waiting: number;
  readonly oldestWaitingSince: Date | null;
}

/** Whether a conversation waits for a person. The first condition is that of the partial index. */
export const WAITS_FOR_PERSON = Prisma.sql`handling <> 'assistant' AND handling = 'waiting'`;

/** The FROM and WHERE of the conversations that wait for a person. */
export function waitingConversations({ id }: Pick<Context['environment'], 'id'>): Prisma.Sql {
  return Prisma.sql`
    FROM conversation WHERE environment_id = ${id}::uuid AND ${WAITS_FOR_PERSON}`;
}

/**
 * Reports how people handled the conversations of the environment. It reads only the changes of who answers, and first answers: each
 * has a partial index. Deleted conversations are not counted, nor what a fork copied.
 * @throws {ServiceError} invalid_request if the period is too long or ends before it starts
 */
export async function reportHandOvers(
  ctx: Context,
  { period }: { readonly period: BoundedPeriod },
): Promise<HandOverReport> {
  const { from, to } = checkReportPeriod(period);
  const inPeriod = Prisma.sql`environment_id = ${ctx.environment.id}::uuid AND created_at >= ${from} AND created_at < ${to}`;
  const [row] = await ctx.sql.rows<HandOverReport>`
    SELECT changes.*, answers.*, waits.*
    FROM (
      SELECT (count(*) FILTER (WHERE handling ->> 'mode' = 'waiting'))::int AS "handOvers",
             (count(*) FILTER (WHERE handling ->> 'mode' = 'member'))::int AS taken
      FROM timeline_item WHERE ${inPeriod} AND kind = 'handling' AND handling -> 'isCopy' IS NULL
    ) AS changes, (
      SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS "medianFirstAnswerSeconds",
             percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds) AS "p95FirstAnswerSeconds"
      FROM (
        SELECT extract(epoch FROM created_at - waited_since)::float8 AS seconds
        FROM timeline_item WHERE ${inPeriod} AND waited_since IS NOT NULL
      ) AS answer
    ) AS answers, (
      SELECT count(*)::int AS waiting, min(handling_since) AS "oldestWaitingSince" ${waitingConversations(ctx.environment)}
    ) AS waits`;
  if (!row) throw new Error('a report without groups has one row');
  return row;
}

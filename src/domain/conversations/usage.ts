import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { joinPrices, LINE_COST } from '../usage/line-cost.ts';
import { conditionsOf, inRange } from './conditions.ts';
import { type ConversationFilter, type ParsedFilter, parseFilter } from './filter.ts';
import { runSearch } from './search.ts';

/** What the workflow log has about a conversation, or about several. */
export interface ConversationUsage {
  /** A turn that pauses and resumes counts as two, because each part calls the model. */
  readonly turns: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the slowest turn. Null without turns. */
  readonly responseTimeMs: number | null;
  /** In the currency of the prices. Null if a model has no price. */
  readonly cost: string | null;
}

export interface ConversationTotals extends ConversationUsage {
  readonly conversations: number;
}

const NO_USAGE: ConversationUsage = {
  turns: 0,
  failures: 0,
  inputTokens: 0,
  outputTokens: 0,
  responseTimeMs: null,
  cost: '0',
};

/** The usage of each conversation whose ID meets the condition on `l.conversation_id`. */
function usageRows(environment: Context['environment'], condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT l.conversation_id, count(*)::int4 AS turns, (count(*) FILTER (WHERE l.outcome = 'failed'))::int4 AS failures,
           sum(l.input_tokens) AS input_tokens, sum(l.output_tokens) AS output_tokens,
           max(l.response_time_ms) AS response_time_ms,
           CASE WHEN count(*) = count(p.model)
             THEN sum(${LINE_COST}) END AS cost
    FROM workflow_log l ${joinPrices(environment)}
    WHERE l.environment_id = ${environment.id}::uuid AND l.conversation_id ${condition}
    GROUP BY l.conversation_id`;
}

/** CTEs: `c`, the conversations that meet the conditions on conversations, and `u`, their usage. */
export function withUsage({ environment }: Pick<Context, 'environment'>, filter: ParsedFilter): Prisma.Sql {
  return Prisma.sql`
    WITH c AS MATERIALIZED (
      SELECT c.id, c.created_at, c.updated_at, c.message_count FROM conversation c
      WHERE ${conditionsOf(environment, filter)}
    ), u AS (${usageRows(environment, ofConversations(filter))})`;
}

/**
 * Without conditions on conversations, one scan of the log is faster than a look-up for each conversation, which PostgreSQL
 * would choose because it underestimates the size of `c`.
 */
function ofConversations({ responseTimeMs: _time, cost: _cost, ...conditions }: ParsedFilter): Prisma.Sql {
  const isFiltered = Object.keys(conditions).length > 0;
  return isFiltered ? Prisma.sql`IN (SELECT id FROM c)` : Prisma.sql`IS NOT NULL`;
}

/** The conditions on the usage. */
export function usageConditions({ responseTimeMs, cost }: ParsedFilter): Prisma.Sql {
  return Prisma.sql`${inRange('response_time_ms', responseTimeMs)} AND ${inRange('cost', cost)}`;
}

/** The usage of each of these conversations, with one statement. */
export async function usageOfConversations(
  { environment, sql }: Context,
  ids: readonly string[],
): Promise<ConversationUsage[]> {
  const rows = await sql.rows<ConversationUsage & { id: string }>`
    SELECT u.conversation_id AS id, turns, failures, input_tokens::float8 AS "inputTokens",
           output_tokens::float8 AS "outputTokens", response_time_ms AS "responseTimeMs", trim_scale(cost)::text AS cost
    FROM (${usageRows(environment, Prisma.sql`= ANY (${ids}::uuid[])`)}) AS u`;
  const usages = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => usages.get(id) ?? NO_USAGE);
}

/**
 * Counts the conversations that match the filter, and sums up their usage.
 * @throws {ServiceError} as `listConversations`
 */
export async function conversationTotals(ctx: Context, filter: ConversationFilter): Promise<ConversationTotals> {
  const parsed = parseFilter(ctx, filter);
  const rows = await runSearch(
    ctx,
    { filter: parsed, isReport: true },
    (sql) =>
      sql.rows<ConversationTotals>`
        ${withUsage(ctx, parsed)}
        SELECT count(*)::int4 AS conversations, coalesce(sum(turns), 0)::int4 AS turns,
               coalesce(sum(failures), 0)::int4 AS failures, coalesce(sum(input_tokens), 0)::float8 AS "inputTokens",
               coalesce(sum(output_tokens), 0)::float8 AS "outputTokens", max(response_time_ms) AS "responseTimeMs",
               CASE WHEN count(turns) = count(cost) THEN trim_scale(coalesce(sum(cost), 0))::text END AS cost
        FROM c LEFT JOIN u ON u.conversation_id = c.id
        WHERE ${usageConditions(parsed)}`,
  );
  return rows[0] ?? { conversations: 0, ...NO_USAGE };
}

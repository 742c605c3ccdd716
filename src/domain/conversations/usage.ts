import { NO_USAGE, type Usage } from '../../contract/token-usage.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { costOf, joinPrices, LINE } from '../usage/line-cost.ts';
import { eachCount } from '../usage/token-columns.ts';
import { conditionsOf, inRange } from './conditions.ts';
import type { ConversationFilter, ParsedFilter } from './filter.ts';
import { parseSearch, runSearch } from './search.ts';

/** What the turns of a conversation used, or of several. */
export interface ConversationUsage extends Usage {
  /** A turn that pauses and resumes counts as two, because each part calls the model. */
  readonly turns: number;
  readonly failures: number;
  /** Of the slowest turn. Null without turns. */
  readonly responseTimeMs: number | null;
  /** In the currency of the prices. Null if a model has no price. */
  readonly cost: string | null;
}

export interface ConversationTotals extends ConversationUsage {
  readonly conversations: number;
}

const NO_TURNS: ConversationUsage = {
  ...NO_USAGE,
  turns: 0,
  failures: 0,
  responseTimeMs: null,
  cost: '0',
};

/**
 * FROM: the conversations `c`, and `u` with their cost at the current prices. The cost is null without turns, and if a model
 * has no price. Only conversations whose turns had several models need the workflow log.
 */
export function withCost(environment: Context['environment']): Prisma.Sql {
  return Prisma.sql`conversation c ${joinPrices(environment, Prisma.sql`c.usage_model`)}
    CROSS JOIN LATERAL (
      SELECT CASE
        WHEN c.usage_model IS NOT NULL THEN ${costOf(Prisma.sql`c`)}
        WHEN c.turns > 0 THEN (
          SELECT CASE WHEN count(*) = count(p.model) THEN sum(${costOf(LINE)}) END
          FROM workflow_log l ${joinPrices(environment)}
          WHERE l.conversation_id = c.id AND l.environment_id = ${environment.id}::uuid)
        END AS cost
      OFFSET 0
    ) AS u`;
}

/** The condition of a filter on the cost. */
export function costCondition({ cost }: ParsedFilter): Prisma.Sql {
  return cost ? inRange(Prisma.sql`u.cost`, cost) : Prisma.sql`true`;
}

/** The usage of each of these conversations, with one statement. */
export async function usageOfConversations(
  { environment, sql }: Context,
  ids: readonly string[],
): Promise<ConversationUsage[]> {
  const rows = await sql.rows<ConversationUsage & { id: string }>`
    SELECT c.id, c.turns, c.failures,
           ${eachCount((column, name) => Prisma.sql`c.${column}::float8 AS ${name}`)},
           c.response_time_ms AS "responseTimeMs", CASE c.turns WHEN 0 THEN '0' ELSE trim_scale(u.cost)::text END AS cost
    FROM ${withCost(environment)}
    WHERE c.environment_id = ${environment.id}::uuid AND c.id = ANY (${[...ids]}::uuid[])`;
  const usages = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => usages.get(id) ?? NO_TURNS);
}

/**
 * Counts the conversations that match the filter, and sums up their usage.
 * @throws {ServiceError} as `listConversations`
 */
export async function conversationTotals(ctx: Context, filter: ConversationFilter): Promise<ConversationTotals> {
  const parsed = await parseSearch(ctx, filter);
  const rows = await runSearch(
    ctx,
    { filter: parsed, isReport: true },
    (sql) =>
      sql.rows<ConversationTotals>`
        SELECT count(*)::int4 AS conversations, coalesce(sum(c.turns), 0)::int4 AS turns,
               coalesce(sum(c.failures), 0)::int4 AS failures,
               ${eachCount((column, name) => Prisma.sql`coalesce(sum(c.${column}), 0)::float8 AS ${name}`)},
               max(c.response_time_ms) AS "responseTimeMs",
               CASE WHEN count(*) FILTER (WHERE c.turns > 0) = count(u.cost)
                 THEN trim_scale(coalesce(sum(u.cost), 0))::text END AS cost
        FROM ${withCost(ctx.environment)}
        WHERE ${conditionsOf(ctx.environment, parsed)} AND ${costCondition(parsed)}`,
  );
  return rows[0] ?? { conversations: 0, ...NO_TURNS };
}

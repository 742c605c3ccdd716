import { RATING_GROUPS, type RatingGroup } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { type BoundedPeriod, checkReportPeriod } from '../period.ts';

interface RatingsRequest {
  /** The time of the ratings. */
  readonly period: BoundedPeriod;
  readonly groupBy: readonly RatingGroup[];
  readonly deploymentId?: string | null | undefined;
}

/** The number of ratings of each value. */
export interface RatingCounts {
  readonly up: number;
  readonly down: number;
}

/** The ratings of a group of replies. A dimension that is not in `groupBy` is null. */
export interface RatingRow extends RatingCounts {
  /** UTC, like 2026-01-31. */
  readonly day: string | null;
  readonly deploymentId: string | null;
  /** The workflow of the version. */
  readonly workflowId: number | null;
  readonly version: number | null;
}

const COUNTS = Prisma.sql`
  (count(*) FILTER (WHERE item.rating = 'up'))::int AS up, (count(*) FILTER (WHERE item.rating = 'down'))::int AS down`;

/**
 * Counts the ratings of the environment in a period, by day, deployment or version of the workflow.
 * @throws {ServiceError} invalid_request if the period is too long or ends before it starts
 */
export async function reportRatings(
  ctx: Context,
  { period, groupBy, deploymentId }: RatingsRequest,
): Promise<RatingRow[]> {
  const { from, to } = checkReportPeriod(period);
  const [day, deployment, version] = RATING_GROUPS.map((group) => groupBy.includes(group));
  // OFFSET keeps the planner from reading all rows of the environment for each item.
  return ctx.sql.rows<RatingRow>`
    SELECT ${day ? Prisma.sql`to_char(item.rated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')` : Prisma.sql`NULL::text`} AS day,
           ${deployment ? Prisma.sql`c.deployment_id::text` : Prisma.sql`NULL::text`} AS "deploymentId",
           ${version ? Prisma.sql`d.workflow_id` : Prisma.sql`NULL::int`} AS "workflowId",
           ${version ? Prisma.sql`r.workflow_version` : Prisma.sql`NULL::int`} AS version,
           ${COUNTS}
    FROM timeline_item item
    JOIN LATERAL (
      SELECT workflow_version FROM run WHERE id = item.run_id AND environment_id = item.environment_id OFFSET 0
    ) AS r ON true
    JOIN LATERAL (
      SELECT deployment_id FROM conversation
      WHERE id = item.conversation_id AND environment_id = item.environment_id OFFSET 0
    ) AS c ON true
    JOIN deployment d ON d.id = c.deployment_id
    WHERE item.environment_id = ${ctx.environment.id}::uuid AND item.rating IS NOT NULL
      AND item.rated_at >= ${from} AND item.rated_at < ${to}
      ${deploymentId ? Prisma.sql`AND c.deployment_id = ${deploymentId}::uuid` : Prisma.empty}
    GROUP BY 1, 2, 3, 4
    ORDER BY 1 DESC NULLS LAST, 2, 3, 4 DESC`;
}

/** The ratings in each of these conversations. */
export async function ratingsOfEach(ctx: Context, conversationIds: readonly string[]): Promise<RatingCounts[]> {
  const rows = await ctx.sql.rows<RatingCounts & { readonly id: string }>`
    SELECT item.conversation_id AS id, ${COUNTS}
    FROM timeline_item item
    WHERE item.environment_id = ${ctx.environment.id}::uuid AND item.rating IS NOT NULL
      AND item.conversation_id = ANY (${[...new Set(conversationIds)]}::uuid[])
    GROUP BY item.conversation_id`;
  const counts = new Map(rows.map(({ id, ...each }) => [id, each]));
  return conversationIds.map((id) => counts.get(id) ?? { up: 0, down: 0 });
}

import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { UsageGroup } from '../../contract/statuses.ts';
import type { Usage } from '../../contract/token-usage.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { type BoundedPeriod, checkReportPeriod } from '../period.ts';
import { costOf, joinPrices, LINE, savingsOf, shareSaved } from './line-cost.ts';
import { eachCount, tokensOf } from './token-columns.ts';

export interface UsageRequest {
  readonly period: BoundedPeriod;
  readonly groupBy: readonly UsageGroup[];
  readonly deploymentId?: string | null | undefined;
  /** Only these deployments. */
  readonly deploymentIds?: readonly string[] | undefined;
  readonly endUser?: string | null | undefined;
}

/** The usage of a group of turns and one-shot runs. A dimension that is not in `groupBy` is null. */
export interface UsageRow extends Usage {
  /** UTC, like 2026-01-31. */
  readonly day: string | null;
  readonly deploymentId: string | null;
  /** With its version. */
  readonly workflowId: number | null;
  /** Null also for tests of drafts. */
  readonly version: number | null;
  readonly model: string | null;
  readonly endUser: string | null;
  readonly turns: number;
  readonly failures: number;
  readonly medianResponseMs: number;
  readonly p95ResponseMs: number;
  readonly p99ResponseMs: number;
  /** In the currency of the prices. Null if a model of the group has no price. */
  readonly cost: string | null;
  /** The share of the cost that the cache saved. Null as the cost, and if nothing would cost anything without a cache. */
  readonly cacheSavings: number | null;
}

const COLUMNS: Readonly<Record<UsageGroup, Prisma.Sql>> = {
  day: Prisma.sql`to_char(l.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  deployment: Prisma.sql`l.deployment_id::text`,
  version: Prisma.sql`l.workflow_version`,
  model: Prisma.sql`l.model`,
  end_user: Prisma.sql`c.end_user`,
};

/**
 * Reports the usage of the environment in a period, by day, deployment, version, model or end user. Turns of
 * deleted conversations have no end user. A turn that pauses and resumes counts as
 * two turns, because each part calls the model. A summary is no turn: only its tokens and its cost count.
 * @throws {ServiceError} invalid_request if the period is too long or ends before it starts
 */
export async function reportUsage(ctx: Context, request: UsageRequest): Promise<UsageRow[]> {
  const { groupBy, endUser, deploymentId, deploymentIds = deploymentId ? [deploymentId] : undefined } = request;
  const { from, to } = checkReportPeriod(request.period);
  const column = (group: UsageGroup) => (groupBy.includes(group) ? COLUMNS[group] : Prisma.sql`NULL`);
  // Each workflow counts its versions from 1.
  const workflow = groupBy.includes('version') ? Prisma.sql`l.workflow_id` : Prisma.sql`NULL::int`;
  const isByUser = groupBy.includes('end_user');
  const conversations =
    isByUser || endUser != null
      ? Prisma.sql`LEFT JOIN conversation c ON c.id = l.conversation_id AND c.environment_id = l.environment_id`
      : Prisma.empty;
  const rows = await ctx.sql.rows<UsageRow>`
    WITH line AS (
      SELECT ${column('day')} AS day, ${column('deployment')} AS deployment, ${workflow} AS workflow,
             ${column('version')}::int AS version, ${column('model')} AS model, ${column('end_user')} AS end_user,
             l.outcome, ${tokensOf('l')},
             CASE WHEN NOT l.is_summary THEN l.response_time_ms END AS response_time_ms, l.is_summary,
             ${costOf(LINE)} AS cost, ${savingsOf(LINE)} AS savings
      FROM workflow_log l ${joinPrices(ctx.environment)} ${conversations}
      WHERE l.environment_id = ${ctx.environment.id}::uuid AND l.created_at >= ${from} AND l.created_at < ${to}
        ${endUser == null ? Prisma.empty : Prisma.sql`AND c.end_user = ${endUser}`}
        ${deploymentIds ? Prisma.sql`AND l.deployment_id = ANY (${deploymentIds}::uuid[])` : Prisma.empty}
    )
    SELECT day, deployment AS "deploymentId", workflow AS "workflowId", version, model, end_user AS "endUser",
           (count(*) FILTER (WHERE NOT is_summary))::int AS turns,
           (count(*) FILTER (WHERE outcome = 'failed'))::int AS failures,
           ${eachCount((column, name) => Prisma.sql`sum(${column})::float8 AS ${name}`)},
           percentile_cont(0.5) WITHIN GROUP (ORDER BY response_time_ms) AS "medianResponseMs",
           percentile_cont(0.95) WITHIN GROUP (ORDER BY response_time_ms) AS "p95ResponseMs",
           percentile_cont(0.99) WITHIN GROUP (ORDER BY response_time_ms) AS "p99ResponseMs",
           CASE WHEN count(*) = count(cost) THEN trim_scale(sum(cost))::text END AS cost,
           CASE WHEN count(*) = count(cost)
             THEN ${shareSaved(Prisma.sql`sum(savings)`, Prisma.sql`sum(cost) + sum(savings)`)} END AS "cacheSavings"
    FROM line GROUP BY day, deployment, workflow, version, model, end_user
    ORDER BY day DESC NULLS LAST, deployment, workflow, version DESC, model, end_user
    ${isByUser ? Prisma.sql`LIMIT ${LIMITS.endUserUsageRows + 1}` : Prisma.empty}`;
  if (!isByUser || rows.length <= LIMITS.endUserUsageRows) return rows;
  throw new ServiceError(
    'invalid_request',
    `A report by end user can have at most ${LIMITS.endUserUsageRows} rows. Shorten {param}, or filter by a deployment or an end user.`,
    { param: ['period'] },
  );
}

/**
 * The usage of each of these deployments, with one statement. Each row names its deployment.
 * @throws {ServiceError} as `reportUsage`
 */
export async function usageOfEach(
  ctx: Context,
  deploymentIds: readonly string[],
  { period, groupBy }: Pick<UsageRequest, 'period' | 'groupBy'>,
): Promise<UsageRow[][]> {
  const rows = await reportUsage(ctx, { period, groupBy: [...groupBy, 'deployment'], deploymentIds });
  return deploymentIds.map((id) => rows.filter(({ deploymentId }) => deploymentId === id));
}

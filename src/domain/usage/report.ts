import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { USAGE_GROUPS, type UsageGroup } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { periodInput } from '../period.ts';

export interface UsageRequest {
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly by: readonly UsageGroup[];
  readonly deploymentId?: string | null | undefined;
}

/** What a group of turns and one-shot runs came to. A fact that they are not told apart by is null. */
export interface UsageRow {
  /** UTC, like 2026-01-31. */
  readonly day: string | null;
  readonly deploymentId: string | null;
  readonly model: string | null;
  readonly turns: number;
  readonly failures: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly medianResponseMs: number;
  readonly p95ResponseMs: number;
  readonly p99ResponseMs: number;
  /** In the currency of the prices; null where a model of the group has none. */
  readonly cost: string | null;
}

const COLUMNS: Readonly<Record<UsageGroup, Prisma.Sql>> = {
  day: Prisma.sql`to_char(l.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  deployment: Prisma.sql`l.deployment_id::text`,
  model: Prisma.sql`l.model`,
};

const DAY_MS = 86_400_000;

/**
 * Usage of the environment in a period, by day, deployment or model. A pause and what follows it count as two turns,
 * because each of them asked the model.
 * @throws {ServiceError} invalid_request where the period is too long or ends before it begins
 */
export async function reportUsage(ctx: Context, { from, to, by, deploymentId }: UsageRequest): Promise<UsageRow[]> {
  parseInput(periodInput, { from, to });
  if (to.getTime() - from.getTime() > LIMITS.usageDays * DAY_MS) {
    const message = `{param} must be at most ${LIMITS.usageDays} days after from.`;
    throw new ServiceError('invalid_request', message, { param: ['to'] });
  }
  const groups = USAGE_GROUPS.map((group) => (by.includes(group) ? COLUMNS[group] : Prisma.sql`NULL::text`));
  const [day, deployment, model] = groups as [Prisma.Sql, Prisma.Sql, Prisma.Sql];
  return ctx.services.sql.rows<UsageRow>`
    WITH line AS (
      SELECT ${day} AS day, ${deployment} AS deployment, ${model} AS model, l.outcome, l.input_tokens, l.output_tokens,
             l.response_time_ms,
             (l.input_tokens * p.input_per_million + l.output_tokens * p.output_per_million) / 1000000 AS cost
      FROM workflow_log l
      LEFT JOIN model_price p ON p.workspace_id = ${ctx.environment.workspaceId}::uuid AND p.model = l.model
      WHERE l.environment_id = ${ctx.environment.id}::uuid AND l.created_at >= ${from} AND l.created_at < ${to}
        ${deploymentId ? Prisma.sql`AND l.deployment_id = ${deploymentId}::uuid` : Prisma.empty}
    )
    SELECT day, deployment AS "deploymentId", model, count(*)::int AS turns,
           (count(*) FILTER (WHERE outcome = 'failed'))::int AS failures,
           sum(input_tokens)::float8 AS "inputTokens", sum(output_tokens)::float8 AS "outputTokens",
           percentile_cont(0.5) WITHIN GROUP (ORDER BY response_time_ms) AS "medianResponseMs",
           percentile_cont(0.95) WITHIN GROUP (ORDER BY response_time_ms) AS "p95ResponseMs",
           percentile_cont(0.99) WITHIN GROUP (ORDER BY response_time_ms) AS "p99ResponseMs",
           CASE WHEN count(*) = count(cost) THEN trim_scale(sum(cost))::text END AS cost
    FROM line GROUP BY day, deployment, model ORDER BY day DESC NULLS LAST, deployment, model`;
}

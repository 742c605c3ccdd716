import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { explainFailure, type RunFailure } from '../../../contract/run-failures.ts';
import type { Usage } from '../../../contract/token-usage.ts';
import { Prisma, type TraceSpan } from '../../../db/generated/client.ts';
import type { Context } from '../../context.ts';
import { loadInBatch } from '../../related/batches.ts';
import { costOfTokens, NO_COST, type TokenCost } from '../../usage/costs.ts';
import { costOf, inputCostWithoutCache, joinPrices, savingsOf, shareSaved } from '../../usage/line-cost.ts';
import type { CallContent, StepContent } from './span.ts';

/** The trace of a run, without its spans. */
export interface RunTrace {
  readonly runId: string;
  /** The deployment that ran, and the version of its workflow. */
  readonly deploymentId: string;
  readonly workflowId: number;
  readonly workflowVersion: number;
  /** The request that started or last resumed the run. */
  readonly requestId: string;
  readonly keptUntil: Date;
}

/**
 * The traces of these runs. Null if the run does not exist in the environment, and if its trace has expired or is not
 * kept. A run's trace expires with its last change.
 */
export async function tracesOf(ctx: Context, runIds: readonly string[]): Promise<(RunTrace | null)[]> {
  const rows = await ctx.sql.rows<RunTrace>`
    SELECT r.id AS "runId", d.id AS "deploymentId", d.workflow_id AS "workflowId",
           r.workflow_version AS "workflowVersion", r.request_id AS "requestId",
           r.updated_at + make_interval(days => coalesce(t.trace_days, ${LIMITS.defaultTraceDays})) AS "keptUntil"
    FROM run r
    JOIN LATERAL (
      SELECT deployment_id FROM conversation WHERE id = r.conversation_id AND environment_id = r.environment_id OFFSET 0
    ) AS c ON true
    JOIN deployment d ON d.id = c.deployment_id
    LEFT JOIN retention t ON t.environment_id = ${ctx.environment.id}::uuid
    WHERE r.environment_id = ${ctx.environment.id}::uuid AND r.id = ANY (${[...runIds]}::uuid[])
      AND r.updated_at + make_interval(days => coalesce(t.trace_days, ${LIMITS.defaultTraceDays})) > now()
      AND coalesce(t.trace_days, ${LIMITS.defaultTraceDays}) > 0`;
  const byRun = new Map(rows.map((row) => [row.runId, row]));
  return runIds.map((id) => byRun.get(id) ?? null);
}

/** The trace of a run. @throws {ServiceError} not_found */
export async function findTrace(ctx: Context, runId: string): Promise<RunTrace> {
  const [trace] = await tracesOf(ctx, [runId]);
  if (trace) return trace;
  const message =
    'There is no trace of this run. It may have expired, or the environment keeps no traces. Check {param}.';
  throw new ServiceError('not_found', message, { param: ['runId'] });
}

/** A failure, if the run has one. */
export function failureOf(run: {
  readonly errorCode: string | null;
  readonly failureReason: string | null;
  readonly model: string;
}): RunFailure | null {
  const code = run.failureReason ?? run.errorCode;
  return code === null ? null : explainFailure(code, run.model);
}

const opened = new WeakMap<TraceSpan, StepContent | CallContent | null>();

/** The content of a model step. Null if no known key opens it. */
export function stepContentOf(ctx: Context, span: TraceSpan): StepContent | null {
  return contentOf(ctx, span) as StepContent | null;
}

/** The content of a call. Null if no known key opens it. */
export function callContentOf(ctx: Context, span: TraceSpan): CallContent | null {
  return contentOf(ctx, span) as CallContent | null;
}

/** Opens the content of a span once for all fields that show it. */
export function contentOf(ctx: Context, span: TraceSpan): StepContent | CallContent | null {
  const known = opened.get(span);
  if (known !== undefined) return known;
  const content = open(ctx, span);
  opened.set(span, content);
  return content;
}

function open(ctx: Context, { id, sealedContent }: TraceSpan): StepContent | CallContent | null {
  try {
    return JSON.parse(ctx.services.settings.secretBox.open(sealedContent, id)) as StepContent | CallContent;
  } catch (error) {
    ctx.services.process.log.warn(
      { request_id: ctx.request.id, span_id: id, err: error },
      'a trace could not be opened',
    );
    return null;
  }
}

/** The cost of a model step. A failed step has no tokens. */
export async function costOfStep(ctx: Context, { name, ...counts }: TraceSpan): Promise<TokenCost> {
  return counts.inputTokens === null ? NO_COST : costOfTokens(ctx, name, counts as Usage);
}

/** The cost of the model steps of a run. Without a cost: a model has no price, or no step has a result. */
export function costOfRun(ctx: Context, runId: string): Promise<TokenCost> {
  return loadInBatch(ctx, 'costs of runs', runId, (ids) => costsOfRuns(ctx, ids));
}

async function costsOfRuns({ environment, sql }: Context, runIds: readonly string[]): Promise<TokenCost[]> {
  const span = Prisma.sql`s`;
  const rows = await sql.rows<TokenCost & { runId: string }>`
    SELECT s.run_id AS "runId", trim_scale(sum(${costOf(span)}))::text AS cost,
           ${shareSaved(Prisma.sql`sum(${savingsOf(span)})`, Prisma.sql`sum(${inputCostWithoutCache(span)})`)} AS "inputSavings"
    FROM trace_span s ${joinPrices(environment, Prisma.sql`s.name`)}
    WHERE s.environment_id = ${environment.id}::uuid AND s.run_id = ANY (${[...runIds]}::uuid[])
      AND s.kind = 'model_step' AND s.input_tokens IS NOT NULL
    GROUP BY s.run_id HAVING count(*) = count(p.model)`;
  const byRun = new Map(rows.map((row) => [row.runId, row]));
  return runIds.map((id) => byRun.get(id) ?? NO_COST);
}

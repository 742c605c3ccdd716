import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { explainFailure, type RunFailure } from '../../../contract/run-failures.ts';
import type { ModelPrice, TraceSpan } from '../../../db/generated/client.ts';
import type { Context } from '../../context.ts';
import { loadInBatch } from '../../related/batches.ts';
import { listPrices } from '../../usage/prices.ts';
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
    JOIN conversation c ON c.id = r.conversation_id AND c.environment_id = r.environment_id
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

/** The cost of a model step as a decimal number, in the currency of the workspace. Null without tokens or a price. */
export async function costOf(ctx: Context, span: TraceSpan): Promise<string | null> {
  const { inputTokens, outputTokens, name } = span;
  if (inputTokens === null || outputTokens === null) return null;
  const price = await loadInBatch(ctx, 'prices of models', name, (names) => pricesOf(ctx, names));
  if (!price) return null;
  const { inputPerMillion, outputPerMillion } = price;
  return inputPerMillion.mul(inputTokens).add(outputPerMillion.mul(outputTokens)).div(1_000_000).toFixed();
}

async function pricesOf(ctx: Context, models: readonly string[]): Promise<(ModelPrice | null)[]> {
  const prices = await listPrices(ctx);
  return models.map((name) => prices.find(({ model }) => model === name) ?? null);
}

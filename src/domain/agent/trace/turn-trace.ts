import { v7 as uuidv7 } from 'uuid';
import { LIMITS } from '../../../contract/limits.ts';
import { storableText } from '../../../contract/storable-text.ts';
import { onlyUsage, type Usage } from '../../../contract/token-usage.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Context } from '../../context.ts';
import { eachCount, TOKEN_COLUMNS } from '../../usage/token-columns.ts';
import { ModelError, type ModelStep } from '../model-port.ts';
import { callContent, stepContent } from './content.ts';
import type { CallContent, StepContent, TracedCall, TracedStep } from './span.ts';

/** A row of the trace. */
interface SpanRow extends Partial<Usage> {
  readonly id: string;
  readonly kind: 'model_step' | 'tool_call';
  readonly step: number;
  readonly name: string;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly attempts: number;
  readonly failureReason?: string | undefined;
  readonly finishReason?: string | null;
  readonly callId?: string;
  readonly status?: string;
  /** Base64. */
  readonly sealed: string;
}

/**
 * Collects the trace of a turn until a statement of the turn stores it. What cannot be sealed is left out with a warning: a
 * trace never fails a turn.
 */
export class TurnTrace {
  readonly #ctx: Context;
  readonly #isKept: boolean;
  #rows: SpanRow[] = [];

  /** @param isKept whether the environment kept traces when the turn was accepted */
  constructor(ctx: Context, isKept: boolean) {
    this.#ctx = ctx;
    this.#isKept = isKept;
  }

  addStep(step: number, traced: TracedStep): void {
    const { request, failures, result, startedAt, durationMs } = traced;
    this.#add(
      () => stepContent(traced),
      { kind: 'model_step', step, name: storableText(request.model), startedAt, durationMs, ...countsOf(result) },
      failures.length + (result instanceof Error && failures.length > 0 ? 0 : 1),
    );
  }

  addCall(step: number, traced: TracedCall): void {
    const { name, startedAt, durationMs, callId, status } = traced;
    this.#add(() => callContent(traced), { kind: 'tool_call', step, name, startedAt, durationMs, callId, status }, 1);
  }

  #add(contentOf: () => StepContent | CallContent, row: Omit<SpanRow, 'id' | 'sealed' | 'attempts'>, attempts: number) {
    if (!this.#isKept) return;
    try {
      // IDs increase over time, also within a millisecond: the trace is read in their order.
      const id = uuidv7();
      const sealed = this.#ctx.services.settings.secretBox.seal(JSON.stringify(contentOf()), id);
      this.#rows.push({ ...row, id, attempts, sealed: Buffer.from(sealed).toString('base64') });
    } catch (error) {
      const facts = { request_id: this.#ctx.request.id, err: error };
      this.#ctx.services.process.log.warn(facts, 'a step is missing in the trace of its turn');
    }
  }

  /**
   * Returns the CTEs that store the collected rows with the run in `moved`, if the environment keeps traces. The rows are
   * returned once: if the statement fails, its repetition stores the turn without them.
   */
  take(): Prisma.Sql[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows.length > 0 ? [insertSpans(this.#ctx, rows)] : [];
  }
}

/** The measures of a step. A partial answer has no token counts. */
function countsOf(result: TracedStep['result']) {
  if (result instanceof Error) {
    return { failureReason: (result instanceof ModelError && result.reason) || 'model_error' };
  }
  const step = result as ModelStep;
  return { ...onlyUsage(step), finishReason: step.finishReason };
}

function insertSpans(ctx: Context, rows: readonly SpanRow[]): Prisma.Sql {
  return Prisma.sql`traced AS (
      INSERT INTO trace_span (id, environment_id, run_id, kind, step, name, started_at, duration_ms, attempts, request_id,
                              failure_reason, ${TOKEN_COLUMNS}, finish_reason, call_id, status,
                              sealed_content)
      SELECT span.id, moved.environment_id, moved.id, span.kind, span.step, span.name, span."startedAt",
             span."durationMs", span.attempts, ${ctx.request.id}, span."failureReason",
             ${eachCount((_column, name) => Prisma.sql`span.${name}`)}, span."finishReason", span."callId", span.status, decode(span.sealed, 'base64')
      FROM moved, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS span(
        id uuid, kind trace_span_kind, step int, name text, "startedAt" timestamptz, "durationMs" int, attempts int,
        "failureReason" text, ${eachCount((_column, name) => Prisma.sql`${name} int`)}, "finishReason" text, "callId" text,
        status call_status, sealed text)
      WHERE coalesce((SELECT trace_days FROM retention WHERE environment_id = ${ctx.environment.id}::uuid),
                     ${LIMITS.defaultTraceDays}) > 0
      RETURNING id
    )`;
}

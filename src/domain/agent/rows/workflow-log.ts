import type { ErrorCode } from '../../../contract/errors.ts';
import type { TurnOutcome } from '../../../contract/statuses.ts';
import type { Usage } from '../../../contract/token-usage.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Spending } from '../../budgets/spending.ts';
import type { Context } from '../../context.ts';
import { TOKEN_COLUMNS, tokenValues } from '../../usage/token-columns.ts';
import type { AcceptedTurn, Assistant } from '../turn.ts';

export interface LogEntry {
  readonly outcome: TurnOutcome;
  readonly errorCode: ErrorCode | null;
  /** Null for one-shot runs. */
  readonly step: number | null;
  readonly usage: Usage;
  readonly responseTimeMs: number;
  readonly at: Date;
  /** False: another process continues the run, so its trigger shows the line of that process. */
  readonly isShown?: boolean;
  /** What a one-shot run settles with its line. */
  readonly spending?: Spending | undefined;
}

/** The logged run: a turn, a one-shot run, or the test of a draft, which has no deployment and no version. */
export type LoggedRun = Pick<Assistant, 'deployment' | 'model'> & Pick<AcceptedTurn, 'triggerId'>;

/**
 * Writes a line of the workflow log: the cost and the outcome of a turn. It is a CTE that needs `moved`, and `logged`
 * contains the line's ID. The statement adds the line to the usage of the conversation with `countUsage`. The trigger of the
 * turn shows the line.
 */
export function logTurn(
  ctx: Context,
  { deployment, model, triggerId }: LoggedRun,
  entry: LogEntry,
  loggedTrigger = Prisma.sql`${triggerId}`,
): Prisma.Sql {
  return Prisma.sql`logged AS (
      INSERT INTO workflow_log (environment_id, workflow_id, workflow_version, deployment_id, conversation_id, run_id,
                                trigger_id, step, request_id, outcome, error_code, model, ${TOKEN_COLUMNS},
                                response_time_ms, counted, created_at)
      SELECT moved.environment_id, ${deployment.workflowId}, ${deployment.version}, ${deployment.id}::uuid,
             moved.conversation_id, moved.id, ${loggedTrigger}, ${entry.step}, ${ctx.request.id},
             ${entry.outcome}::workflow_log_outcome, ${entry.errorCode}, ${model},
             ${tokenValues(entry.usage)}, ${entry.responseTimeMs}, true, ${entry.at}
      FROM moved
      RETURNING id, environment_id
    )${triggerId && entry.isShown !== false ? shownByTrigger(ctx, triggerId) : Prisma.empty}`;
}

/** The cost of a summary of a conversation. */
export interface SummaryLine {
  readonly model: string;
  readonly usage: Usage;
  readonly responseTimeMs: number;
  readonly at: Date;
}

/**
 * Writes the line of a summary, like `logTurn`. It is not a turn: it belongs to the conversation alone, so that readers of a
 * run's lines find only its turns.
 */
export function logSummary(
  ctx: Context,
  { deployment }: Pick<LoggedRun, 'deployment'>,
  { model, usage, responseTimeMs, at }: SummaryLine,
): Prisma.Sql {
  return Prisma.sql`logged AS (
      INSERT INTO workflow_log (environment_id, workflow_id, workflow_version, deployment_id, conversation_id, request_id,
                                outcome, is_summary, model, ${TOKEN_COLUMNS}, response_time_ms, counted,
                                created_at)
      SELECT moved.environment_id, ${deployment.workflowId}, ${deployment.version}, ${deployment.id}::uuid,
             moved.conversation_id, ${ctx.request.id}, 'completed', true, ${model},
             ${tokenValues(usage)}, ${responseTimeMs}, true, ${at}
      FROM moved
    )`;
}

function shownByTrigger(ctx: Context, triggerId: string): Prisma.Sql {
  return Prisma.sql`, shown AS (
      UPDATE trigger SET workflow_log_id = logged.id FROM logged
      WHERE trigger.id = ${triggerId} AND trigger.environment_id = ${ctx.environment.id}::uuid
    )`;
}

/** Writes the line of a one-shot run and returns its ID. A trigger that was deleted during the run is not in the line. */
export async function logOneShot(ctx: Context, run: LoggedRun, entry: LogEntry): Promise<number> {
  const trigger = Prisma.sql`(
        SELECT id FROM trigger WHERE id = ${run.triggerId} AND environment_id = ${ctx.environment.id}::uuid FOR KEY SHARE
      )`;
  const [line] = await ctx.sql.rows<{ id: bigint }>`
    WITH moved AS (
      SELECT ${ctx.environment.id}::uuid AS environment_id, NULL::uuid AS conversation_id, NULL::uuid AS id
    ), ${Prisma.join([...(entry.spending?.settling() ?? []), logTurn(ctx, run, entry, trigger)], ', ')}
    SELECT id FROM logged`;
  return Number(line?.id);
}

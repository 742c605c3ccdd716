import type { ErrorCode } from '../../contract/errors.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import { RunLost } from './run-lost.ts';
import { sourcesOf } from './run-moves.ts';
import type { AcceptedTurn, FinishedTurn } from './turn.ts';

/** Tokens of a whole run. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

interface Settlement {
  readonly status: 'completed' | 'interrupted' | 'failed';
  readonly step: number;
  readonly usage: Usage;
  /** The assistant's reply; an empty one is not stored as a message. */
  readonly text: string;
  readonly errorCode: ErrorCode | null;
}

/** Ends a turn with the assistant's reply. @throws {RunLost} where another process has settled the run */
export async function finishTurn(
  ctx: Context,
  turn: AcceptedTurn,
  { text, step, usage }: Pick<Settlement, 'text' | 'step' | 'usage'>,
): Promise<FinishedTurn> {
  const settled = await settle(ctx, turn, { status: 'completed', step, usage, text, errorCode: null });
  ctx.services.observer.turnEnded('completed');
  return {
    outcome: 'finished',
    runId: turn.runId,
    runStatus: 'completed',
    conversationId: turn.conversation.id,
    conversationStatus: 'active',
    completedAt: null,
    name: turn.conversation.name,
    content: text,
    model: turn.model,
    ...usage,
    responseTimeMs: settled.responseTimeMs,
    createdAt: turn.conversation.createdAt,
    updatedAt: settled.at,
  };
}

/** Ends a turn that has no reply. The user's message stays, and the next turn may follow at once (WIRE 7). */
export async function failTurn(
  ctx: Context,
  turn: AcceptedTurn,
  failure: Pick<Settlement, 'step' | 'usage' | 'errorCode'>,
): Promise<void> {
  await settle(ctx, turn, { ...failure, status: 'failed', text: '' });
  ctx.services.observer.turnEnded('failed');
}

/** One statement: the run's move, the reply, the conversation and the log, all or nothing. */
async function settle(ctx: Context, turn: AcceptedTurn, settlement: Settlement) {
  const { status, step, usage, text, errorCode } = settlement;
  const at = ctx.now();
  const responseTimeMs = at.getTime() - turn.acceptedAt.getTime();
  const moved = await ctx.db.$executeRaw`
    WITH ${lockAndMove(
      ctx,
      turn,
      Prisma.sql`
      status = ${status}::run_status, step = ${step}, lease_owner = NULL, lease_expires_at = NULL,
      input_tokens = ${usage.inputTokens}, output_tokens = ${usage.outputTokens}, error_code = ${errorCode},
      updated_at = ${at}`,
      status,
    )}, reply AS (
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, revision,
                                 created_at)
      SELECT environment_id, conversation_id, id, 'message', ${step}, 'assistant',
             ${JSON.stringify([{ type: 'text', text }])}::jsonb, nextval('timeline_revision'), ${at}
      FROM moved WHERE ${text !== ''}
    ), log AS (
      INSERT INTO workflow_log (environment_id, workflow_id, workflow_version, deployment_id, conversation_id, run_id,
                                request_id, outcome, error_code, model, input_tokens, output_tokens,
                                response_time_ms, created_at)
      SELECT environment_id, ${turn.deployment.workflowId}, ${turn.deployment.version}, ${turn.deployment.id}::uuid,
             conversation_id, id, ${ctx.requestId}, ${status}::workflow_log_outcome, ${errorCode}, ${turn.model},
             ${usage.inputTokens}, ${usage.outputTokens}, ${responseTimeMs}, ${at}
      FROM moved
    )
    UPDATE conversation SET message_count = message_count + ${text === '' ? 0 : 1}, updated_at = ${at}
    FROM moved WHERE conversation.id = moved.conversation_id`;
  if (moved === 0) throw new RunLost();
  return { at, responseTimeMs };
}

/** Locks the conversation, then changes the run if this process still owns it: `moved` is empty where it does not. */
export function lockAndMove(
  ctx: Context,
  turn: AcceptedTurn,
  change: Prisma.Sql,
  target: Parameters<typeof sourcesOf>[0],
): Prisma.Sql {
  return Prisma.sql`locked AS (
      SELECT id FROM conversation
      WHERE id = ${turn.conversation.id}::uuid AND environment_id = ${ctx.environment.id}::uuid
      FOR NO KEY UPDATE
    ), moved AS (
      UPDATE run SET ${change}
      FROM locked
      WHERE run.id = ${turn.runId}::uuid AND run.conversation_id = locked.id AND run.fence = ${turn.fence}
        AND run.status = ANY (${sourcesOf(target)}::run_status[])
      RETURNING run.id, run.environment_id, run.conversation_id
    )`;
}

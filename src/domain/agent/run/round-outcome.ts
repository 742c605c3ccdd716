import { type MessageContent, textOf } from '../../../contract/content.ts';
import { ServiceError } from '../../../contract/errors.ts';
import { isRetryable } from '../../../contract/run-failures.ts';
import type { ConversationStatus, FinishReason, TurnOutcome } from '../../../contract/statuses.ts';
import { onlyUsage, type Usage } from '../../../contract/token-usage.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Context } from '../../context.ts';
import { findConversation } from '../../conversations/reads.ts';
import { eachCount } from '../../usage/token-columns.ts';
import type { WorkflowConfig } from '../../workflows/config.ts';
import { handledBefore } from '../rows/handled-turn.ts';
import { replyOf } from '../structured-reply.ts';
import type { PendingCall, TurnResult } from '../turn.ts';

interface OutcomeRow extends Usage {
  outcome: TurnOutcome;
  error_code: string | null;
  model: string;
  response_time_ms: number;
  logged_at: Date;
  name: string;
  status: ConversationStatus;
  completed_at: Date | null;
  created_at: Date;
  finish_reason: FinishReason | null;
  failure_reason: string | null;
  content: MessageContent | null;
  pending: (Omit<PendingCall, 'expiresAt'> & { expiresAt: string | null })[];
}

/**
 * Returns the outcome of the turn that was accepted for the round at `step`. It reads the turn's line in the workflow
 * log, and waits for it while the turn runs in any process. A queued message can be stored for a person instead.
 * @throws {ServiceError} model_error or model_timeout if the turn failed, not_found if the conversation was deleted, unavailable
 * if this process shuts down first
 */
export async function roundOutcome(
  ctx: Context,
  { conversationId, config }: { readonly conversationId: string; readonly config: WorkflowConfig },
  { runId, step }: { readonly runId: string; readonly step: number },
): Promise<TurnResult> {
  const row = await ctx.services.process.runs.waitForResult(
    conversationId,
    async () => (await readOutcome(ctx, conversationId, runId, step)) ?? handledBefore(ctx, { conversationId, runId }),
  );
  if (row.outcome === 'finished') return row;
  if (row.outcome === 'failed') {
    const code = row.error_code === 'model_timeout' ? 'model_timeout' : 'model_error';
    const facts = { conversation_id: conversationId, run_id: runId };
    const failure = { isRetryable: isRetryable(row.failure_reason) };
    throw new ServiceError(code, 'The turn failed. Your message is stored. Send the next one.', { facts, failure });
  }
  const base = {
    runId,
    conversationId,
    conversationStatus: row.status,
    completedAt: row.completed_at,
    name: row.name,
  };
  if (row.outcome === 'waiting_for_client_action') {
    return {
      ...base,
      outcome: 'paused',
      runStatus: 'waiting_for_client_action',
      pendingCalls: row.pending.map(withDate),
    };
  }
  const isCompleted = row.outcome === 'completed';
  return {
    ...base,
    outcome: 'finished',
    runStatus: isCompleted ? 'completed' : 'interrupted',
    content: (isCompleted || row.error_code === null) && row.content ? replyOf(config, textOf(row.content)) : '',
    model: row.model,
    finishReason: row.finish_reason,
    ...onlyUsage(row),
    responseTimeMs: row.response_time_ms,
    createdAt: row.created_at,
    updatedAt: row.logged_at,
  };
}

/** JSON has no dates. */
function withDate<Call extends { expiresAt: string | null }>(call: Call) {
  return { ...call, expiresAt: call.expiresAt === null ? null : new Date(call.expiresAt) };
}

async function readOutcome(
  ctx: Context,
  conversationId: string,
  runId: string,
  step: number,
): Promise<OutcomeRow | undefined> {
  const [row] = await ctx.sql.rows<OutcomeRow>`
    SELECT l.outcome::text AS outcome, l.error_code, l.model, l.response_time_ms,
           ${eachCount((column, name) => Prisma.sql`l.${column} AS ${name}`)},
           l.created_at AS logged_at, c.name, c.status::text AS status, c.completed_at, c.created_at,
           (SELECT r.finish_reason FROM run r WHERE r.id = l.run_id AND r.environment_id = l.environment_id) AS finish_reason,
           (SELECT r.failure_reason FROM run r WHERE r.id = l.run_id AND r.environment_id = l.environment_id) AS failure_reason,
           (SELECT i.content FROM timeline_item i
            WHERE i.run_id = l.run_id AND i.environment_id = l.environment_id AND i.step = l.step AND i.kind = 'message'
              AND i.role = 'assistant' AND i.author IS NULL
            ORDER BY i.id DESC LIMIT 1) AS content,
           coalesce((
             SELECT jsonb_agg(jsonb_build_object('callId', i.call_id, 'name', i.name, 'arguments', i.arguments,
                              'expiresAt', i.expires_at)
                              ORDER BY i.id)
             FROM timeline_item i
             WHERE i.run_id = l.run_id AND i.environment_id = l.environment_id AND i.step = l.step
               AND i.kind = 'client_tool' AND i.status <> 'failed'
           ), '[]') AS pending
    FROM workflow_log l JOIN conversation c ON c.id = l.conversation_id AND c.environment_id = l.environment_id
    WHERE l.run_id = ${runId}::uuid AND l.environment_id = ${ctx.environment.id}::uuid
      AND c.id = ${conversationId}::uuid
      AND l.id > coalesce((
        SELECT max(id) FROM workflow_log
        WHERE run_id = ${runId}::uuid AND environment_id = ${ctx.environment.id}::uuid AND step = ${step}
          AND outcome = 'waiting_for_client_action'), 0)
    ORDER BY l.id LIMIT 1`;
  // A deleted conversation never gets an outcome.
  if (!row) await findConversation(ctx, { conversationId }, { select: { id: true } });
  return row;
}

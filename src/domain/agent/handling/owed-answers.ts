import { LIMITS } from '../../../contract/limits.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import type { EnvironmentRef } from '../../caller.ts';
import type { Context, Services } from '../../context.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { runEvents } from '../../events/lifecycle.ts';
import { QUEUED_RUNS } from '../rows/queue-sql.ts';
import { serviceContext } from '../rows/service-context.ts';

/** How many conversations one sweep handles. */
const BATCH = 100;

/**
 * Starts the turns that the assistant owes in conversations that were handed back, but where another turn was active, or whose
 * process died meanwhile.
 */
export async function answerAllOwed(services: Services): Promise<void> {
  const owing = await services.stores.sql.rows<EnvironmentRef & { readonly conversationId: string }>`
    SELECT c.id AS "conversationId", e.id, e.kind::text AS kind, e.workspace_id AS "workspaceId"
    FROM conversation c JOIN environment e ON e.id = c.environment_id
    WHERE c.owes_answer AND NOT EXISTS (
      SELECT FROM run WHERE run.conversation_id = c.id AND run.environment_id = c.environment_id
        AND run.status IN ('running', 'waiting_for_client_action'))
    LIMIT ${BATCH}`;
  for (const { conversationId, ...environment } of owing) {
    try {
      await answerOwed(serviceContext(services, environment), conversationId);
    } catch (error) {
      // The next sweep tries again. The other conversations must not wait for that.
      services.process.log.error({ err: error, conversation_id: conversationId }, 'an owed answer cannot start');
    }
  }
}

/**
 * Starts one turn for the messages that nobody has answered in a conversation that was handed back. While another turn is
 * active, or a message is queued, nothing happens: a sweep tries again. The lock makes sure that each message is answered once.
 */
export async function answerOwed(ctx: Context, conversationId: string): Promise<void> {
  const hasStarted = await inTransaction(ctx.db, async (tx) => {
    if (!(await lockOwing(ctx, tx, conversationId))) return false;
    const message = await unanswered(ctx, tx, conversationId);
    return message ? startFor(ctx, tx, conversationId, message) : settleDebt(ctx, tx, conversationId);
  });
  if (!hasStarted) return;
  ctx.services.stores.pubSub.publish(QUEUED_RUNS);
  publishLifecycleChange(ctx.services.stores.pubSub, ctx.environment.id, conversationId);
}

/** Returns false if there is nothing to answer now. */
async function lockOwing({ environment }: Context, tx: Transaction, id: string): Promise<boolean> {
  const [locked] = await tx.$queryRaw<object[]>`
    SELECT FROM conversation WHERE id = ${id}::uuid AND environment_id = ${environment.id}::uuid
      AND owes_answer AND handling = 'assistant' FOR NO KEY UPDATE`;
  if (!locked) return false;
  const [busy] = await tx.$queryRaw<object[]>`
    SELECT FROM run WHERE conversation_id = ${id}::uuid AND environment_id = ${environment.id}::uuid
      AND status IN ('running', 'waiting_for_client_action')
    UNION ALL
    SELECT FROM queued_turn WHERE conversation_id = ${id}::uuid AND environment_id = ${environment.id}::uuid
    LIMIT 1`;
  return !busy;
}

interface Unanswered {
  readonly id: bigint;
  readonly runId: string;
}

/**
 * The last message of the user, unless a person, its own turn or a turn that was resumed after it has answered. A turn that ran
 * when the message was stored can reply after it without having read it.
 */
async function unanswered({ environment }: Context, tx: Transaction, id: string): Promise<Unanswered | undefined> {
  const inConversation = Prisma.sql`i.conversation_id = ${id}::uuid AND i.environment_id = ${environment.id}::uuid`;
  const [last] = await tx.$queryRaw<(Unanswered & { readonly isOpen: boolean })[]>`
    WITH asked AS (
      SELECT i.id, i.run_id, i.revision FROM timeline_item i
      WHERE ${inConversation} AND i.kind = 'message' AND i.role = 'user' AND i.superseded_by IS NULL
      ORDER BY i.id DESC LIMIT 1
    ), result AS (
      SELECT i.run_id, i.step FROM timeline_item i, asked
      WHERE ${inConversation} AND i.kind = 'client_tool' AND i.revision > asked.revision
    )
    SELECT asked.id, asked.run_id AS "runId", c.status = 'active' AND NOT EXISTS (
      SELECT FROM timeline_item i
      WHERE ${inConversation} AND i.kind = 'message' AND i.role = 'assistant' AND i.superseded_by IS NULL AND i.id > asked.id
        AND (i.author IS NOT NULL OR i.run_id = asked.run_id
          OR EXISTS (SELECT FROM result WHERE result.run_id = i.run_id AND result.step < i.step))) AS "isOpen"
    FROM asked JOIN conversation c ON c.id = ${id}::uuid AND c.environment_id = ${environment.id}::uuid`;
  return last?.isOpen ? last : undefined;
}

/**
 * The turn has the settings of the message, which moves to it with the calls of a turn that was stopped before it replied. It
 * continues after their step. No client waits, so it runs like a background turn.
 */
async function startFor(ctx: Context, tx: Transaction, conversationId: string, message: Unanswered): Promise<true> {
  const own = ctx.environment.id;
  await tx.$executeRaw`
    WITH asked AS (
      SELECT * FROM run WHERE id = ${message.runId}::uuid AND environment_id = ${own}::uuid
    ), new_run AS (
      INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, step, attempts_left, background, share_key,
                       tools, history_limit, model, request_id, accepted_at, created_at, updated_at)
      SELECT ${ctx.newId()}::uuid, environment_id, conversation_id, workflow_version, agent, 'running', step,
             greatest(attempts_left, ${LIMITS.defaultTurnAttempts - 1}), true, share_key, tools, history_limit, model, request_id,
             now(), now(), now()
      FROM asked
      RETURNING *
    ), ${runEvents('new_run')}, moved_message AS (
      UPDATE timeline_item SET run_id = new_run.id, revision = next_revision()
      FROM new_run
      WHERE timeline_item.id = ${message.id} AND timeline_item.environment_id = ${own}::uuid
      RETURNING timeline_item.run_id
    ), moved_calls AS (
      UPDATE timeline_item SET run_id = moved_message.run_id, revision = next_revision()
      FROM moved_message
      WHERE timeline_item.run_id = ${message.runId}::uuid AND timeline_item.environment_id = ${own}::uuid AND call_id IS NOT NULL
    )
    UPDATE conversation SET owes_answer = false, latest_run_id = new_run.id, updated_at = now()
    FROM new_run
    WHERE conversation.id = ${conversationId}::uuid AND conversation.environment_id = ${own}::uuid`;
  return true;
}

async function settleDebt({ environment }: Context, tx: Transaction, id: string): Promise<false> {
  await tx.$executeRaw`
    UPDATE conversation SET owes_answer = false, updated_at = updated_at
    WHERE id = ${id}::uuid AND environment_id = ${environment.id}::uuid`;
  return false;
}

import { APPROVAL_TOOL } from '../../../contract/client-tools.ts';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import type { EnvironmentRef } from '../../caller.ts';
import type { Context, Services } from '../../context.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import type { CallEntry } from '../../conversations/timeline.ts';
import type { Deadline } from '../../workflows/config.ts';
import { QUEUED_RUNS, RETURNED } from '../rows/queue-sql.ts';
import { cancelledAs, endWaitingRun } from '../settle/end-waiting-run.ts';
import { checkOutput } from '../tools/client-tool-rules.ts';
import { serviceContext } from './service-context.ts';

/** How many runs one sweep handles. */
const BATCH = 100;

interface DueRun {
  readonly conversationId: string;
  readonly requestId: string;
  readonly id: string;
  readonly kind: EnvironmentRef['kind'];
  readonly workspaceId: string;
}

/**
 * Handles the pending calls whose time is over, by the clock of the database: the run is cancelled, or the calls get an
 * output and the run continues from the queue. Any process can do it. The conversation's lock decides between it and an
 * answer that arrives at the same time.
 */
export async function expireCalls(services: Services): Promise<void> {
  const due = await services.stores.sql.rows<DueRun>`
    SELECT DISTINCT i.conversation_id AS "conversationId", r.request_id AS "requestId", e.id, e.kind::text AS kind,
           e.workspace_id AS "workspaceId"
    FROM timeline_item i JOIN environment e ON e.id = i.environment_id, LATERAL (
      SELECT request_id FROM run
      WHERE run.id = i.run_id AND run.environment_id = i.environment_id AND run.status = 'waiting_for_client_action'
      OFFSET 0
    ) AS r
    WHERE i.status = 'pending' AND i.expires_at <= now()
    LIMIT ${BATCH}`;
  for (const { conversationId, requestId, ...environment } of due) {
    try {
      await expireCallsOf(serviceContext(services, environment, requestId), conversationId);
    } catch (error) {
      // The next sweep tries again. The other conversations must not wait for that.
      const fields = { err: error, request_id: requestId, conversation_id: conversationId };
      services.process.log.error(fields, 'expired calls of a conversation cannot be handled');
    }
  }
}

interface PendingRow extends Pick<CallEntry, 'callId' | 'name' | 'arguments'> {
  readonly runId: string;
  readonly isDue: boolean;
  readonly onExpiry: Deadline['onExpiry'] | null;
}

async function expireCallsOf(ctx: Context, conversationId: string): Promise<void> {
  const outcome = await inTransaction(ctx.db, async (tx) => {
    await tx.$queryRaw`
      SELECT 1 FROM conversation
      WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid FOR NO KEY UPDATE`;
    const calls = await pendingCalls(ctx, tx, conversationId);
    const due = calls.filter(({ isDue }) => isDue);
    const [first] = due;
    if (!first) return undefined;
    if (due.some(({ onExpiry }) => (onExpiry?.mode ?? 'cancel') === 'cancel')) {
      await markExpired(tx, conversationId, calls);
      await endWaitingRun(ctx, tx, conversationId, { change: cancelledAs('action_expired'), at: ctx.now() });
      return 'cancelled';
    }
    await storeOutputs(ctx, tx, conversationId, due);
    if (due.length < calls.length) return 'waiting';
    await continueRun(ctx, tx, first.runId);
    return 'continued';
  });
  if (!outcome) return;
  const {
    stores: { pubSub },
    process: { log },
  } = ctx.services;
  log.info({ request_id: ctx.request.id, conversation_id: conversationId, outcome }, 'pending calls have expired');
  if (outcome === 'continued') pubSub.publish(QUEUED_RUNS);
  publishLifecycleChange(pubSub, ctx.environment.id, conversationId);
}

/** The pending calls of the conversation's waiting run, read under the conversation's lock. */
function pendingCalls({ environment }: Context, tx: Transaction, conversationId: string): Promise<PendingRow[]> {
  return tx.$queryRaw<PendingRow[]>`
    SELECT i.call_id AS "callId", i.name, i.arguments, i.run_id AS "runId", i.on_expiry AS "onExpiry",
           coalesce(i.expires_at <= now(), false) AS "isDue"
    FROM timeline_item i
    JOIN run r ON r.id = i.run_id AND r.conversation_id = ${conversationId}::uuid AND r.environment_id = ${environment.id}::uuid
      AND r.status = 'waiting_for_client_action'
    WHERE i.conversation_id = ${conversationId}::uuid AND i.environment_id = ${environment.id}::uuid
      AND i.kind = 'client_tool' AND i.status = 'pending'
    ORDER BY i.id`;
}

async function markExpired(tx: Transaction, conversationId: string, calls: readonly PendingRow[]): Promise<void> {
  const callIds = calls.map(({ callId }) => callId);
  await tx.timelineItem.updateMany({ where: { conversationId, callId: { in: callIds } }, data: { expired: true } });
}

async function storeOutputs(
  { environment }: Context,
  tx: Transaction,
  conversationId: string,
  due: readonly PendingRow[],
): Promise<void> {
  const results = due.map((call) => ({ callId: call.callId, ...outputAtExpiry(call) }));
  await tx.$executeRaw`
    UPDATE timeline_item
    SET status = result.status::call_status, output = result.output, expired = true,
        revision = next_revision()
    FROM jsonb_to_recordset(${JSON.stringify(results)}::jsonb) AS result("callId" text, status text, output jsonb)
    WHERE timeline_item.conversation_id = ${conversationId}::uuid
      AND timeline_item.environment_id = ${environment.id}::uuid AND timeline_item.call_id = result."callId"`;
}

const NOBODY = 'Nobody answered in time.';

function outputAtExpiry(call: PendingRow) {
  const { output } = call.onExpiry ?? {};
  if (output && isValid(call, output)) return { status: 'completed', output };
  if (call.name === APPROVAL_TOOL) return { status: 'completed', output: { approved: false, reason: NOBODY } };
  return { status: 'failed', output: { error: NOBODY } };
}

/** The default output of ask_user can miss the questions of this call. */
function isValid(call: PendingRow, output: Readonly<Record<string, unknown>>): boolean {
  try {
    checkOutput(call, output, []);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** No client waits for the turn, so it runs like a background turn. */
async function continueRun({ environment }: Context, tx: Transaction, runId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE run
    SET status = 'running', ${RETURNED}, results_accepted = true, interrupted = false, background = true,
        attempts_left = greatest(attempts_left, ${LIMITS.defaultTurnAttempts - 1}), accepted_at = now()
    WHERE id = ${runId}::uuid AND environment_id = ${environment.id}::uuid`;
}

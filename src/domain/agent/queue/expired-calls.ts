import { DECISION_TOOLS } from '../../../contract/client-tools.ts';
import { ServiceError } from '../../../contract/errors.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import type { EnvironmentRef } from '../../caller.ts';
import type { Context, Services } from '../../context.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import type { CallEntry } from '../../conversations/timeline.ts';
import { QUEUED_RUNS } from '../rows/queue-sql.ts';
import { serviceContext } from '../rows/service-context.ts';
import { cancelledAs, endWaitingRun } from '../settle/end-waiting-run.ts';
import { checkOutput } from '../tools/client-tool-rules.ts';
import { continueRun, lockedCalls, type PendingRow, storeOutputs } from './continue-waiting.ts';

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

async function expireCallsOf(ctx: Context, conversationId: string): Promise<void> {
  const outcome = await inTransaction(ctx.db, async (tx) => {
    const calls = await lockedCalls(ctx, tx, conversationId);
    const due = calls.filter(({ isDue }) => isDue);
    const [first] = due;
    if (!first) return undefined;
    if (due.some(({ onExpiry }) => (onExpiry?.mode ?? 'cancel') === 'cancel')) {
      await markExpired(tx, conversationId, calls);
      await endWaitingRun(ctx, tx, conversationId, { change: cancelledAs('action_expired'), at: ctx.now() });
      return 'cancelled';
    }
    await storeOutputs(
      ctx,
      tx,
      conversationId,
      due.map((call) => ({ ...call, ...outputAtExpiry(call), expired: true })),
    );
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

async function markExpired(tx: Transaction, conversationId: string, calls: readonly PendingRow[]): Promise<void> {
  const callIds = calls.map(({ callId }) => callId);
  await tx.timelineItem.updateMany({ where: { conversationId, callId: { in: callIds } }, data: { expired: true } });
}

const NOBODY = 'Nobody answered in time.';

function outputAtExpiry(call: PendingRow): Pick<CallEntry, 'status' | 'output'> {
  const { output } = call.onExpiry ?? {};
  if (output && isValid(call, output)) return { status: 'completed', output };
  if (DECISION_TOOLS.includes(call.name)) return { status: 'completed', output: { approved: false, reason: NOBODY } };
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

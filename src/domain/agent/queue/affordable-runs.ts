import { Prisma } from '../../../db/generated/client.ts';
import { isoTime } from '../../../db/iso-time.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { EnvironmentRef } from '../../caller.ts';
import type { Context, Services } from '../../context.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { QUEUED_RUNS, WAITS_FOR_BUDGET } from '../rows/queue-sql.ts';
import { serviceContext } from '../rows/service-context.ts';
import { continueRun, lockedCalls, storeOutputs } from './continue-waiting.ts';

/** How many runs one sweep continues. */
const BATCH = 100;

// A model can have called a tool of its workflow that had this name before. Its arguments must not end the sweep, so nothing of
// them is converted that could not be.
const NEEDED = Prisma.sql`CASE WHEN i.arguments ->> 'needed' ~ '^[0-9]{1,30}([.][0-9]{1,30})?$' THEN (i.arguments ->> 'needed')::numeric END`;

const NOW = isoTime(Prisma.sql`now()`);

// A default budget has the settings of its deployment only when the next turn needs it.
const DEFAULT = Prisma.sql`CASE WHEN b.place LIKE 'visitors:%' THEN d.visitor_budget ELSE d.end_user_budget END`;
const IS_OTHER_DEFAULT = Prisma.sql`(d.id IS NOT NULL AND NOT EXISTS (
               SELECT FROM jsonb_to_record(${DEFAULT}) AS json (period text, amount numeric, tokens numeric, "onReached" text)
               WHERE json.period = b.period AND coalesce(json.amount, json.tokens) = b.amount AND json."onReached" = b.on_reached
                 AND (json.tokens IS NULL) = (b.unit = 'money')))`;

interface AffordableRun {
  readonly conversationId: string;
  readonly requestId: string;
  readonly callId: string;
  readonly id: string;
  readonly kind: EnvironmentRef['kind'];
  readonly workspaceId: string;
}

/**
 * Continues runs that wait for a budget which has room again: it was raised for another run, it or its default was set or
 * removed, or its next period has begun. As many as fit into the budget continue, and who waits longest is first.
 */
export async function continueAffordable(services: Services): Promise<void> {
  const runs = await services.stores.sql.rows<AffordableRun>`
    WITH waiting AS (
      SELECT i.id, i.conversation_id, i.call_id, i.environment_id, r.request_id, b.id AS budget_id, b.on_reached,
             b.unit <> i.arguments ->> 'unit' OR ${IS_OTHER_DEFAULT} AS is_other, ${NEEDED} AS needed,
             CASE WHEN i.arguments ->> 'period_ends_at' <= ${NOW} THEN b.amount ELSE b.amount + b.raised - b.spent END - b.reserved AS room
      FROM timeline_item i
        JOIN run r ON r.id = i.run_id AND r.environment_id = i.environment_id AND r.status = 'waiting_for_client_action'
        LEFT JOIN budget b ON b.environment_id = i.environment_id AND b.id = i.arguments ->> 'budget_id'
        LEFT JOIN deployment d ON b.is_default AND d.id = b.deployment_id
      WHERE ${WAITS_FOR_BUDGET} AND starts_with(i.arguments ->> 'budget_id', 'bud_')
    ), affordable AS (
      SELECT id, sum(needed) OVER (PARTITION BY environment_id, budget_id ORDER BY id) <= room AS fits
      FROM waiting WHERE needed <= room
    )
    SELECT waiting.conversation_id AS "conversationId", waiting.request_id AS "requestId", waiting.call_id AS "callId",
           e.id, e.kind::text AS kind, e.workspace_id AS "workspaceId"
    FROM waiting JOIN environment e ON e.id = waiting.environment_id LEFT JOIN affordable ON affordable.id = waiting.id
    WHERE budget_id IS NULL OR on_reached <> 'pause' OR is_other OR affordable.fits
    ORDER BY waiting.id LIMIT ${BATCH}`;
  for (const { conversationId, requestId, callId, ...environment } of runs) {
    try {
      await continueAfter(serviceContext(services, environment, requestId), conversationId, callId);
    } catch (error) {
      // The next sweep tries again. The other conversations must not wait for that.
      const fields = { err: error, request_id: requestId, conversation_id: conversationId };
      services.process.log.error(fields, 'a run that waits for a budget cannot continue');
    }
  }
}

async function continueAfter(ctx: Context, conversationId: string, callId: string): Promise<void> {
  const runId = await inTransaction(ctx.db, async (tx) => {
    const calls = await lockedCalls(ctx, tx, conversationId);
    const call = calls.find((one) => one.callId === callId);
    if (!call) return undefined;
    await storeOutputs(ctx, tx, conversationId, [{ ...call, status: 'completed', output: HAS_ROOM, expired: false }]);
    await continueRun(ctx, tx, call.runId);
    return call.runId;
  });
  if (runId === undefined) return;
  const { pubSub } = ctx.services.stores;
  pubSub.publish(QUEUED_RUNS);
  publishLifecycleChange(pubSub, ctx.environment.id, conversationId);
}

/** The answer of the service. Nothing is added to the budget. */
const HAS_ROOM = { approved: true, reason: 'The budget has room again.' };

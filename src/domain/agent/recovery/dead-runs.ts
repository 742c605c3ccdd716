import { COMPLETION_TOOL } from '../../../contract/tool-names.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { changeByEnvironment, type FoundRow } from '../../by-environment.ts';
import type { SomeServices } from '../../context.ts';
import { publishConversationChange, publishLifecycleChange } from '../../conversations/publish-change.ts';
import { runEvents } from '../../events/lifecycle.ts';
import { NO_LEASE } from '../../leases/lease-sql.ts';
import { TOKEN_COLUMNS, tokensOf } from '../../usage/token-columns.ts';
import { deleteLiveText } from '../live/live-text-sql.ts';
import { addToUsage } from '../rows/count-usage.ts';
import { QUEUED_RUNS, RETURNED } from '../rows/queue-sql.ts';
import { MOVED_RUN } from '../rows/run-moves.ts';

/** How many dead runs one transaction recovers. The locks of its conversations are held until its end. */
const BATCH = 50;

/**
 * The response time of a run whose process died. It is the difference of two clocks, so it is limited to the range of
 * its column.
 */
export function msBetween(from: Prisma.Sql, to: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`least(greatest(0, extract(epoch FROM ${to} - ${from}) * 1000), 2147483647)::int`;
}

const RESPONSE_TIME = msBetween(Prisma.sql`moved.accepted_at`, Prisma.sql`moved.updated_at`);

const COUNTED = addToUsage({
  model: Prisma.sql`moved.model`,
  turns: Prisma.sql`1`,
  failures: Prisma.sql`CASE WHEN moved.status = 'failed' THEN 1 ELSE 0 END`,
  tokens: (column) => Prisma.sql`moved.${column}`,
  responseTimeMs: RESPONSE_TIME,
});

/** What recovery works with: it sees every environment. */
export type RecoveryParts = SomeServices<'prisma' | 'pubSub' | 'log' | 'leases'>;

/**
 * Returns runs whose process died to the queue if another process can continue them, and settles the others:
 * `interrupted` if tool results were accepted or a client has asked to stop the run, otherwise `failed`. Any process can do it. It locks the
 * conversations first, so no two processes recover the same run. The next statements start after that and therefore see
 * everything that the dying process wrote.
 */
export async function recoverDeadRuns(parts: RecoveryParts, runs: readonly FoundRow[]): Promise<void> {
  await changeByEnvironment(runs, async (environmentId, runIds) => {
    for (let first = 0; first < runIds.length; first += BATCH) {
      await recoverBatch(parts, { environmentId, runIds: runIds.slice(first, first + BATCH) });
    }
    return runIds.length;
  });
}

/** Runs of one environment. */
interface DeadRuns {
  readonly environmentId: string;
  readonly runIds: string[];
}

async function recoverBatch(
  { stores: { prisma, pubSub, leases }, process: { log } }: RecoveryParts,
  dead: DeadRuns,
): Promise<void> {
  const { environmentId } = dead;
  const { returned, settled } = await inTransaction(prisma, async (tx) => {
    const isDead = isDeadIn(dead, await lockConversations(tx, dead), leases.expired());
    return {
      returned: await returnRuns(tx, isDead),
      settled: await settleRuns(tx, isDead, dead.runIds.length),
    };
  });
  if (returned.length > 0) pubSub.publish(QUEUED_RUNS);
  for (const { id, conversation_id } of returned) {
    log.warn({ run_id: id, conversation_id }, 'returned a run whose process died to the queue');
    publishConversationChange(pubSub, environmentId, conversation_id);
  }
  for (const { id, conversation_id, status } of settled) {
    log.warn({ run_id: id, conversation_id, run_status: status }, 'settled a run whose process died');
    publishLifecycleChange(pubSub, environmentId, conversation_id);
  }
}

async function lockConversations(tx: Prisma.TransactionClient, { environmentId, runIds }: DeadRuns): Promise<string[]> {
  const locked = await tx.$queryRaw<{ id: string }[]>`
    SELECT c.id FROM conversation c JOIN run r ON r.conversation_id = c.id AND r.environment_id = c.environment_id
    WHERE r.environment_id = ${environmentId}::uuid AND r.id = ANY (${runIds}::uuid[]) AND r.status = 'running'
    ORDER BY c.id
    FOR NO KEY UPDATE OF c SKIP LOCKED`;
  return locked.map(({ id }) => id);
}

/** The condition that a run is still dead, and that this process has locked its conversation. */
function isDeadIn({ environmentId, runIds }: DeadRuns, conversationIds: string[], expired: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`run.environment_id = ${environmentId}::uuid AND run.id = ANY (${runIds}::uuid[])
        AND run.conversation_id = ANY (${conversationIds}::uuid[]) AND run.status = 'running' AND ${expired}`;
}

interface ReturnedRun {
  id: string;
  conversation_id: string;
}

interface SettledRun extends ReturnedRun {
  status: string;
}

/** A run that a client asked to stop is settled instead. */
function returnRuns(tx: Prisma.TransactionClient, isDead: Prisma.Sql): Promise<ReturnedRun[]> {
  return tx.$queryRaw<ReturnedRun[]>`
    WITH moved AS (
      UPDATE run SET ${RETURNED}, attempts_left = run.attempts_left - 1
      WHERE ${isDead} AND attempts_left > 0 AND NOT interrupted
      RETURNING ${MOVED_RUN}
    ), ${deleteLiveText()}
    SELECT id, conversation_id FROM moved`;
}

function settleRuns(tx: Prisma.TransactionClient, isDead: Prisma.Sql, atMost: number): Promise<SettledRun[]> {
  return tx.$queryRaw<SettledRun[]>`
    WITH moved AS (
      UPDATE run
      SET status = CASE WHEN results_accepted OR interrupted THEN 'interrupted' ELSE 'failed' END::run_status,
          error_code = CASE WHEN NOT interrupted THEN 'process_lost' END,
          finish_reason = CASE WHEN interrupted THEN 'stopped' END, ${NO_LEASE}, updated_at = now()
      WHERE ${isDead}
      RETURNING *
    ), ${runEvents('moved', null, {}, atMost)}, ${deleteLiveText()}, stopped AS (
      UPDATE timeline_item
      SET status = (CASE WHEN timeline_item.status = 'pending' THEN 'cancelled'
                         WHEN name = ${COMPLETION_TOOL} AND kind = 'tool' THEN 'not_completed'
                         ELSE 'failed' END)::call_status,
          revision = next_revision()
      FROM moved WHERE timeline_item.run_id = moved.id AND timeline_item.environment_id = moved.environment_id AND timeline_item.status IN ('running', 'pending')
    ), touched AS (
      UPDATE conversation SET updated_at = moved.updated_at, ${COUNTED}
      FROM moved
      WHERE conversation.id = moved.conversation_id AND conversation.environment_id = moved.environment_id
    ), log AS (
      INSERT INTO workflow_log (environment_id, workflow_id, workflow_version, deployment_id, conversation_id, run_id,
                                step, request_id, outcome, error_code, model, ${TOKEN_COLUMNS},
                                response_time_ms, counted, created_at)
      SELECT moved.environment_id, d.workflow_id, moved.workflow_version, d.id, moved.conversation_id, moved.id,
             moved.step, moved.request_id, moved.status::text::workflow_log_outcome, moved.error_code, moved.model,
             ${tokensOf('moved')},
             ${RESPONSE_TIME}, true, moved.updated_at
      FROM moved
      JOIN conversation c ON c.id = moved.conversation_id AND c.environment_id = moved.environment_id
      JOIN deployment d ON d.id = c.deployment_id
      RETURNING id, conversation_id, environment_id
    ), shown AS (
      UPDATE trigger SET workflow_log_id = log.id
      FROM log
      WHERE trigger.conversation_id = log.conversation_id AND trigger.environment_id = log.environment_id
        AND trigger.workflow_log_id IS NULL
    )
    SELECT id, conversation_id, status::text AS status FROM moved`;
}

import { COMPLETION_TOOL } from '../../contract/tool-names.ts';
import type { Prisma, PrismaClient } from '../../db/generated/client.ts';
import type { Live } from '../../db/live.ts';
import type { Log } from '../context.ts';
import { conversationMoved } from '../conversations/moved.ts';

/** Dead runs settled by one statement. */
const BATCH = 50;

/** What recovery works with: it sees every environment. */
export interface RecoveryParts {
  readonly prisma: PrismaClient;
  readonly live: Live;
  readonly log: Log;
}

/** The embedded database has one process: at its start, whatever runs there has died. */
export async function abandonLeases(prisma: PrismaClient): Promise<void> {
  await prisma.$executeRaw`UPDATE run SET lease_expires_at = to_timestamp(0) WHERE status = 'running'`;
  await prisma.$executeRaw`UPDATE queued_turn SET lease_expires_at = to_timestamp(0)`;
}

/**
 * Settles runs whose process died: `interrupted` where tool results were accepted, else `failed` (WIRE 7). Any process
 * may do it. The conversations' locks, taken first as everywhere, keep two from doing it at once; what a dying process
 * still wrote is seen because the settling statement begins after they are held.
 */
export async function recoverDeadRuns({ prisma, live, log }: RecoveryParts): Promise<void> {
  const [dead] = await prisma.$queryRaw<object[]>`
    SELECT 1 FROM run WHERE status = 'running' AND lease_expires_at < now() LIMIT 1`;
  if (!dead) return;
  const settled = await prisma.$transaction(async (tx) => settleDead(tx, await lockDead(tx)));
  for (const { id, environment_id, conversation_id, status } of settled) {
    log.warn({ run_id: id, conversation_id, run_status: status }, 'settled a run whose process died');
    conversationMoved(live, environment_id, conversation_id);
  }
}

async function lockDead(tx: Prisma.TransactionClient): Promise<string[]> {
  const locked = await tx.$queryRaw<{ id: string }[]>`
    SELECT c.id FROM conversation c JOIN run r ON r.conversation_id = c.id
    WHERE r.status = 'running' AND r.lease_expires_at < now()
    ORDER BY c.id LIMIT ${BATCH}
    FOR NO KEY UPDATE OF c SKIP LOCKED`;
  return locked.map(({ id }) => id);
}

interface SettledRun {
  id: string;
  environment_id: string;
  conversation_id: string;
  status: string;
}

function settleDead(tx: Prisma.TransactionClient, conversationIds: readonly string[]): Promise<SettledRun[]> {
  return tx.$queryRaw<SettledRun[]>`
    WITH moved AS (
      UPDATE run
      SET status = CASE WHEN results_accepted THEN 'interrupted' ELSE 'failed' END::run_status,
          error_code = 'process_lost', lease_owner = NULL, lease_expires_at = NULL, updated_at = now()
      WHERE conversation_id = ANY (${[...conversationIds]}::uuid[]) AND status = 'running' AND lease_expires_at < now()
      RETURNING *
    ), stopped AS (
      UPDATE timeline_item
      SET status = (CASE WHEN timeline_item.status = 'pending' THEN 'cancelled'
                         WHEN name = ${COMPLETION_TOOL} AND kind = 'tool' THEN 'not_completed'
                         ELSE 'failed' END)::call_status,
          revision = nextval('timeline_revision')
      FROM moved WHERE timeline_item.run_id = moved.id AND timeline_item.status IN ('running', 'pending')
    ), touched AS (
      UPDATE conversation SET updated_at = moved.updated_at FROM moved WHERE conversation.id = moved.conversation_id
    ), log AS (
      INSERT INTO workflow_log (environment_id, workflow_id, workflow_version, deployment_id, conversation_id, run_id,
                                step, request_id, outcome, error_code, model, input_tokens, output_tokens,
                                response_time_ms, created_at)
      SELECT moved.environment_id, d.workflow_id, moved.workflow_version, d.id, moved.conversation_id, moved.id,
             moved.step, moved.request_id, moved.status::text::workflow_log_outcome, moved.error_code, moved.model,
             moved.input_tokens, moved.output_tokens,
             greatest(0, extract(epoch FROM moved.updated_at - moved.created_at) * 1000)::int, moved.updated_at
      FROM moved JOIN conversation c ON c.id = moved.conversation_id JOIN deployment d ON d.id = c.deployment_id
      RETURNING id, conversation_id
    ), shown AS (
      UPDATE trigger SET workflow_log_id = log.id
      FROM log WHERE trigger.conversation_id = log.conversation_id AND trigger.workflow_log_id IS NULL
    )
    SELECT id, environment_id, conversation_id, status::text AS status FROM moved`;
}

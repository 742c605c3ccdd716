import { Prisma } from '../../db/generated/client.ts';
import { conversationMoved } from '../conversations/moved.ts';
import type { RecoveryParts } from './recovery.ts';

/** Messages settled by one statement. */
const BATCH = 50;

/** Of `q`: its process died, and nobody waits before it whose turn still comes, so that the order of messages is kept. */
const ORPHANED = Prisma.sql`q.lease_expires_at < now() AND NOT EXISTS (
      SELECT 1 FROM queued_turn earlier
      WHERE earlier.conversation_id = q.conversation_id AND earlier.position < q.position
        AND earlier.lease_expires_at >= now())`;

/**
 * Keeps messages that waited for their turn in a process that died: each becomes a `failed` run with its message in the
 * timeline, as if the process had died once the turn had begun (WIRE 7). One that a conversation no longer takes,
 * because it was completed meanwhile, becomes the run alone. Any process may do it.
 */
export async function keepOrphans({ prisma, live, log }: RecoveryParts): Promise<void> {
  const [orphan] = await prisma.$queryRaw<object[]>`
    SELECT 1 FROM queued_turn q WHERE ${ORPHANED} LIMIT 1`;
  if (!orphan) return;
  const kept = await prisma.$transaction(async (tx) => keep(tx, await lockConversations(tx)));
  for (const { id, environment_id, conversation_id } of kept) {
    log.warn({ run_id: id, conversation_id }, 'kept a message whose process died before its turn came');
    conversationMoved(live, environment_id, conversation_id);
  }
}

async function lockConversations(tx: Prisma.TransactionClient): Promise<string[]> {
  const locked = await tx.$queryRaw<{ id: string }[]>`
    SELECT c.id FROM conversation c
    WHERE c.id IN (SELECT q.conversation_id FROM queued_turn q WHERE ${ORPHANED})
    ORDER BY c.id LIMIT ${BATCH}
    FOR NO KEY UPDATE SKIP LOCKED`;
  return locked.map(({ id }) => id);
}

function keep(tx: Prisma.TransactionClient, conversationIds: readonly string[]) {
  return tx.$queryRaw<{ id: string; environment_id: string; conversation_id: string }[]>`
    WITH orphan AS (
      DELETE FROM queued_turn q
      WHERE q.conversation_id = ANY (${[...conversationIds]}::uuid[]) AND ${ORPHANED}
      RETURNING *
    ), kept AS (
      INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, model, error_code,
                       request_id, created_at, updated_at)
      SELECT run_id, environment_id, conversation_id, workflow_version, agent, 'failed', model, 'process_lost',
             request_id, created_at, now()
      FROM orphan ORDER BY position
      RETURNING *
    ), message AS (
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, revision,
                                 created_at)
      SELECT o.environment_id, o.conversation_id, o.run_id, 'message', 0, 'user', o.content,
             nextval('timeline_revision'), now()
      FROM orphan o JOIN conversation c ON c.id = o.conversation_id
      WHERE c.status = 'active'
      ORDER BY o.position
      RETURNING conversation_id
    ), touched AS (
      UPDATE conversation SET updated_at = now(), message_count = message_count + told.messages,
        latest_run_id = CASE WHEN told.busy THEN latest_run_id ELSE told.latest END
      FROM (
        SELECT o.conversation_id, (array_agg(o.run_id ORDER BY o.position DESC))[1] AS latest,
               (SELECT count(*) FROM message m WHERE m.conversation_id = o.conversation_id) AS messages,
               EXISTS (SELECT 1 FROM run r WHERE r.conversation_id = o.conversation_id
                         AND r.status IN ('running', 'waiting_for_client_action')) AS busy
        FROM orphan o GROUP BY o.conversation_id
      ) told
      WHERE conversation.id = told.conversation_id AND conversation.status = 'active'
    ), log AS (
      INSERT INTO workflow_log (environment_id, workflow_id, workflow_version, deployment_id, conversation_id, run_id,
                                step, request_id, outcome, error_code, model, input_tokens, output_tokens,
                                response_time_ms, created_at)
      SELECT k.environment_id, d.workflow_id, k.workflow_version, d.id, k.conversation_id, k.id, 0, k.request_id,
             'failed', k.error_code, k.model, 0, 0,
             greatest(0, extract(epoch FROM k.updated_at - k.created_at) * 1000)::int, k.updated_at
      FROM kept k JOIN conversation c ON c.id = k.conversation_id JOIN deployment d ON d.id = c.deployment_id
    )
    SELECT id, environment_id, conversation_id FROM kept`;
}

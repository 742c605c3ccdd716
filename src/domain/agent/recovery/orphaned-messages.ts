import { NO_USAGE } from '../../../contract/token-usage.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { changeByEnvironment, type FoundRow } from '../../by-environment.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { runEvents } from '../../events/lifecycle.ts';
import { TOKEN_COLUMNS, tokenValues } from '../../usage/token-columns.ts';
import { addToUsage } from '../rows/count-usage.ts';
import { QUEUED_RUNS } from '../rows/queue-sql.ts';
import { msBetween, type RecoveryParts } from './dead-runs.ts';

/** How many messages one statement settles. */
const BATCH = 50;

/**
 * Stores messages whose process died while they waited for their turn. If another process can continue the turn, its run
 * starts in the queue of runs as soon as all earlier turns have ended. Each other message becomes a `failed` run with its
 * message in the timeline, as if the process had died after the turn had started. A message for a person only gets its place. If the conversation was
 * completed meanwhile, only the run is stored. Any process can do it.
 */
export async function storeOrphanedMessages(parts: RecoveryParts, messages: readonly FoundRow[]): Promise<void> {
  await changeByEnvironment(messages, async (environmentId, runIds) => {
    const stored = await storeOfEnvironment(parts, { environmentId, runIds });
    return stored.length;
  });
}

/** Messages of one environment, by the IDs of their runs. */
interface Waiting {
  readonly environmentId: string;
  readonly runIds: string[];
}

async function storeOfEnvironment(
  { stores: { prisma, pubSub, leases }, process: { log } }: RecoveryParts,
  waiting: Waiting,
): Promise<StoredMessage[]> {
  const orphaned = isOrphaned(waiting, leases.expired(Prisma.sql`q.lease_expires_at`));
  const stored = await inTransaction(prisma, async (tx) =>
    storeMessages(tx, waiting, await lockConversations(tx, waiting, orphaned), orphaned),
  );
  if (stored.some(({ status }) => status === 'running')) pubSub.publish(QUEUED_RUNS);
  for (const { id, conversation_id, status } of stored) {
    log.warn({ run_id: id, conversation_id, run_status: status }, 'kept a message whose process died before its turn');
    publishLifecycleChange(pubSub, waiting.environmentId, conversation_id);
  }
  return stored;
}

/**
 * The condition that the process of `q` died and that no earlier message waits in a live process. Messages keep their
 * order. A turn that can be continued starts only when no earlier turn waits or runs. A message for a person starts no turn.
 */
function isOrphaned({ environmentId, runIds }: Waiting, expired: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`q.environment_id = ${environmentId}::uuid AND q.run_id = ANY (${runIds}::uuid[]) AND ${expired}
    AND NOT EXISTS (
      SELECT 1 FROM queued_turn earlier
      WHERE earlier.conversation_id = q.conversation_id AND earlier.environment_id = q.environment_id
        AND earlier.position < q.position
        AND (q.attempts_left > 0 OR earlier.attempts_left > 0 OR earlier.run_id <> ALL (${runIds}::uuid[])))
    AND (q.attempts_left = 0 OR EXISTS (
      SELECT 1 FROM conversation handled WHERE handled.id = q.conversation_id AND handled.environment_id = q.environment_id
        AND handled.handling <> 'assistant') OR NOT EXISTS (
      SELECT 1 FROM run WHERE run.conversation_id = q.conversation_id AND run.environment_id = q.environment_id
        AND run.status IN ('running', 'waiting_for_client_action')))`;
}

async function lockConversations(
  tx: Prisma.TransactionClient,
  { environmentId }: Waiting,
  orphaned: Prisma.Sql,
): Promise<string[]> {
  const locked = await tx.$queryRaw<{ id: string }[]>`
    SELECT c.id FROM conversation c
    WHERE c.environment_id = ${environmentId}::uuid
      AND c.id IN (SELECT q.conversation_id FROM queued_turn q WHERE ${orphaned})
    ORDER BY c.id LIMIT ${BATCH}
    FOR NO KEY UPDATE SKIP LOCKED`;
  return locked.map(({ id }) => id);
}

interface StoredMessage {
  id: string;
  conversation_id: string;
  status: string;
}

/** Keeps the uploaded files of these messages, like `recordUses` does for others. */
const USED_FILES = Prisma.sql`named_files AS (
      SELECT DISTINCT message.conversation_id, file.id, file.environment_id
      FROM message, jsonb_array_elements(message.content) AS part (value)
      JOIN file ON part.value ->> 'fileUri' = 'parley:' || file.id
      WHERE file.environment_id = message.environment_id AND file.status = 'ready'
    ), new_uses AS (
      INSERT INTO file_use (environment_id, file_id, conversation_id)
      SELECT environment_id, id, conversation_id FROM named_files ON CONFLICT DO NOTHING
    ), first_uses AS (
      UPDATE file SET used_at = coalesce(file.used_at, now()) FROM named_files
      WHERE file.id = named_files.id AND file.environment_id = named_files.environment_id
    )`;

/** Adds the runs in `failed` to the usage, if there are any. They have no tokens. */
const COUNTED = addToUsage({
  model: Prisma.sql`CASE failed.turns WHEN 0 THEN conversation.usage_model ELSE failed.model END`,
  turns: Prisma.sql`failed.turns`,
  failures: Prisma.sql`failed.turns`,
  tokens: () => Prisma.sql`0`,
  responseTimeMs: Prisma.sql`failed.response_time_ms`,
});

function storeMessages(
  tx: Prisma.TransactionClient,
  { runIds }: Waiting,
  conversationIds: string[],
  orphaned: Prisma.Sql,
): Promise<StoredMessage[]> {
  return tx.$queryRaw<StoredMessage[]>`
    WITH orphan AS (
      DELETE FROM queued_turn q
      WHERE q.conversation_id = ANY (${conversationIds}::uuid[]) AND ${orphaned}
      RETURNING *
    ), new_run AS (
      INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, model, error_code,
                       attempts_left, background, share_key, tools, history_limit, request_id, handled_by, accepted_at, created_at, updated_at)
      SELECT o.run_id, o.environment_id, o.conversation_id, o.workflow_version, o.agent,
             (CASE WHEN handled_by IS NOT NULL THEN 'completed' WHEN continues THEN 'running' ELSE 'failed' END)::run_status, o.model,
             CASE WHEN handled_by IS NULL AND NOT continues THEN 'process_lost' END, greatest(0, o.attempts_left - 1), o.background, o.share_key, o.tools,
             o.history_limit, o.request_id, handled_by, o.created_at, o.created_at, now()
      FROM orphan o JOIN conversation c ON c.id = o.conversation_id AND c.environment_id = o.environment_id,
           LATERAL (SELECT o.attempts_left > 0 AND c.status = 'active' AS continues,
                           CASE WHEN c.status = 'active' AND c.handling <> 'assistant' THEN c.handling END AS handled_by) AS recovery
      ORDER BY o.position
      RETURNING *
    ), ${runEvents('new_run', null, {}, runIds.length)}, message AS (
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, revision,
                                 created_at)
      SELECT o.environment_id, o.conversation_id, o.run_id, 'message', 0, 'user', o.content,
             next_revision(), now()
      FROM orphan o JOIN conversation c ON c.id = o.conversation_id AND c.environment_id = o.environment_id
      WHERE c.status = 'active'
      ORDER BY o.position
      RETURNING conversation_id, environment_id, content
    ), ${USED_FILES}, touched AS (
      UPDATE conversation SET updated_at = CASE WHEN is_active THEN now() ELSE conversation.updated_at END,
        message_count = message_count + summary.messages,
        latest_run_id = CASE WHEN is_active AND NOT summary.busy THEN summary.latest ELSE latest_run_id END, ${COUNTED}
      FROM (
        SELECT o.conversation_id, o.environment_id, (array_agg(o.run_id ORDER BY o.position DESC))[1] AS latest,
               EXISTS (SELECT 1 FROM conversation c WHERE c.id = o.conversation_id AND c.environment_id = o.environment_id
                         AND c.status = 'active') AS is_active,
               (SELECT count(*) FROM message m WHERE m.conversation_id = o.conversation_id) AS messages,
               EXISTS (SELECT 1 FROM run r WHERE r.conversation_id = o.conversation_id AND r.environment_id = o.environment_id
                         AND r.status IN ('running', 'waiting_for_client_action')) AS busy
        FROM orphan o GROUP BY o.conversation_id, o.environment_id
      ) summary, LATERAL (
        SELECT count(*)::int AS turns, CASE WHEN min(k.model) = max(k.model) THEN min(k.model) END AS model,
               max(${msBetween(Prisma.sql`k.created_at`, Prisma.sql`k.updated_at`)}) AS response_time_ms
        FROM new_run k WHERE k.conversation_id = summary.conversation_id AND k.status = 'failed'
      ) failed
      WHERE conversation.id = summary.conversation_id AND conversation.environment_id = summary.environment_id
        AND (is_active OR failed.turns > 0)
    ), log AS (
      INSERT INTO workflow_log (environment_id, workflow_id, workflow_version, deployment_id, conversation_id, run_id,
                                step, request_id, outcome, error_code, model, ${TOKEN_COLUMNS},
                                response_time_ms, counted, created_at)
      SELECT k.environment_id, d.workflow_id, k.workflow_version, d.id, k.conversation_id, k.id, 0, k.request_id,
             'failed', k.error_code, k.model, ${tokenValues(NO_USAGE)},
             ${msBetween(Prisma.sql`k.created_at`, Prisma.sql`k.updated_at`)}, true, k.updated_at
      FROM new_run k JOIN conversation c ON c.id = k.conversation_id AND c.environment_id = k.environment_id
      JOIN deployment d ON d.id = c.deployment_id
      WHERE k.status = 'failed'
    )
    SELECT id, conversation_id, status::text AS status FROM new_run`;
}

import { Prisma } from '../../db/generated/client.ts';
import type { Transaction } from '../../db/transaction.ts';
import { eraseConversations } from '../conversations/erase.ts';
import { removeFilesOf } from '../files/remove.ts';

/** Limits: rows that one transaction of a sweep deletes. */
const CONVERSATIONS = 50;
const TRIGGERS = 500;
const WORKFLOW_LOGS = 1_000;

/** The workflow log has no content, and usage reports need it. 13 months allow a comparison with the year before. */
export const LOG_DAYS = 400;

/** The number of deleted rows of one transaction. */
export interface Swept {
  readonly conversations: number;
  readonly triggers: number;
  readonly workflowLogs: number;
  /** No expired rows are left, except rows that other transactions have locked. */
  readonly done: boolean;
}

/** Deletes one batch of the rows that are older than `days` in an environment. */
export async function sweepSome(tx: Transaction, environmentId: string, days: number): Promise<Swept> {
  const conversations = await oldConversations(tx, environmentId, days);
  if (conversations.length > 0) await eraseConversations(tx, environmentId, conversations);
  const oldTriggers = await tx.$queryRaw<{ id: string }[]>`
    SELECT t.id FROM trigger t
    WHERE t.environment_id = ${environmentId}::uuid AND t.expires_at < ${before(days)}
      AND NOT EXISTS (SELECT 1 FROM conversation c WHERE c.id = t.conversation_id AND c.environment_id = t.environment_id)
    LIMIT ${TRIGGERS} FOR UPDATE SKIP LOCKED`;
  const triggerIds = oldTriggers.map(({ id }) => id);
  if (triggerIds.length > 0) await removeFilesOf(tx, environmentId, { triggers: triggerIds });
  const triggers =
    await tx.$executeRaw`DELETE FROM trigger WHERE environment_id = ${environmentId}::uuid AND id = ANY (${triggerIds}::text[])`;
  const workflowLogs = await tx.$executeRaw`
    DELETE FROM workflow_log WHERE environment_id = ${environmentId}::uuid AND id IN (
      SELECT id FROM workflow_log
      WHERE environment_id = ${environmentId}::uuid AND created_at < ${before(Math.max(days, LOG_DAYS))}
        AND conversation_id IS NULL
      ORDER BY created_at, id LIMIT ${WORKFLOW_LOGS} FOR UPDATE SKIP LOCKED)`;
  const done = conversations.length < CONVERSATIONS && triggers < TRIGGERS && workflowLogs < WORKFLOW_LOGS;
  return { conversations: conversations.length, triggers, workflowLogs, done };
}

/**
 * Locks old conversations. A turn starts under the same lock and updates `updated_at`. So a conversation with a new turn is
 * not selected, and a turn on a selected conversation gets 404. A paused conversation is as old as its last turn.
 */
async function oldConversations(tx: Transaction, environmentId: string, days: number): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT c.id FROM conversation c
    WHERE c.environment_id = ${environmentId}::uuid AND c.updated_at < ${before(days)}
      AND NOT EXISTS (SELECT 1 FROM run r WHERE r.conversation_id = c.id AND r.environment_id = c.environment_id AND r.status = 'running')
    ORDER BY c.updated_at, c.id LIMIT ${CONVERSATIONS} FOR UPDATE OF c SKIP LOCKED`;
  return rows.map(({ id }) => id);
}

function before(days: number): Prisma.Sql {
  return Prisma.sql`now() - make_interval(days => ${days}::int)`;
}

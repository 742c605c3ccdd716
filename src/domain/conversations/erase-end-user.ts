import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { ERASE_END_USER } from '../../shapes/end-users.ts';
import { rulesOf } from '../../shapes/field.ts';
import { endUserTopic } from '../access/caller-ends.ts';
import { endUserDigest } from '../access/end-user-digest.ts';
import { endTokens } from '../access/end-users/end-user-tokens.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { expireUploads } from '../files/remove.ts';
import { parseInput } from '../input.ts';
import { eraseConversations } from './erase.ts';
import { publishLifecycleChange } from './publish-change.ts';

/** Limit: conversations per transaction, so that no transaction holds locks for long. */
const BATCH = 50;

/** What an erasure has deleted, and whether anything is left. */
export interface Erasure {
  readonly tokens: number;
  readonly conversations: number;
  /** False if more conversations are left than one call deletes, or if a turn is running in one. */
  readonly isComplete: boolean;
}

/**
 * Deletes all data of an end user: their tokens, budgets and unused uploads, then their conversations, in batches. Without a token they can start
 * nothing new. Conversations with a running turn are left for the next call. Repeating it continues, and changes nothing
 * at the end. Every call writes a receipt to the audit log.
 * @throws {ServiceError} invalid_request
 */
export async function eraseEndUser(ctx: Context, input: Readonly<Record<string, unknown>>): Promise<Erasure> {
  const { endUser } = parseInput(z.object(rulesOf(ERASE_END_USER.fields)), input);
  const subjectId = endUserDigest(ctx.services, ctx.environment, endUser);
  const tokens = await inTransaction(ctx.db, async (tx) => {
    await expireUploads(tx, ctx.environment.id, subjectId);
    await tx.budget.deleteMany({ where: { endUser } });
    return endTokens(ctx, tx, endUser);
  });
  ctx.services.stores.pubSub.publish(endUserTopic(ctx.environment.id, endUser));
  let conversations = 0;
  while (conversations < LIMITS.erasedConversations) {
    const erased = await eraseBatch(ctx, endUser);
    conversations += erased;
    if (erased < BATCH) break;
  }
  const left = await ctx.db.conversation.count({ where: { endUser }, take: 1 });
  const erasure = { tokens, conversations, isComplete: left === 0 };
  const details = { tokens, conversations, is_complete: erasure.isComplete };
  await ctx.db.$executeRaw(insertAuditEntry(ctx, { action: 'end_user.erased', subjectId, details, at: ctx.now() }));
  return erasure;
}

async function eraseBatch(ctx: Context, endUser: string): Promise<number> {
  const ids = await inTransaction(ctx.db, async (tx) => {
    const idle = await lockIdle(ctx, tx, endUser);
    if (idle.length > 0) await eraseConversations(tx, ctx.environment.id, idle);
    return idle;
  });
  for (const id of ids) publishLifecycleChange(ctx.services.stores.pubSub, ctx.environment.id, id);
  return ids.length;
}

/** Locks conversations of the end user that have no running turn. Turns start and end under this lock. */
async function lockIdle({ environment }: Context, tx: Transaction, endUser: string): Promise<string[]> {
  const locked = await tx.$queryRaw<{ id: string }[]>`
    SELECT c.id FROM conversation c
    WHERE c.environment_id = ${environment.id}::uuid AND c.end_user = ${endUser} AND NOT EXISTS (
      SELECT FROM run r WHERE r.conversation_id = c.id AND r.environment_id = c.environment_id AND r.status = 'running' OFFSET 0)
    ORDER BY c.id LIMIT ${BATCH} FOR UPDATE OF c SKIP LOCKED`;
  const ids = locked.map(({ id }) => id);
  // A turn can have started between the snapshot and the lock.
  const running = await tx.run.findMany({
    where: { conversationId: { in: ids }, status: 'running' },
    select: { conversationId: true },
  });
  const busy = new Set(running.map(({ conversationId }) => conversationId));
  return ids.filter((id) => !busy.has(id));
}

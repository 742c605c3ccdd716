import { Prisma } from '../../../db/generated/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { EnvironmentRef } from '../../caller.ts';
import type { Context, Services } from '../../context.ts';
import { handlingMembers } from '../../conversations/assignment/filter.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { changeHandling } from '../../handling/change-handling.ts';
import type { HandlingFacts } from '../../handling/handling-state.ts';
import { serviceContext } from '../rows/service-context.ts';
import { lockHandling } from './holder.ts';
import { answerOwed } from './owed-answers.ts';

/** How many conversations one sweep handles. */
const BATCH = 100;

/**
 * Handles conversations whose person left without handing them back, and those for which nobody came in time, by the clock of
 * the database. The first wait for another person. The others return to the assistant, or keep waiting.
 */
export async function expireHandling(services: Services): Promise<void> {
  await endLostHolds(services);
  const due = await services.stores.sql.rows<EnvironmentRef & { readonly conversationId: string }>`
    SELECT c.id AS "conversationId", e.id, e.kind::text AS kind, e.workspace_id AS "workspaceId"
    FROM conversation c JOIN environment e ON e.id = c.environment_id
    WHERE c.handling_until <= now()
    ORDER BY c.handling_until LIMIT ${BATCH}`;
  for (const { conversationId, ...environment } of due) {
    try {
      await expire(serviceContext(services, environment), conversationId);
    } catch (error) {
      // The next sweep tries again. The other conversations must not wait for that.
      services.process.log.error({ err: error, conversation_id: conversationId }, 'a hand-over cannot expire');
    }
  }
}

/**
 * Ends the leases of people who can no longer handle conversations: members who left or got another role, and keys that were
 * revoked or have expired. Only a person with the scope could hand these conversations back.
 */
async function endLostHolds({ stores: { sql } }: Services): Promise<void> {
  const lost = await sql.rows<{ environmentId: string; id: string; holderId: string }>`
    SELECT c.environment_id AS "environmentId", c.id, c.holder_id AS "holderId"
    FROM conversation c JOIN environment e ON e.id = c.environment_id
    WHERE c.handling <> 'assistant' AND c.handling = 'member' AND c.handling_until > now() AND NOT EXISTS (
      SELECT ${handlingMembers(Prisma.sql`e.workspace_id`)} AND m.user_id::text = c.holder_id
    ) AND NOT EXISTS (
      SELECT FROM api_key k WHERE k.environment_id = c.environment_id AND k.id = c.holder_id AND k.revoked_at IS NULL
        AND (k.expires_at IS NULL OR k.expires_at > now()) AND 'conversations:handle' = ANY (k.scopes)
    ) LIMIT ${BATCH}`;
  for (const { environmentId, id, holderId } of lost) {
    await sql.rows`
      UPDATE conversation SET handling_until = now(), updated_at = updated_at
      WHERE id = ${id}::uuid AND environment_id = ${environmentId}::uuid AND handling = 'member' AND holder_id = ${holderId}`;
  }
}

async function expire(ctx: Context, conversationId: string): Promise<void> {
  const changed = await inTransaction(ctx.db, async (tx) => {
    const { facts, handling } = await lockHandling(ctx, tx, conversationId);
    if (!facts) return [];
    const statement =
      handling === 'member' ? waitAgain(ctx, conversationId, facts) : endWait(ctx, conversationId, facts);
    return tx.$queryRaw<object[]>(statement);
  });
  if (changed.length === 0) return;
  publishLifecycleChange(ctx.services.stores.pubSub, ctx.environment.id, conversationId);
  await answerOwed(ctx, conversationId);
}

const IS_DUE = Prisma.sql`handling_until <= now()`;

function waitAgain(
  ctx: Context,
  conversationId: string,
  { holder, holdMinutes, waitedSince, ...facts }: HandlingFacts,
): Prisma.Sql {
  const { reason, urgency, waitMinutes } = facts;
  const cause = 'lease_expired';
  const item = { mode: 'waiting', cause, reason, urgency, ...(holder && { author: holder }) } as const;
  return changeHandling(ctx, conversationId, { facts: { ...facts, cause }, minutes: waitMinutes, item }, IS_DUE);
}

function endWait(ctx: Context, conversationId: string, { onExpiry }: HandlingFacts): Prisma.Sql {
  if (onExpiry === 'keep') {
    return Prisma.sql`
      UPDATE conversation SET handling_until = NULL, updated_at = updated_at
      WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid AND ${IS_DUE}
      RETURNING id`;
  }
  const item = { mode: 'assistant', cause: 'wait_expired' } as const;
  return changeHandling(ctx, conversationId, { facts: null, minutes: null, owesAnswer: true, item }, IS_DUE);
}

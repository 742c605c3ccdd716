import { z } from 'zod';
import { LIMITS } from '../../../contract/limits.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { TAKE_OVER } from '../../../shapes/conversations.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { insertAuditEntry } from '../../audit/append.ts';
import type { Context } from '../../context.ts';
import { configOf } from '../../conversations/conversation-version.ts';
import { publishConversationChange, publishLifecycleChange } from '../../conversations/publish-change.ts';
import { changeHandling, untilAfter } from '../../handling/change-handling.ts';
import { handlingConflict } from '../../handling/handling-conflict.ts';
import { type Author, type HandlingFacts, personIdOf } from '../../handling/handling-state.ts';
import { parseInput } from '../../input.ts';
import { requestInterruption } from '../../interruptions.ts';
import type { WorkflowConfig } from '../../workflows/config.ts';
import { conversationCompleted } from '../accept/judge-resume.ts';
import { markInterrupted } from '../rows/run-moves.ts';
import { stopRunningTurn } from '../settle/stop-turn.ts';
import { callerAsAuthor, displayNameRule, type LockedHandling, lockHandling } from './holder.ts';

const { force, running, holdMinutes } = TAKE_OVER.fields;

const takeOverInput = z.object({ ...rulesOf({ force, running, holdMinutes }), displayName: displayNameRule });

/**
 * Makes the caller the person who answers in a conversation. Messages of its user start no turn from then on. Only one person
 * has it; the same one takes it again to renew the lease. A running turn is stopped unless the caller waits for it.
 * @throws {ServiceError} not_found, invalid_request, forbidden, conversation_completed; handling_conflict if another person has it
 */
export async function takeOver(
  ctx: Context,
  { conversationId, ...input }: { readonly conversationId: string } & object,
): Promise<void> {
  const { displayName, ...taking } = parseInput(takeOverInput, input);
  const { pubSub } = ctx.services.stores;
  // Before the transaction: the embedded database has one connection.
  const rules = await configOf(ctx, conversationId);
  const isTaken = await inTransaction(ctx.db, async (tx) => {
    const locked = await lockHandling(ctx, tx, conversationId);
    const holder = callerAsAuthor(ctx, displayName ?? ownName(ctx, locked));
    const minutes = taking.holdMinutes ?? LIMITS.defaultHoldMinutes;
    if (locked.status === 'completed') throw conversationCompleted({ id: conversationId, ...locked });
    if (locked.holderId === holder.id) {
      await renewHold(ctx, tx, conversationId, { ...factsOf(locked, rules), holder, holdMinutes: minutes });
      return false;
    }
    if (locked.isHeld && !taking.force) throw handlingConflict(HELD, locked);
    await take(ctx, tx, conversationId, { locked, facts: factsOf(locked, rules), holder, minutes });
    // Now, so that the turn stops even if this process dies before the next statement.
    if (taking.running !== 'wait') await tx.$executeRaw(markInterrupted(ctx.environment.id, conversationId));
    return true;
  });
  (isTaken ? publishLifecycleChange : publishConversationChange)(pubSub, ctx.environment.id, conversationId);
  if (!isTaken || taking.running === 'wait') return;
  requestInterruption(pubSub);
  await stopRunningTurn(ctx, conversationId);
}

const HELD = 'Another person has this conversation. Take it with force, or wait until they hand it back.';

interface Taking {
  readonly locked: LockedHandling;
  readonly facts: HandlingFacts;
  readonly holder: Author;
  readonly minutes: number;
}

async function take(
  ctx: Context,
  tx: Transaction,
  conversationId: string,
  { locked, facts: before, holder, minutes }: Taking,
) {
  const { handling, since } = locked;
  const waited = handling === 'waiting' && since ? { waitedSince: since.toISOString() } : {};
  const facts = { ...before, ...waited, holder, holdMinutes: minutes };
  const item = { mode: 'member', cause: 'person', author: holder } as const;
  await tx.$queryRaw(changeHandling(ctx, conversationId, { facts, minutes, item }, Prisma.sql`true`));
  if (!locked.isHeld) return;
  const details = { from: locked.holderId, to: holder.id };
  const entry = { action: 'conversation.taken_by_force', subjectId: conversationId, details, at: ctx.now() } as const;
  await tx.$executeRaw(insertAuditEntry(ctx, entry));
}

/** Renews the lease of the person who has the conversation. */
export function renewHold(ctx: Context, tx: Transaction, conversationId: string, facts: HandlingFacts) {
  return tx.$executeRaw`
    UPDATE conversation SET handling_until = ${untilAfter(facts.holdMinutes ?? LIMITS.defaultHoldMinutes)},
      handling_facts = ${JSON.stringify(facts)}::jsonb, updated_at = updated_at
    WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid`;
}

/** The name under which the caller has the conversation already. */
function ownName({ caller }: Context, { facts, holderId }: LockedHandling): string | undefined {
  return holderId !== null && personIdOf(caller) === holderId ? facts?.holder?.displayName : undefined;
}

/** If the person leaves a conversation that did not wait for one, it waits for another person as its workflow says. */
function factsOf({ facts }: LockedHandling, rules: WorkflowConfig | undefined): HandlingFacts {
  return (
    facts ?? {
      reason: null,
      urgency: 'normal',
      cause: 'person',
      waitMinutes: rules?.handOverWaitMinutes ?? LIMITS.defaultHandOverWaitMinutes,
      onExpiry: rules?.handOverExpiry ?? 'return',
    }
  );
}

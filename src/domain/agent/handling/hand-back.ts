import { z } from 'zod';
import { Prisma } from '../../../db/generated/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { HAND_BACK } from '../../../shapes/conversations.ts';
import { rulesOf } from '../../../shapes/field.ts';
import type { Context } from '../../context.ts';
import { publishLifecycleChange } from '../../conversations/publish-change.ts';
import { changeHandling } from '../../handling/change-handling.ts';
import { handlingConflict } from '../../handling/handling-conflict.ts';
import { parseInput } from '../../input.ts';
import { callerAsAuthor, lockHandling, OF_A_TEAM } from './holder.ts';
import { answerOwed } from './owed-answers.ts';

const { summary, instructions, answer } = HAND_BACK.fields;

const handBackInput = z.object(rulesOf({ summary, instructions, answer }));

/**
 * Returns a conversation to the assistant, which answers the messages that nobody has answered, unless `answer` is false.
 * Does nothing if the assistant has it already.
 * @throws {ServiceError} not_found, invalid_request, forbidden; handling_conflict if another person has it
 */
export async function handBack(
  ctx: Context,
  { conversationId, ...input }: { readonly conversationId: string } & object,
): Promise<void> {
  const given = parseInput(handBackInput, input);
  // The name that users know is that of the take-over. Another person keeps theirs to themselves.
  const author = callerAsAuthor(ctx, OF_A_TEAM);
  const owesAnswer = given.answer ?? true;
  const isReturned = await inTransaction(ctx.db, async (tx) => {
    const locked = await lockHandling(ctx, tx, conversationId);
    if (locked.handling === 'assistant') return false;
    if (locked.isHeld && locked.holderId !== author.id) throw handlingConflict(HELD, locked);
    const item = {
      mode: 'assistant',
      cause: 'person',
      author: locked.facts?.holder?.id === author.id ? locked.facts.holder : author,
      summary: given.summary?.trim() || null,
      instructions: given.instructions?.trim() || null,
    } as const;
    await tx.$queryRaw(
      changeHandling(ctx, conversationId, { facts: null, minutes: null, owesAnswer, item }, Prisma.sql`true`),
    );
    return true;
  });
  if (!isReturned) return;
  publishLifecycleChange(ctx.services.stores.pubSub, ctx.environment.id, conversationId);
  if (owesAnswer) await answerOwed(ctx, conversationId);
}

const HELD = 'Another person has this conversation. Take it over with force, then hand it back.';

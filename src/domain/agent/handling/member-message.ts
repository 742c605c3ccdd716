import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { recordEffect } from '../../access/claimed-effect.ts';
import type { Context } from '../../context.ts';
import { publishConversationChange } from '../../conversations/publish-change.ts';
import { fileIdsOf, recordUses, requireUsableFiles } from '../../files/use.ts';
import { handlingConflict } from '../../handling/handling-conflict.ts';
import type { Author, HandlingFacts } from '../../handling/handling-state.ts';
import { parseInput } from '../../input.ts';
import { contentInput } from '../../message-content.ts';
import { conversationCompleted } from '../accept/judge-resume.ts';
import { callerAsAuthor, type LockedHandling, lockHandling } from './holder.ts';
import { renewHold } from './take-over.ts';

const memberMessage = z.object({ content: contentInput });

/** A stored message, as an idempotency key keeps it. */
interface RecordedMessage {
  readonly conversationId: string;
  readonly itemId: string;
}

/**
 * Stores a message of the person who has the conversation, as a message of the assistant with its author. Returns its ID.
 * @throws {ServiceError} not_found, invalid_request, forbidden, conversation_completed, run_in_progress; handling_conflict unless
 * the caller has the conversation
 */
export async function sendAsMember(
  ctx: Context,
  { conversationId, ...input }: { readonly conversationId: string } & object,
): Promise<bigint> {
  const recorded = ctx.request.claim?.effect as RecordedMessage | null | undefined;
  if (recorded) return BigInt(recorded.itemId);
  const { content } = parseInput(memberMessage, input);
  await requireUsableFiles(ctx, { content, conversationId });
  const { itemId, waitedSince } = await inTransaction(ctx.db, async (tx) => {
    const locked = await lockHandling(ctx, tx, conversationId);
    const { holder, waitedSince: since, ...facts } = requireHeld(ctx, conversationId, locked);
    await requireNoTurn(tx, conversationId);
    await renewHold(ctx, tx, conversationId, { ...facts, holder });
    const storedId = await store(ctx, tx, {
      conversationId,
      content,
      author: holder,
      waitedSince: since,
      runId: locked.latestRunId,
    });
    await recordEffect(tx, ctx.request.claim, { conversationId, itemId: String(storedId) } satisfies RecordedMessage);
    return { itemId: storedId, waitedSince: since };
  });
  if (waitedSince) ctx.services.process.observer.personAnswered(ctx.now().getTime() - Date.parse(waitedSince));
  // It also wakes those who follow who types.
  publishConversationChange(ctx.services.stores.pubSub, ctx.environment.id, conversationId);
  return itemId;
}

/** Requires that the caller has the conversation. */
function requireHeld(
  ctx: Context,
  conversationId: string,
  locked: LockedHandling,
): HandlingFacts & { readonly holder: Author } {
  const caller = callerAsAuthor(ctx);
  if (locked.status === 'completed') throw conversationCompleted({ id: conversationId, ...locked });
  const { facts } = locked;
  if (facts?.holder && locked.holderId === caller.id) return { ...facts, holder: facts.holder };
  throw handlingConflict(locked.handling === 'member' ? HELD : NOT_TAKEN, locked);
}

const HELD = 'Another person has this conversation. Take it over with force before you write in it.';
const NOT_TAKEN = 'You do not have this conversation. Take it over before you write in it.';

/** The text that a running turn keeps must not come after the message. */
export async function requireNoTurn(tx: Pick<Transaction, 'run'>, conversationId: string): Promise<void> {
  const running = await tx.run.findFirst({ where: { conversationId, status: 'running' }, select: { id: true } });
  if (!running) return;
  const message =
    'A turn of the assistant is still running. Wait until it has ended, or take the conversation over with STOP.';
  throw new ServiceError('run_in_progress', message, { facts: { run_id: running.id } });
}

interface NewMessage {
  readonly conversationId: string;
  readonly content: z.output<typeof contentInput>;
  readonly author: Author;
  /** Since when the conversation had waited. Only of the first message of the person who came. */
  readonly waitedSince: string | undefined;
  readonly runId: string | null;
}

async function store(
  ctx: Context,
  tx: Transaction,
  { conversationId, content, author, waitedSince, runId }: NewMessage,
): Promise<bigint> {
  const uses = recordUses(ctx, fileIdsOf(content), 'conversation_id', {
    from: 'message',
    id: Prisma.sql`(SELECT conversation_id FROM message)`,
  });
  const [message] = await tx.$queryRaw<{ id: bigint }[]>`
    WITH message AS (
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, author, waited_since, revision,
                                 created_at)
      VALUES (${ctx.environment.id}::uuid, ${conversationId}::uuid, ${runId}::uuid, 'message', 0, 'assistant',
              ${JSON.stringify(content)}::jsonb, ${JSON.stringify(author)}::jsonb, ${waitedSince ?? null}::timestamptz, next_revision(), now())
      RETURNING id, conversation_id
    )${uses}, touched AS (
      UPDATE conversation SET message_count = message_count + 1, updated_at = now()
      WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid
    ), written AS (
      UPDATE conversation_presence SET typing_until = NULL
      WHERE conversation_id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid AND person = ${author.id}
    )
    SELECT id FROM message`;
  if (!message) throw new Error('an inserted message has no row');
  return message.id;
}

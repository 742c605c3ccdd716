import type { MessageContent } from '../../../contract/content.ts';
import { ServiceError } from '../../../contract/errors.ts';
import type { MessageRole } from '../../../contract/statuses.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Context } from '../../context.ts';
import { itemNumber, messageNotFound } from '../../conversations/item-id.ts';
import { IS_ACTIVE, type PriorEffects } from '../../conversations/timeline.ts';

/** A stored message, for changes of the line. */
export interface LineMessage {
  readonly id: bigint;
  readonly role: MessageRole;
  readonly runId: string;
  readonly content: MessageContent;
  readonly supersededBy: bigint | null;
  /** Identifies the items that were replaced together with it. */
  readonly supersededIn: bigint | null;
  /** The first message of its place. Null: it was never edited. */
  readonly variantOf: bigint | null;
  readonly priorEffects: PriorEffects | null;
}

/** Reads a message of a conversation that fulfills a condition: the last one. */
export async function readMessage(
  ctx: Context,
  conversationId: string,
  condition: Prisma.Sql,
): Promise<LineMessage | undefined> {
  const [message] = await ctx.sql.rows<LineMessage>`
    SELECT id, role::text AS role, run_id AS "runId", content, superseded_by AS "supersededBy",
           superseded_in AS "supersededIn", variant_of AS "variantOf", prior_effects AS "priorEffects"
    FROM timeline_item
    WHERE environment_id = ${ctx.environment.id}::uuid AND conversation_id = ${conversationId}::uuid
      AND kind = 'message' AND ${condition}
    ORDER BY id DESC LIMIT 1`;
  return message;
}

/** The last message of the user in the active line. @throws {ServiceError} not_found */
export async function lastUserMessage(ctx: Context, conversationId: string): Promise<LineMessage> {
  const message = await readMessage(ctx, conversationId, Prisma.sql`role = 'user' AND ${IS_ACTIVE}`);
  if (message) return message;
  throw new ServiceError('not_found', 'There is no message in this conversation yet. Send one.');
}

/** @throws {ServiceError} not_found */
export async function findMessage(ctx: Context, conversationId: string, messageId: string): Promise<LineMessage> {
  const number = itemNumber(messageId);
  const message =
    number === undefined ? undefined : await readMessage(ctx, conversationId, Prisma.sql`id = ${number}::int8`);
  if (message) return message;
  throw messageNotFound();
}

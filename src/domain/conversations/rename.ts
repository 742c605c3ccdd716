import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { countRequest, RATE_LIMITS } from '../access/rate-limits.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { publishConversationChange } from './publish-change.ts';
import { conversationNotFound, findConversation } from './reads.ts';
import { visibleName } from './title.ts';

const renaming = z.object({
  name: z
    .string()
    .max(LIMITS.conversationNameLength, `must have at most ${LIMITS.conversationNameLength} characters`)
    .transform((text) => visibleName(text) ?? '')
    .refine((text) => text !== '', 'must not be blank: it needs a visible character'),
});

/**
 * Names a conversation in place of the name that the service gave it. White space is folded, and control, bidi and invisible
 * characters are removed. It is no activity: the conversation keeps its place in lists.
 * @throws {ServiceError} not_found, invalid_request, rate_limited
 */
export async function renameConversation(ctx: Context, conversationId: string, input: object): Promise<void> {
  const { caller, services, request } = ctx;
  if (caller.kind === 'anonymous') {
    await countRequest(services.rateLimiter, RATE_LIMITS.conversationReads, conversationId, request.reportLimit);
  }
  await findConversation(ctx, { conversationId }, { select: { id: true } });
  const { name } = parseInput(renaming, input);
  const { count } = await ctx.db.conversation.updateMany({ where: { id: conversationId }, data: { name } });
  if (count === 0) throw conversationNotFound();
  publishConversationChange(services.pubSub, ctx.environment.id, conversationId);
}

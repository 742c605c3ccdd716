import { ServiceError } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import { IS_ACTIVE } from '../../conversations/timeline.ts';

/**
 * Requires that no person has written after an item of the active line: what a person wrote to a user is not replaced.
 * @throws {ServiceError} invalid_request
 */
export async function requireNoPersonAfter(ctx: Context, conversationId: string, itemId: bigint, param: string) {
  const [written] = await ctx.sql.rows`
    SELECT FROM timeline_item
    WHERE conversation_id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid AND kind = 'message'
      AND author IS NOT NULL AND ${IS_ACTIVE} AND id > ${itemId} LIMIT 1`;
  if (!written) return;
  const message =
    'A person has answered after {param}, and such an answer cannot be replaced. Send a new message, or fork the conversation before it.';
  throw new ServiceError('invalid_request', message, { param: [param] });
}

import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { RATING_VALUES, type RatingValue } from '../../contract/statuses.ts';
import type { TimelineItem } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { RATE_MESSAGE } from '../../shapes/conversations.ts';
import { countRequest, RATE_LIMITS } from '../access/rate-limits.ts';
import type { Context } from '../context.ts';
import { handOverToPerson } from '../handling/hand-over.ts';
import { parseInput } from '../input.ts';
import { rowKey } from '../row-key.ts';
import type { WorkflowConfig } from '../workflows/config.ts';
import { configOf } from './conversation-version.ts';
import { itemNumber, messageNotFound } from './item-id.ts';
import { publishConversationChange, publishLifecycleChange } from './publish-change.ts';
import { conversationNotFound } from './reads.ts';
import { touchConversation } from './touch.ts';

/** A user's opinion of a reply. */
export interface Rating {
  readonly value: RatingValue;
  readonly comment: string | null;
  readonly ratedAt: Date;
}

interface RatingInput {
  readonly conversationId: string;
  /** A number, or the ID of the history item. */
  readonly messageId: string;
  /** Null removes the rating. */
  readonly rating?: RatingValue | null | undefined;
  readonly comment?: string | null | undefined;
}

const ratingInput = z
  .object({
    rating: z.custom<RatingValue | null>(
      (value) => value === null || RATING_VALUES.includes(value as RatingValue),
      'is required: send null to remove the rating',
    ),
    comment: RATE_MESSAGE.fields.comment.rule,
  })
  .refine(({ rating, comment }) => rating !== null || !comment?.trim(), {
    path: ['comment'],
    message: 'needs a rating: leave it out to remove the rating',
  });

/**
 * Rates a reply of the assistant, or removes its rating. The last rating of a message replaces earlier ones. Repeating it
 * changes nothing but its time.
 * @throws {ServiceError} invalid_request, not_found, rate_limited
 */
export async function rateMessage(
  ctx: Context,
  { conversationId, messageId, ...input }: RatingInput,
): Promise<TimelineItem> {
  const { caller, services, request, environment } = ctx;
  if (caller.kind === 'anonymous') {
    await countRequest(services.stores.rateLimiter, RATE_LIMITS.anonymousRatings, conversationId, request.reportLimit);
  }
  const { rating, comment } = parseInput(ratingInput, input);
  const data = rating
    ? { rating, ratingComment: comment?.trim() || null, ratedAt: ctx.now() }
    : { rating: null, ratingComment: null, ratedAt: null };
  // Before the transaction: the embedded database has one connection.
  const rules = rating === 'down' ? await waitRules(ctx, conversationId) : undefined;
  const message = await inTransaction(ctx.db, async (tx) => {
    if (!(await touchConversation(ctx, tx, conversationId))) throw conversationNotFound();
    const { id, role, rating: before } = await findMessage(tx, conversationId, messageId);
    if (role !== 'assistant') {
      throw new ServiceError('invalid_request', '{param} must be the ID of a reply: only replies can be rated.', {
        param: ['messageId'],
      });
    }
    // The same rating again is no new reason.
    if (rules && before !== 'down') await tx.$queryRaw(handOverToPerson(ctx, conversationId, rules, RATED_DOWN));
    return tx.timelineItem.update({ where: rowKey(environment, id), data });
  });
  const publish = rules ? publishLifecycleChange : publishConversationChange;
  publish(services.stores.pubSub, environment.id, conversationId);
  return message;
}

const RATED_DOWN = { cause: 'rating', reason: null, urgency: 'normal' } as const;

/** How the conversation waits for a person after a bad rating. Undefined: it does not. */
async function waitRules(ctx: Context, conversationId: string): Promise<WorkflowConfig | undefined> {
  // Replies can be rated after their deployment was unpublished.
  const config = await configOf(ctx, conversationId);
  return config?.handOverAfterBadRating ? config : undefined;
}

async function findMessage(tx: Transaction, conversationId: string, messageId: string): Promise<TimelineItem> {
  const number = itemNumber(messageId);
  const message =
    number === undefined
      ? null
      : await tx.timelineItem.findFirst({ where: { id: number, conversationId, kind: 'message' } });
  if (message) return message;
  throw messageNotFound();
}

/** The rating of a message. Null: it has no rating. */
export function ratingOf({ rating, ratingComment, ratedAt }: TimelineItem): Rating | null {
  // A database constraint guarantees that a rating has a time.
  return rating && ratedAt ? { value: rating, comment: ratingComment, ratedAt } : null;
}

import { ServiceError } from '../../contract/errors.ts';
import type { Conversation, Prisma, TimelineItem } from '../../db/generated/client.ts';
import { type Keyset, type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { type NumberedPage, numberedPage, type PageNumber } from '../page.ts';

/** A conversation's timeline, oldest first. */
const TIMELINE: Keyset<TimelineItem> = {
  list: 'timeline',
  columns: [{ field: 'id', type: 'bigint' }],
  direction: 'asc',
};

/** Where a conversation is looked for: by its id alone, or in one deployment. */
export interface ConversationAddress {
  readonly conversationId: string;
  readonly deploymentId?: string | null | undefined;
}

/**
 * The conversation at this address, with what `select` names.
 * @throws {ServiceError} not_found
 */
export async function findConversation<Query extends object>(
  ctx: Context,
  { conversationId, deploymentId }: ConversationAddress,
  query: Query,
): Promise<Conversation> {
  const found = await ctx.db.conversation.findFirst({
    ...query,
    where: { id: conversationId, ...(deploymentId && { deploymentId }) },
  });
  if (!found) throw conversationNotFound();
  return found;
}

export function conversationNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no conversation with this id here. Check {param}.', {
    param: ['conversationId'],
  });
}

/** A page of a conversation's timeline: all kinds of item, or its messages alone. */
export function listTimeline(
  ctx: Context,
  conversationId: string,
  args: PageArgs,
  kind?: 'message',
  db: Transaction = ctx.db,
): Promise<KeysetPage<TimelineItem>> {
  const filter = timelineWhere(conversationId, kind);
  return keysetPage(TIMELINE, args, binding(ctx, [conversationId, kind ?? null]), {
    find: ({ where, orderBy, take }) =>
      db.timelineItem.findMany({ where: { AND: [filter, ...where.AND] }, orderBy, take }),
    count: () => ctx.db.timelineItem.count({ where: filter }),
  });
}

function timelineWhere(conversationId: string, kind?: 'message'): Prisma.TimelineItemWhereInput {
  return { conversationId, ...(kind && { kind }) };
}

/** Messages by page number (SPEC 4.3): page 1 holds the oldest. */
export function messagePage(
  ctx: Context,
  { id, messageCount }: Pick<Conversation, 'id' | 'messageCount'>,
  page: PageNumber,
): Promise<NumberedPage<TimelineItem>> {
  return numberedPage(page, {
    count: async () => messageCount,
    find: (range) =>
      ctx.db.timelineItem.findMany({ where: timelineWhere(id, 'message'), orderBy: { id: 'asc' }, ...range }),
  });
}

/** The tool calls of each of these runs, in order. */
export async function latestCalls(ctx: Context, runIds: readonly string[]): Promise<TimelineItem[][]> {
  const items = await ctx.db.timelineItem.findMany({
    where: { runId: { in: [...runIds] }, kind: { in: ['tool', 'action', 'client_tool'] } },
    orderBy: { id: 'asc' },
  });
  return runIds.map((runId) => items.filter((item) => item.runId === runId));
}

function binding(ctx: Context, filters: readonly unknown[]) {
  return { secret: ctx.services.secretKey, filters: [ctx.environment.id, ...filters] };
}

import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Conversation, Prisma, TimelineItem } from '../../db/generated/client.ts';
import { type Keyset, type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset.ts';
import type { Context } from '../context.ts';

/** Conversations by last activity, newest first (WIRE 5). */
const CONVERSATIONS: Keyset<Conversation> = {
  list: 'conversations',
  columns: [
    { field: 'updatedAt', type: 'date' },
    { field: 'id', type: 'string' },
  ],
  direction: 'desc',
};

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

export interface ConversationFilter {
  readonly deploymentId?: string | null | undefined;
}

/** A page of the environment's conversations; `fetch` may add what else it selects of them. */
export function listConversations(
  ctx: Context,
  args: PageArgs,
  { deploymentId }: ConversationFilter,
  select: object,
): Promise<KeysetPage<Conversation>> {
  const filter: Prisma.ConversationWhereInput = deploymentId ? { deploymentId } : {};
  return keysetPage(CONVERSATIONS, args, binding(ctx, [deploymentId ?? null]), {
    find: ({ where, orderBy, take }) =>
      ctx.db.conversation.findMany({ ...select, where: { AND: [filter, ...where.AND] }, orderBy, take }),
    count: () => ctx.db.conversation.count({ where: filter }),
  });
}

/** A page of a conversation's timeline: all kinds of item, or its messages alone. */
export function listTimeline(
  ctx: Context,
  conversationId: string,
  args: PageArgs,
  kind?: 'message',
): Promise<KeysetPage<TimelineItem>> {
  const filter = timelineWhere(conversationId, kind);
  return keysetPage(TIMELINE, args, binding(ctx, [conversationId, kind ?? null]), {
    find: ({ where, orderBy, take }) =>
      ctx.db.timelineItem.findMany({ where: { AND: [filter, ...where.AND] }, orderBy, take }),
    count: () => ctx.db.timelineItem.count({ where: filter }),
  });
}

function timelineWhere(conversationId: string, kind?: 'message'): Prisma.TimelineItemWhereInput {
  return { conversationId, ...(kind && { kind }) };
}

/** Numbered pages of messages (SPEC 4.3): page 1 holds the oldest. */
export interface MessagePage {
  readonly items: TimelineItem[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly hasMore: boolean;
}

export async function messagePage(
  ctx: Context,
  conversation: Pick<Conversation, 'id' | 'messageCount'>,
  { page, pageSize }: { readonly page: number; readonly pageSize: number },
): Promise<MessagePage> {
  requireWithin('page', page, LIMITS.page);
  requireWithin('pageSize', pageSize, LIMITS.pageSize);
  const skip = (page - 1) * pageSize;
  const total = conversation.messageCount;
  const items =
    skip >= total
      ? []
      : await ctx.db.timelineItem.findMany({
          where: timelineWhere(conversation.id, 'message'),
          orderBy: { id: 'asc' },
          skip,
          take: pageSize,
        });
  return { items, total, page, pageSize, hasMore: skip + items.length < total };
}

function requireWithin(param: string, value: number, most: number): void {
  if (value >= 1 && value <= most) return;
  throw new ServiceError('invalid_request', `{param} must be from 1 to ${most}.`, { param: [param] });
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

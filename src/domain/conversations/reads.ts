import { ServiceError } from '../../contract/errors.ts';
import type { TimelineBranch } from '../../contract/statuses.ts';
import type { Conversation, TimelineItem } from '../../db/generated/client.ts';
import type { Keyset } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { type NumberedPage, numberedPage, type PageNumber } from '../page.ts';
import { itemsOf, messagesOf } from '../related/lists.ts';
import { readCalls } from './rows.ts';

/** A conversation's timeline, oldest first. */
const TIMELINE: Keyset<TimelineItem> = {
  list: 'timeline',
  columns: [{ field: 'id', type: 'bigint' }],
  direction: 'asc',
};

/** Identifies a conversation by its ID, optionally within one deployment. */
export interface ConversationAddress {
  readonly conversationId: string;
  readonly deploymentId?: string | null | undefined;
}

/** Finds a conversation, with the fields that `select` names. @throws {ServiceError} not_found */
export async function findConversation<Query extends object>(
  ctx: Context,
  { conversationId, deploymentId }: ConversationAddress,
  query: Query,
): Promise<Conversation> {
  const conversation = await ctx.db.conversation.findFirst({
    ...query,
    where: { id: conversationId, ...(deploymentId && { deploymentId }) },
  });
  if (!conversation) throw conversationNotFound();
  return conversation;
}

export function conversationNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no conversation with this ID in this environment. Check {param}.', {
    param: ['conversationId'],
  });
}

/** Which items of a timeline a page has. */
export type SelectedItems = Parameters<typeof itemsOf>[0];

/** A page of a conversation's timeline, read in a transaction. */
export function listTimeline(
  ctx: Context,
  conversationId: string,
  args: PageArgs,
  { db, ...selected }: { readonly db: Transaction } & SelectedItems,
): Promise<KeysetPage<TimelineItem>> {
  const filter = { conversationId, ...itemsOf(selected)?.where };
  return keysetPage(TIMELINE, args, binding(ctx, [conversationId, null]), {
    find: ({ where, orderBy, take }) =>
      db.timelineItem.findMany({ where: { AND: [filter, ...where.AND] }, orderBy, take }),
    count: () => ctx.db.timelineItem.count({ where: filter }),
  });
}

/** Messages by page number, by default those of the active line. Page 1 contains the oldest. */
export function messagePage(
  ctx: Context,
  { id, messageCount }: Pick<Conversation, 'id' | 'messageCount'>,
  { branch, ...page }: PageNumber & { readonly branch?: TimelineBranch | null | undefined },
): Promise<NumberedPage<TimelineItem>> {
  const where = { conversationId: id, ...messagesOf(branch).where };
  return numberedPage(page, {
    count: async () => (branch === 'all' ? ctx.db.timelineItem.count({ where }) : messageCount),
    find: (range) =>
      ctx.db.timelineItem.findMany({
        where,
        orderBy: { id: 'asc' },
        ...range,
      }),
  });
}

/** The longest ID that a row can have. */
const ITEM_ID = /^\d{1,18}$/;

/** Finds the items of one kind with these IDs, in any order. Unknown and invalid IDs are left out. */
export async function findItems(
  ctx: Context,
  kind: TimelineItem['kind'],
  ids: readonly string[],
): Promise<TimelineItem[]> {
  const known = ids.filter((id) => ITEM_ID.test(id)).map(BigInt);
  return known.length === 0 ? [] : ctx.db.timelineItem.findMany({ where: { id: { in: known }, kind } });
}

/** The ID of the workflow of each of these conversations. Null if the conversation was deleted. */
export async function workflowsOf(ctx: Context, conversationIds: readonly string[]): Promise<(number | null)[]> {
  const rows = await ctx.db.conversation.findMany({
    where: { id: { in: [...new Set(conversationIds)] } },
    select: { id: true, deployment: { select: { workflowId: true } } },
  });
  const workflows = new Map(rows.map(({ id, deployment }) => [id, deployment.workflowId]));
  return conversationIds.map((id) => workflows.get(id) ?? null);
}

/** The ID of the deployment of each of these conversations. Null if the conversation was deleted. */
export async function deploymentsOf(ctx: Context, conversationIds: readonly string[]): Promise<(string | null)[]> {
  const rows = await ctx.db.conversation.findMany({
    where: { id: { in: [...new Set(conversationIds)] } },
    select: { id: true, deploymentId: true },
  });
  const deployments = new Map(rows.map(({ id, deploymentId }) => [id, deploymentId]));
  return conversationIds.map((id) => deployments.get(id) ?? null);
}

/** The tool calls of each of these runs, in order. */
export async function latestCalls(ctx: Context, runIds: readonly string[]): Promise<TimelineItem[][]> {
  const items = await readCalls(ctx, runIds);
  return runIds.map((runId) => items.filter((item) => item.runId === runId));
}

function binding(ctx: Context, filters: readonly unknown[]) {
  return { secret: ctx.services.settings.secretKey, filters: [ctx.environment.id, ...filters] };
}

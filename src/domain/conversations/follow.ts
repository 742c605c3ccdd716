import { CursorCodec } from '../../db/cursor.ts';
import type { TimelineItem } from '../../db/generated/client.ts';
import type { KeysetPage, PageArgs } from '../../db/keyset.ts';
import type { Transaction } from '../../db/transaction.ts';
import { Wakes } from '../../db/wakes.ts';
import type { Context } from '../context.ts';
import { type FollowedPage, followedPage } from '../events/followed-page.ts';
import { Follower } from '../events/follower.ts';
import { type ConversationAddress, conversationNotFound, listTimeline } from './reads.ts';

/** Items told at once. */
const BATCH = 100;

/** That something of a conversation has changed. */
export interface ConversationChange {
  readonly conversationId: string;
  /** Items that are new or have changed, as they are now, in the order of their changes. */
  readonly items: readonly TimelineItem[];
  /** Where the next follower goes on behind it. */
  readonly cursor: string;
}

/** A page of the timeline. */
export type TimelinePage = FollowedPage<KeysetPage<TimelineItem>>;

/**
 * Follows a conversation: at once what has changed behind `after`, then each change as it commits. Every item is told
 * with each of its changes, or with the last of several that came together. All of a conversation is written under its
 * row lock, so its items' revisions are in the order in which they commit. Without `after` it begins now.
 * @throws {ServiceError} not_found, also once the conversation is deleted; invalid_cursor
 */
export async function followConversation(
  ctx: Context,
  { after, ...address }: ConversationAddress & { readonly after?: string | null | undefined },
): Promise<AsyncIterableIterator<ConversationChange>> {
  const { conversationId } = address;
  const found = await ctx.db.conversation.findFirst({
    where: { id: conversationId, ...(address.deploymentId && { deploymentId: address.deploymentId }) },
    select: { id: true },
  });
  if (!found) throw conversationNotFound();
  const codec = codecOf(ctx, conversationId);
  let revision = after == null ? await lastRevision(ctx.db, conversationId) : decode(codec, after);
  let told: string | undefined;
  return new Follower(new Wakes(ctx.services.live, conversationId), async () => {
    const [state] = await ctx.services.sql.rows<{ xid: string }>`
      SELECT xid::text AS xid FROM conversation
      WHERE id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid`;
    if (!state) throw conversationNotFound();
    const items = await ctx.db.timelineItem.findMany({
      where: { conversationId, revision: { gt: revision } },
      orderBy: { revision: 'asc' },
      take: BATCH,
    });
    if (items.length === 0 && state.xid === told) return { items: [], heldBack: false };
    told = state.xid;
    revision = items.at(-1)?.revision ?? revision;
    const change = { conversationId, items, cursor: codec.encode([String(revision)]) };
    return { items: [change], heldBack: false };
  });
}

/** A page of the timeline. With `following`, what follows from its cursor is exactly what it did not see. */
export function timelinePage(
  ctx: Context,
  conversationId: string,
  args: PageArgs,
  { following }: { readonly following: boolean },
): Promise<TimelinePage> {
  const readPage = (db: Transaction) => listTimeline(ctx, conversationId, args, undefined, db);
  return followedPage(ctx, following, readPage, async (tx) =>
    codecOf(ctx, conversationId).encode([String(await lastRevision(tx, conversationId))]),
  );
}

async function lastRevision(db: Transaction, conversationId: string): Promise<bigint> {
  const { _max } = await db.timelineItem.aggregate({ where: { conversationId }, _max: { revision: true } });
  return _max.revision ?? 0n;
}

function codecOf({ services, environment }: Context, conversationId: string): CursorCodec {
  return new CursorCodec(services.secretKey, ['conversation', environment.id, conversationId]);
}

function decode(codec: CursorCodec, after: string): bigint {
  return BigInt(codec.decode(after, 'after')[0] ?? 0);
}

import type { HistoryInclude } from '../../contract/statuses.ts';
import type { CursorCodec } from '../../db/cursor.ts';
import type { TimelineItem } from '../../db/generated/client.ts';
import type { KeysetPage, PageArgs } from '../../db/keyset-page.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { type FollowablePage, readFollowablePage } from '../events/followable-page.ts';
import { Follower, type Subscribe } from '../events/follower.ts';
import { conversationCursors } from './conversation-cursors.ts';
import { type ConversationChange, type ConversationPlace, ConversationTail } from './conversation-tail.ts';
import { type ConversationAddress, conversationNotFound, listTimeline, type SelectedItems } from './reads.ts';

/** A page of the timeline. */
export type TimelinePage = FollowablePage<KeysetPage<TimelineItem>>;

/** Which conversation to follow, and from where. */
interface FollowedConversation extends ConversationAddress {
  readonly after?: string | null | undefined;
  /** Items that the feed only has on request. */
  readonly include?: readonly HistoryInclude[] | null | undefined;
}

/**
 * Follows a conversation: first the changes after the cursor `after`, then each change as it commits. It reports every
 * item with each change, or with the last of several combined changes. All writes happen under the conversation's lock,
 * so revisions are in commit order. Without `after` it starts now.
 * @throws {ServiceError} not_found, later too, when the conversation is deleted; invalid_cursor
 */
export async function followConversation(
  ctx: Context,
  { after, include, ...address }: FollowedConversation,
): Promise<AsyncIterableIterator<ConversationChange>> {
  const { conversationId } = address;
  const conversation = await ctx.db.conversation.findFirst({
    where: { id: conversationId, ...(address.deploymentId && { deploymentId: address.deploymentId }) },
    select: { id: true },
  });
  if (!conversation) throw conversationNotFound();
  const revision =
    after == null
      ? await lastRevision(ctx.db, conversationId)
      : decode(conversationCursors(ctx, conversationId), after);
  const { services, environment, db, sql } = ctx;
  const hasHandling = include?.includes('handling') ?? false;
  const key = ['conversation', environment.id, conversationId, ...(hasHandling ? ['handling'] : [])];
  // Subscribers with the same items share a tail, and the result of each change.
  const { tail, subscribe } = services.stores.tails.get(key, () => {
    const codec = conversationCursors({ services, environment }, conversationId);
    const source = { conversationId, environmentId: environment.id, db, sql, hasHandling };
    return new ConversationTail(services.stores.pubSub, source, codec, revision);
  });
  return follow(tail, subscribe, revision);
}

function follow(tail: ConversationTail, subscribe: Subscribe, from: bigint): AsyncIterableIterator<ConversationChange> {
  let place: ConversationPlace = { revision: from, xid: undefined };
  return new Follower(subscribe, async () => {
    // The first message contains the current state.
    if (place.xid === undefined) await tail.refresh();
    const next = await tail.read(place);
    if (!next) return [];
    place = next.place;
    return [next.change];
  });
}

/**
 * A page of the timeline. With `following`, a subscription from its cursor reports exactly the changes after this page.
 */
export function timelinePage(
  ctx: Context,
  conversationId: string,
  args: PageArgs,
  { following, ...selected }: { readonly following: boolean } & SelectedItems,
): Promise<TimelinePage> {
  const readPage = (db: Transaction) => listTimeline(ctx, conversationId, args, { db, ...selected });
  return readFollowablePage(ctx, following, readPage, async (tx) =>
    conversationCursors(ctx, conversationId).encode([String(await lastRevision(tx, conversationId))]),
  );
}

async function lastRevision(db: Transaction, conversationId: string): Promise<bigint> {
  const { _max } = await db.timelineItem.aggregate({ where: { conversationId }, _max: { revision: true } });
  return _max.revision ?? 0n;
}

function decode(codec: CursorCodec, after: string): bigint {
  return BigInt(codec.decodeOfFeed(after)[0] ?? 0);
}

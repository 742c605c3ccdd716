import { CursorCodec } from '../../db/cursor.ts';
import type { TimelineItem } from '../../db/generated/client.ts';
import type { KeysetPage, PageArgs } from '../../db/keyset.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { type FollowedPage, followedPage } from '../events/followed-page.ts';
import { Follower, type Join } from '../events/follower.ts';
import { type ConversationChange, type ConversationPlace, ConversationTail } from './conversation-tail.ts';
import { type ConversationAddress, conversationNotFound, listTimeline } from './reads.ts';

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
  const revision =
    after == null ? await lastRevision(ctx.db, conversationId) : decode(codecOf(ctx, conversationId), after);
  const { services, environment, db } = ctx;
  const { tail, join } = services.tails.of(['conversation', environment.id, conversationId], () => {
    const codec = codecOf({ services, environment }, conversationId);
    const source = { conversationId, environmentId: environment.id, db, sql: services.sql };
    return new ConversationTail(services.live, source, codec, revision);
  });
  return follow(tail, join, revision);
}

function follow(tail: ConversationTail, join: Join, from: bigint): AsyncIterableIterator<ConversationChange> {
  let place: ConversationPlace = { revision: from, xid: undefined };
  return new Follower(join, async () => {
    // What it is told first is how the conversation is now.
    if (place.xid === undefined) await tail.fresh();
    const next = await tail.read(place);
    if (!next) return [];
    place = next.place;
    return [next.change];
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

function codecOf(
  { services, environment }: Pick<Context, 'services' | 'environment'>,
  conversationId: string,
): CursorCodec {
  return new CursorCodec(services.secretKey, ['conversation', environment.id, conversationId]);
}

function decode(codec: CursorCodec, after: string): bigint {
  return BigInt(codec.decode(after, 'after')[0] ?? 0);
}

import type { ConversationStatus } from '../../contract/statuses.ts';
import { CursorCodec } from '../../db/cursor.ts';
import { type Conversation, Prisma } from '../../db/generated/client.ts';
import type { KeysetPage, PageArgs } from '../../db/keyset.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { followTail } from '../events/follow.ts';
import { type FollowedPage, followedPage } from '../events/followed-page.ts';
import type { Join } from '../events/follower.ts';
import { LogTail } from '../events/log-tail.ts';
import { type OrderedBatch, type OrderedRow, readInOrder } from '../events/order.ts';
import { type LogPosition, type PositionCodec, positionCodecOf, positionOfSnapshot } from '../events/position.ts';
import { currentSnapshot } from '../events/reads.ts';
import { type ConversationFilter, listConversations } from './list.ts';
import { conversationsTopic } from './moved.ts';

/** Which conversations a follower is told of. */
export interface MovedFilter {
  readonly deploymentId?: string | null | undefined;
  readonly status?: ConversationStatus | null | undefined;
}

/** A conversation of a list that has changed, or is new. */
export interface MovedConversation {
  readonly conversationId: string;
  /** Where the next follower goes on behind it. */
  readonly cursor: string;
}

/** A page of the list. */
export type ConversationListPage = FollowedPage<KeysetPage<Conversation>>;

interface MovedRow extends OrderedRow {
  readonly id: string;
}

/**
 * Follows the conversations of the environment, or of a deployment: those that have changed behind `after`, then each as
 * its change commits. One that changes several times before it is told is told once. Without `after` it begins now.
 * @throws {ServiceError} invalid_cursor
 */
export async function followConversations(
  ctx: Context,
  { after, ...filter }: MovedFilter & { readonly after?: string | null | undefined },
): Promise<AsyncIterableIterator<MovedConversation>> {
  const position = after == null ? positionOfSnapshot(await currentSnapshot(ctx.db)) : listCodec(ctx).decode(after);
  const { tail, join } = movedTail(ctx, position, filter);
  return followTail(tail, join, position, after != null);
}

/** The end of an environment's conversations in the order in which they change, as a filter shows them. */
export function movedTail(
  { services, environment }: Context,
  from: LogPosition,
  { deploymentId = null, status = null }: MovedFilter,
): { tail: LogTail<MovedRow, MovedConversation>; join: Join } {
  return services.tails.of(['conversations', environment.id, deploymentId, status], () => {
    const codec = listCodec({ services, environment });
    return new LogTail<MovedRow, MovedConversation>(services.live, [conversationsTopic(environment.id)], from, {
      read: (position) => readMoved({ services, environment }, position, { deploymentId, status }),
      tell: (row, position) => ({ conversationId: row.id, cursor: codec.encode(position) }),
    });
  });
}

/** The next conversations that have changed behind a position. */
function readMoved(
  ctx: Pick<Context, 'services' | 'environment'>,
  from: LogPosition,
  { deploymentId, status }: MovedFilter,
): Promise<OrderedBatch<MovedRow>> {
  // One that is completed had been active: whoever lists those is told that it is to be dropped.
  const completed = status === 'completed' ? Prisma.sql` AND status = 'completed'` : Prisma.empty;
  const ofDeployment = deploymentId ? Prisma.sql` AND deployment_id = ${deploymentId}::uuid` : Prisma.empty;
  return readInOrder<MovedRow>(ctx, from, {
    table: 'conversation',
    columns: Prisma.empty,
    where: Prisma.sql`environment_id = ${ctx.environment.id}::uuid${ofDeployment}${completed}`,
    idType: 'uuid',
  });
}

/** A page of the list. With `following`, what follows from its cursor is exactly what it did not see. */
export function conversationListPage(
  ctx: Context,
  args: PageArgs,
  filter: ConversationFilter,
  query: object,
  { following }: { readonly following: boolean },
): Promise<ConversationListPage> {
  const readPage = (db: Transaction) => listConversations(ctx, args, filter, query, db);
  return followedPage(ctx, following, readPage, async (tx) =>
    listCodec(ctx).encode(positionOfSnapshot(await currentSnapshot(tx))),
  );
}

/** One for all filters: what a list shows of the environment does not change where a follower is. */
function listCodec({ services, environment }: Pick<Context, 'services' | 'environment'>): PositionCodec {
  return positionCodecOf(new CursorCodec(services.secretKey, ['conversations followed', environment.id]));
}

import type { ConversationStatus } from '../../contract/statuses.ts';
import { CursorCodec } from '../../db/cursor.ts';
import { type Conversation, Prisma } from '../../db/generated/client.ts';
import type { KeysetPage, PageArgs } from '../../db/keyset-page.ts';
import type { Transaction } from '../../db/transaction.ts';
import { conversationInReach, type Reach, reachOf } from '../access/reach.ts';
import type { Context } from '../context.ts';
import { followTail } from '../events/follow.ts';
import { type FollowablePage, readFollowablePage } from '../events/followable-page.ts';
import type { Subscribe } from '../events/follower.ts';
import { LogTail } from '../events/log-tail.ts';
import { type OrderedBatch, type OrderedRow, readInOrder } from '../events/order.ts';
import { type LogPosition, type PositionCodec, positionCodecOf } from '../events/position.ts';
import { currentPosition } from '../events/reads.ts';
import type { ConversationFilter, ConversationOrder, ParsedFilter } from './filter.ts';
import { listConversations } from './list.ts';
import { matchesAmong } from './positions.ts';
import { conversationsTopic } from './publish-change.ts';
import { parseSearch } from './search.ts';

/** The conversations that a tail reads. */
interface MovedFilter {
  readonly deploymentId?: string | null | undefined;
  readonly status?: ConversationStatus | null | undefined;
}

/** A new or changed conversation of a list. */
export interface MovedConversation {
  readonly conversationId: string;
  /** The cursor for a later subscription that continues here. */
  readonly cursor: string;
  /** Whether the conversation matches the filter now. Undefined: the filter has nothing that can change. */
  readonly matches?: boolean;
}

/** What a subscription to the list reports. */
interface FollowedList {
  readonly filter?: ConversationFilter | null | undefined;
  readonly after?: string | null | undefined;
  /** Whether each change says if its conversation matches. */
  readonly withMatches: boolean;
}

/** A page of the list. */
export type ConversationListPage = FollowablePage<KeysetPage<Conversation>>;

interface MovedRow extends OrderedRow {
  readonly id: string;
}

/**
 * Follows the conversations of the environment or of a deployment: those that changed after the cursor `after`, then
 * each change as it commits. Several changes of one conversation can be combined. Without `after` it starts now.
 * Conversations that do not match the filter are reported too: the subscriber can have them in its list.
 * @throws {ServiceError} as `parseSearch`; invalid_cursor
 */
export async function followConversations(
  ctx: Context,
  { filter, after, withMatches }: FollowedList,
): Promise<AsyncIterableIterator<MovedConversation>> {
  const parsed = await parseSearch(ctx, filter ?? {});
  const position = after == null ? await currentPosition(ctx, 'conversation') : listCodec(ctx).decode(after);
  const { tail, subscribe } = movedTail(ctx, position, parsed);
  const followed = withMatches && canChange(parsed) ? withMatchesOf(ctx, tail, parsed) : tail;
  return followTail(followed, subscribe, position, after != null);
}

/** Whether a reported conversation can match at one time and not at another. */
function canChange({ deploymentId: _deployment, reach: _reach, ...others }: ParsedFilter): boolean {
  return Object.keys(others).length > 0;
}

type FollowedTail = Pick<LogTail<never, MovedConversation>, 'read' | 'refresh'>;

/** Compares each batch with the filter in one statement, so that the cost does not grow with the rows of a batch. */
function withMatchesOf(ctx: Context, tail: FollowedTail, filter: ParsedFilter): FollowedTail {
  return {
    refresh: () => tail.refresh(),
    async read(from) {
      const batch = await tail.read(from);
      if (batch.values.length === 0) return batch;
      const ids = batch.values.map(({ conversationId }) => conversationId);
      const matching = await matchesAmong(ctx, filter, ids);
      const values = batch.values.map((moved) => ({ ...moved, matches: matching.has(moved.conversationId) }));
      return { ...batch, values };
    },
  };
}

/** The newest changes of an environment's conversations, in order and filtered. */
export function movedTail(
  { caller, services, environment, sql }: Context,
  from: LogPosition,
  { deploymentId = null, status = null }: MovedFilter,
): { tail: LogTail<MovedRow, MovedConversation>; subscribe: Subscribe } {
  const reach = reachOf(caller) ?? null;
  return services.stores.tails.get(['conversations', environment.id, deploymentId, status, reach], () => {
    const codec = listCodec({ services, environment });
    return new LogTail<MovedRow, MovedConversation>(
      services.stores.pubSub,
      [conversationsTopic(environment.id)],
      from,
      {
        read: (position) => readMoved({ sql, environment }, position, { deploymentId, status, reach }),
        toItem: (row, position) => ({ conversationId: row.id, cursor: codec.encode(position) }),
      },
    );
  });
}

/** Reads the next changed conversations after a position. */
function readMoved(
  ctx: Pick<Context, 'sql' | 'environment'>,
  from: LogPosition,
  { deploymentId, status, reach }: MovedFilter & { readonly reach: Reach | null },
): Promise<OrderedBatch<MovedRow>> {
  // A completed conversation is also reported to a list of active ones, so that the client removes it.
  const completed = status === 'completed' ? Prisma.sql` AND status = 'completed'` : Prisma.empty;
  const ofDeployment = deploymentId ? Prisma.sql` AND deployment_id = ${deploymentId}::uuid` : Prisma.empty;
  const inReach = reach ? Prisma.sql` AND ${conversationInReach(reach, 'conversation')}` : Prisma.empty;
  return readInOrder<MovedRow>(ctx, from, {
    table: 'conversation',
    columns: Prisma.empty,
    where: Prisma.sql`environment_id = ${ctx.environment.id}::uuid${ofDeployment}${inReach}${completed}`,
    idType: 'uuid',
  });
}

/** A page of the list. With `following`, a subscription from its cursor reports exactly the changes after this page. */
export function conversationListPage(
  ctx: Context,
  args: PageArgs,
  filter: ConversationFilter,
  {
    query,
    following,
    order,
  }: { readonly query: object; readonly following: boolean; readonly order?: ConversationOrder | null | undefined },
): Promise<ConversationListPage> {
  const readPage = (db: Transaction) =>
    listConversations(ctx, args, filter, { query, order, tx: following ? db : undefined });
  return readFollowablePage(ctx, following, readPage, async (tx) =>
    listCodec(ctx).encode(await currentPosition(ctx, 'conversation', tx)),
  );
}

/** One codec for all filters, because the position does not depend on the filter. */
function listCodec({ services, environment }: Pick<Context, 'services' | 'environment'>): PositionCodec {
  return positionCodecOf(new CursorCodec(services.settings.secretKey, ['conversations followed', environment.id]));
}

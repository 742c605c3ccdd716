import { CursorCodec } from '../../db/cursor.ts';
import type { Prisma, TimelineItem } from '../../db/generated/client.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { followPaced } from '../events/follow-paced.ts';
import { type PositionCodec, positionCodecOf } from '../events/position.ts';
import { currentPosition } from '../events/reads.ts';
import { movedTail } from './follow-list.ts';
import { checkPendingCallFilter, type PendingCallFilter, pendingCallsIn, pendingCallsOf } from './pending-calls.ts';

/** The calls that appeared or were answered since the previous message. */
export interface PendingCallsChange {
  /** The number of waiting calls that match the filter. */
  readonly totalCount: number;
  /** Conversations whose waiting calls can have changed. */
  readonly conversationIds: readonly string[];
  /** All calls that wait in these conversations now and match the filter. */
  readonly calls: readonly TimelineItem[];
  /** The cursor for a later subscription that continues here. */
  readonly cursor: string;
}

/** How many conversations a subscription remembers, so that it does not report an unchanged one again. */
const MAX_REMEMBERED = 1_000;

/**
 * Follows the waiting calls that match a filter: each conversation in which a call began to wait, was answered or was
 * cancelled. The first message comes at once with the count. It reads the same tail as the lists of conversations.
 * @throws {ServiceError} invalid_request, invalid_cursor
 */
export async function followPendingCalls(
  ctx: Context,
  { after, filter }: { readonly after?: string | null | undefined; readonly filter: PendingCallFilter },
): Promise<AsyncIterableIterator<PendingCallsChange>> {
  const { conditions } = checkPendingCallFilter(ctx, filter);
  const codec = codecOf(ctx);
  let position = after == null ? await currentPosition(ctx, 'conversation') : codec.decode(after);
  const { tail, subscribe } = movedTail(ctx, position, { deploymentId: filter.deploymentId });
  const reported = new Map<string, string>();
  return followPaced(subscribe, after != null && (() => tail.refresh()), async (isFirst) => {
    const batch = await tail.read(position);
    position = batch.position;
    const moved = [...new Set(batch.items.map(({ item }) => item.conversationId))];
    const changed = await changesOf(ctx, moved, conditions, reported);
    if (!isFirst && changed.conversationIds.length === 0) return undefined;
    return { ...changed, totalCount: await countPendingCalls(ctx, conditions), cursor: codec.encode(position) };
  });
}

/** The cursor of a page: a subscription from there reports the changes after it. */
export async function pendingCallsCursor(ctx: Context, tx: Transaction): Promise<string> {
  return codecOf(ctx).encode(await currentPosition(ctx, 'conversation', tx));
}

/** Most changes of conversations are no changes of their waiting calls. */
async function changesOf(
  ctx: Context,
  moved: readonly string[],
  conditions: Prisma.Sql,
  reported: Map<string, string>,
): Promise<Pick<PendingCallsChange, 'conversationIds' | 'calls'>> {
  if (moved.length === 0) return { conversationIds: [], calls: [] };
  const [withCalls, calls] = await Promise.all([withClientCalls(ctx, moved), pendingCallsIn(ctx, moved, conditions)]);
  const conversationIds = withCalls.filter((id) => {
    const state = calls.flatMap(({ conversationId, callId }) => (conversationId === id ? [callId] : [])).join(' ');
    const isKnown = reported.get(id) === state;
    if (reported.size >= MAX_REMEMBERED) reported.clear();
    reported.set(id, state);
    return !isKnown;
  });
  return { conversationIds, calls: calls.filter(({ conversationId }) => conversationIds.includes(conversationId)) };
}

/** Those of the conversations that have ever had a call of a client tool. */
async function withClientCalls({ sql, environment }: Context, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    SELECT moved.id FROM unnest(${[...ids]}::uuid[]) AS moved (id)
    WHERE EXISTS (
      SELECT 1 FROM timeline_item
      WHERE conversation_id = moved.id AND environment_id = ${environment.id}::uuid AND call_id IS NOT NULL
        AND kind = 'client_tool')`;
  return rows.map(({ id }) => id);
}

async function countPendingCalls({ sql, environment }: Context, conditions: Prisma.Sql): Promise<number> {
  const [row] = await sql.rows<{ count: number }>`
    SELECT count(*)::int AS count ${pendingCallsOf(environment.id)}${conditions}`;
  return row?.count ?? 0;
}

function codecOf({ services, environment }: Context): PositionCodec {
  return positionCodecOf(new CursorCodec(services.settings.secretKey, ['pending actions followed', environment.id]));
}

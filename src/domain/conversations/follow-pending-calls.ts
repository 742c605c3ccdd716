import { CursorCodec } from '../../db/cursor.ts';
import type { TimelineItem } from '../../db/generated/client.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { followPaced } from '../events/follow-paced.ts';
import { type PositionCodec, positionCodecOf, positionOfSnapshot } from '../events/position.ts';
import { currentSnapshot } from '../events/reads.ts';
import { movedTail } from './follow-list.ts';
import { pendingCallsIn, pendingCallsOf } from './pending-calls.ts';

/** The calls that appeared or were answered since the previous message. */
export interface PendingCallsChange {
  /** The number of waiting calls of the environment. */
  readonly totalCount: number;
  /** Conversations whose waiting calls can have changed. */
  readonly conversationIds: readonly string[];
  /** All calls that wait in these conversations now. */
  readonly calls: readonly TimelineItem[];
  /** The cursor for a later subscription that continues here. */
  readonly cursor: string;
}

/** How many conversations a subscription remembers, so that it does not report an unchanged one again. */
const MAX_REMEMBERED = 1_000;

/**
 * Follows the waiting calls of the environment: each conversation in which a call began to wait, was answered or was
 * cancelled. The first message comes at once with the count. It reads the same tail as the lists of conversations.
 * @throws {ServiceError} invalid_cursor
 */
export async function followPendingCalls(
  ctx: Context,
  { after }: { readonly after?: string | null | undefined },
): Promise<AsyncIterableIterator<PendingCallsChange>> {
  const codec = codecOf(ctx);
  let position = after == null ? positionOfSnapshot(await currentSnapshot(ctx.db)) : codec.decode(after);
  const { tail, subscribe } = movedTail(ctx, position, {});
  const reported = new Map<string, string>();
  return followPaced(subscribe, after != null && (() => tail.refresh()), async (isFirst) => {
    const batch = await tail.read(position);
    position = batch.position;
    const changed = await changesOf(ctx, [...new Set(batch.items.map(({ item }) => item.conversationId))], reported);
    if (!isFirst && changed.conversationIds.length === 0) return undefined;
    return { ...changed, totalCount: await countPendingCalls(ctx), cursor: codec.encode(position) };
  });
}

/** The cursor of a page: a subscription from there reports the changes after it. */
export async function pendingCallsCursor(ctx: Context, tx: Transaction): Promise<string> {
  return codecOf(ctx).encode(positionOfSnapshot(await currentSnapshot(tx)));
}

/** Most changes of conversations are no changes of their waiting calls. */
async function changesOf(
  ctx: Context,
  moved: readonly string[],
  reported: Map<string, string>,
): Promise<Pick<PendingCallsChange, 'conversationIds' | 'calls'>> {
  if (moved.length === 0) return { conversationIds: [], calls: [] };
  const [withCalls, calls] = await Promise.all([withClientCalls(ctx, moved), pendingCallsIn(ctx, moved)]);
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

async function countPendingCalls({ sql, environment }: Context): Promise<number> {
  const [row] = await sql.rows<{ count: number }>`SELECT count(*)::int AS count ${pendingCallsOf(environment.id)}`;
  return row?.count ?? 0;
}

function codecOf({ services, environment }: Context): PositionCodec {
  return positionCodecOf(new CursorCodec(services.secretKey, ['pending actions followed', environment.id]));
}

import { CursorCodec } from '../../db/cursor.ts';
import type { Context } from '../context.ts';
import { ALL_CHANGES } from '../events/filter.ts';
import { eventTail } from '../events/follow.ts';
import { followPaced } from '../events/follow-paced.ts';
import type { Subscribe } from '../events/follower.ts';
import { type LogPosition, type PositionCodec, positionCodecOf } from '../events/position.ts';
import { currentPosition, type LoggedEvent } from '../events/reads.ts';
import type { LogRange } from '../events/recent-runs.ts';
import { waitingConversations } from '../handling/report.ts';
import { movedTail } from './follow-list.ts';
import { pendingCallsOf } from './pending-calls.ts';

/** The current activity of an environment. */
export interface ActivityCounters {
  readonly running: number;
  readonly waiting: number;
  /** Calls that wait for an answer in these turns. */
  readonly pendingActions: number;
  /** Conversations that wait for a person. */
  readonly waitingForPerson: number;
  /** Turns in the last hour. */
  readonly turns: number;
  /** Failed turns in the last hour. */
  readonly failures: number;
}

/** The changes since the previous message. */
export interface Activity {
  readonly events: readonly LoggedEvent[];
  readonly conversationIds: readonly string[];
  /** Where `recentRunEvents` finds the lifecycle events. They commit with a change of their conversation. */
  readonly runs: LogRange;
  readonly counters: ActivityCounters;
  /** The cursor for a later subscription that continues here. */
  readonly cursor: string;
}

/**
 * Follows everything that a dashboard shows of an environment: events, changed conversations (each change once) and
 * counters. It sends the counters immediately, and again with each change.
 * @throws {ServiceError} invalid_cursor
 */
export async function followActivity(
  ctx: Context,
  { after }: { readonly after?: string | null | undefined },
): Promise<AsyncIterableIterator<Activity>> {
  const { services, environment } = ctx;
  const codec = new CursorCodec(services.settings.secretKey, ['activity', environment.id]);
  const inner = positionCodecOf(codec);
  let position = await startOf(ctx, after, codec, inner);
  const events = eventTail(ctx, position.log, ALL_CHANGES);
  const conversations = movedTail(ctx, position.list, {});
  const join: Subscribe = (wake) => {
    const leaves = [events.subscribe(wake), conversations.subscribe(wake)];
    return () => {
      for (const leave of leaves) leave();
    };
  };
  const refresh = () => Promise.all([events.tail.refresh(), conversations.tail.refresh()]);
  return followPaced(join, after != null && refresh, async (isFirst) => {
    const log = await events.tail.read(position.log);
    const list = await conversations.tail.read(position.list);
    const runs = { after: position.list, until: list.position };
    position = { log: log.position, list: list.position };
    if (!isFirst && log.items.length === 0 && list.items.length === 0) return undefined;
    return {
      events: log.items.map(({ item }) => item.event),
      conversationIds: [...new Set(list.items.map(({ item }) => item.conversationId))],
      runs,
      counters: await count(ctx),
      cursor: codec.encode([inner.encode(position.log), inner.encode(position.list)]),
    };
  });
}

interface Positions {
  readonly log: LogPosition;
  readonly list: LogPosition;
}

async function startOf(
  ctx: Context,
  after: string | null | undefined,
  codec: CursorCodec,
  inner: PositionCodec,
): Promise<Positions> {
  if (after == null) {
    const [log, list] = await Promise.all([currentPosition(ctx, 'event'), currentPosition(ctx, 'conversation')]);
    return { log, list };
  }
  const [log = '', list = ''] = codec.decodeOfFeed(after);
  return { log: inner.decode(log), list: inner.decode(list) };
}

async function count(ctx: Context): Promise<ActivityCounters> {
  const environmentId = ctx.environment.id;
  const [row] = await ctx.sql.rows<ActivityCounters>`
    SELECT runs.*, turns.*, calls.*, waits.*
    FROM (
      SELECT count(*) FILTER (WHERE status = 'running')::int AS running,
             count(*) FILTER (WHERE status = 'waiting_for_client_action')::int AS waiting
      FROM run
      WHERE environment_id = ${environmentId}::uuid
        AND status = ANY (ARRAY['running'::run_status, 'waiting_for_client_action'::run_status])
    ) AS runs, (
      SELECT count(*)::int AS turns, count(*) FILTER (WHERE outcome = 'failed')::int AS failures
      FROM workflow_log
      WHERE environment_id = ${environmentId}::uuid AND created_at > ${ctx.now()}::timestamptz - interval '1 hour'
        AND NOT is_summary
    ) AS turns, (
      SELECT count(*)::int AS "pendingActions" ${pendingCallsOf(environmentId)}
    ) AS calls, (
      SELECT count(*)::int AS "waitingForPerson" ${waitingConversations(ctx.environment)}
    ) AS waits`;
  return row ?? { running: 0, waiting: 0, pendingActions: 0, waitingForPerson: 0, turns: 0, failures: 0 };
}

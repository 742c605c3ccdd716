import { setTimeout as pause } from 'node:timers/promises';
import { CursorCodec } from '../../db/cursor.ts';
import type { Context } from '../context.ts';
import { eventTail } from '../events/follow.ts';
import { Follower, type Subscribe } from '../events/follower.ts';
import { type LogPosition, type PositionCodec, positionCodecOf, positionOfSnapshot } from '../events/position.ts';
import { currentSnapshot, type LoggedEvent } from '../events/reads.ts';
import { movedTail } from './follow-list.ts';

/** The shortest interval between two messages. Faster changes are combined. */
const PACE_MS = 250;

/** The current activity of an environment. */
export interface ActivityCounters {
  readonly running: number;
  readonly waiting: number;
  /** Turns in the last hour. */
  readonly turns: number;
  /** Failed turns in the last hour. */
  readonly failures: number;
}

/** The changes since the previous message. */
export interface Activity {
  readonly events: readonly LoggedEvent[];
  readonly conversationIds: readonly string[];
  readonly counters: ActivityCounters;
  /** The cursor for a later subscription that continues here. */
  readonly cursor: string;
}

const EVERYTHING = { resourceId: null, types: null };

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
  const codec = new CursorCodec(services.secretKey, ['activity', environment.id]);
  const inner = positionCodecOf(codec);
  let position = await startOf(ctx, after, codec, inner);
  let hasStarted = false;
  const events = eventTail(ctx, position.log, EVERYTHING);
  const conversations = movedTail(ctx, position.list, {});
  const join: Subscribe = (wake) => {
    const leaves = [events.subscribe(wake), conversations.subscribe(wake)];
    return () => {
      for (const leave of leaves) leave();
    };
  };
  return new Follower(join, async () => {
    if (hasStarted) await pause(PACE_MS, undefined, { ref: false });
    else if (after != null) await Promise.all([events.tail.refresh(), conversations.tail.refresh()]);
    const log = await events.tail.read(position.log);
    const list = await conversations.tail.read(position.list);
    position = { log: log.position, list: list.position };
    if (hasStarted && log.items.length === 0 && list.items.length === 0) return [];
    hasStarted = true;
    const activity = {
      events: log.items.map(({ item }) => item.event),
      conversationIds: [...new Set(list.items.map(({ item }) => item.conversationId))],
      counters: await count(ctx),
      cursor: codec.encode([inner.encode(position.log), inner.encode(position.list)]),
    };
    return [activity];
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
    const now = positionOfSnapshot(await currentSnapshot(ctx.db));
    return { log: now, list: now };
  }
  const [log = '', list = ''] = codec.decode(after, 'after');
  return { log: inner.decode(log), list: inner.decode(list) };
}

async function count(ctx: Context): Promise<ActivityCounters> {
  const environmentId = ctx.environment.id;
  const [row] = await ctx.sql.rows<ActivityCounters>`
    SELECT runs.*, turns.*
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
    ) AS turns`;
  return row ?? { running: 0, waiting: 0, turns: 0, failures: 0 };
}

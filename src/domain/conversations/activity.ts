import { setTimeout as pause } from 'node:timers/promises';
import { CursorCodec } from '../../db/cursor.ts';
import type { Context } from '../context.ts';
import { eventTail } from '../events/follow.ts';
import { Follower, type Join } from '../events/follower.ts';
import { type LogPosition, type PositionCodec, positionCodecOf, positionOfSnapshot } from '../events/position.ts';
import { currentSnapshot, type LoggedEvent } from '../events/reads.ts';
import { movedTail } from './follow-list.ts';

/** No more often than this: what comes faster is told together. */
const PACE_MS = 250;

/** What is going on in an environment at this moment. */
export interface ActivityCounters {
  readonly running: number;
  readonly waiting: number;
  /** In the last hour. */
  readonly turns: number;
  /** Of those, turns that failed. */
  readonly failures: number;
}

/** What has happened since the last one. */
export interface Activity {
  readonly events: readonly LoggedEvent[];
  readonly conversationIds: readonly string[];
  readonly counters: ActivityCounters;
  /** Where the next follower goes on behind it. */
  readonly cursor: string;
}

const EVERYTHING = { resourceId: null, types: null };

/**
 * Follows all that a dashboard shows of an environment: its events and conversations, each change once, and counters. It
 * tells the counters at once, then again with each change.
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
  let isTold = false;
  const events = eventTail(ctx, position.log, EVERYTHING);
  const conversations = movedTail(ctx, position.list, {});
  const join: Join = (wake) => {
    const leaves = [events.join(wake), conversations.join(wake)];
    return () => {
      for (const leave of leaves) leave();
    };
  };
  return new Follower(join, async () => {
    if (isTold) await pause(PACE_MS, undefined, { ref: false });
    else if (after != null) await Promise.all([events.tail.fresh(), conversations.tail.fresh()]);
    const log = await events.tail.read(position.log);
    const list = await conversations.tail.read(position.list);
    position = { log: log.position, list: list.position };
    if (isTold && log.told.length === 0 && list.told.length === 0) return [];
    isTold = true;
    const activity = {
      events: log.told.map(({ item }) => item.event),
      conversationIds: [...new Set(list.told.map(({ item }) => item.conversationId))],
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
  const [row] = await ctx.services.sql.rows<ActivityCounters>`
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

import type { Context } from '../context.ts';
import { eventTopic } from './append.ts';
import { type EventRow, eventOf, readBatch } from './batch.ts';
import { type CheckedFilter, checkFilter, type EventFilter } from './filter.ts';
import { Follower, type Join } from './follower.ts';
import { LogTail } from './log-tail.ts';
import { type LogPosition, positionCodec, positionOfSnapshot } from './position.ts';
import { currentSnapshot, type LoggedEvent } from './reads.ts';

/** An event as a follower gets it. */
export interface AppendedEvent {
  readonly event: LoggedEvent;
  /** Where the next follower goes on behind it. */
  readonly cursor: string;
}

/**
 * Follows the log: everything behind `after`, then each event as it commits, every one once and in one order for all
 * (WIRE 10). Without `after` it begins now.
 * @throws {ServiceError} invalid_request, or invalid_cursor where `after` is of another environment or filter
 */
export async function followEvents(
  ctx: Context,
  { after, ...filter }: EventFilter & { readonly after?: string | null | undefined },
): Promise<AsyncIterableIterator<AppendedEvent>> {
  const checked = checkFilter(filter);
  const position =
    after == null ? positionOfSnapshot(await currentSnapshot(ctx.db)) : positionCodec(ctx, checked).decode(after);
  const { tail, join } = eventTail(ctx, position, checked);
  return followTail(tail, join, position, after != null);
}

/** The end of an environment's log, as a filter shows it. */
export function eventTail(
  { services, environment }: Context,
  from: LogPosition,
  filter: CheckedFilter,
): { tail: LogTail<EventRow, AppendedEvent>; join: Join } {
  return services.tails.of(['events', environment.id, filter.resourceId, filter.types], () => {
    const codec = positionCodec({ services, environment }, filter);
    return new LogTail<EventRow, AppendedEvent>(services.live, [eventTopic(environment.id)], from, {
      read: (position) => readBatch({ services, environment }, position, filter),
      tell: (row, position) => ({ event: eventOf(row), cursor: codec.encode(position) }),
    });
  });
}

/** Follows a tail from a position. `isResumed`: what lies behind it may be there already. */
export function followTail<Item>(
  tail: Pick<LogTail<never, Item>, 'fresh' | 'read'>,
  join: Join,
  from: LogPosition,
  isResumed: boolean,
): AsyncIterableIterator<Item> {
  let position = from;
  let isBehind = isResumed;
  return new Follower(join, async () => {
    if (isBehind) await tail.fresh();
    isBehind = false;
    const batch = await tail.read(position);
    position = batch.position;
    return batch.told.map(({ item }) => item);
  });
}

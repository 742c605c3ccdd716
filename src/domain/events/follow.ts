import type { Context } from '../context.ts';
import { type EventRow, eventOf, readBatch } from './batch.ts';
import {
  type CheckedFilter,
  checkFilter,
  checkRunFilter,
  type EventFilter,
  partBinding,
  type RunEventFilter,
} from './filter.ts';
import { Follower, type Subscribe } from './follower.ts';
import { LogTail, type TailBatch } from './log-tail.ts';
import { type LogPosition, positionCodec } from './position.ts';
import { currentPosition, type LoggedEvent } from './reads.ts';
import { eventTopic } from './topic.ts';

/** An event and its cursor. */
export interface AppendedEvent {
  readonly event: LoggedEvent;
  /** The cursor to continue after this event. */
  readonly cursor: string;
}

/**
 * Follows the log: first all events after `after`, then each event as it commits. Each event comes exactly once, and in
 * the same order for all readers. Without `after` it starts with new events.
 * @throws {ServiceError} invalid_request; invalid_cursor if `after` belongs to another environment or filter
 */
export function followEvents(
  ctx: Context,
  filter: EventFilter,
  after: string | null | undefined,
): Promise<AsyncIterableIterator<AppendedEvent>> {
  return followLog(ctx, checkFilter(filter), after);
}

/** Follows the lifecycle events in the same way. @throws {ServiceError} invalid_request, invalid_cursor */
export function followRunEvents(
  ctx: Context,
  filter: RunEventFilter,
  after: string | null | undefined,
): Promise<AsyncIterableIterator<AppendedEvent>> {
  return followLog(ctx, checkRunFilter(filter), after);
}

async function followLog(
  ctx: Context,
  checked: CheckedFilter,
  after: string | null | undefined,
): Promise<AsyncIterableIterator<AppendedEvent>> {
  const position = after == null ? await currentPosition(ctx, 'event') : positionCodec(ctx, checked).decode(after);
  const { tail, subscribe } = eventTail(ctx, position, checked);
  return followTail(tail, subscribe, position, after != null);
}

/** The shared tail of an environment's log, for one filter. */
export function eventTail(
  { services, environment, sql }: Context,
  from: LogPosition,
  filter: CheckedFilter,
): { tail: LogTail<EventRow, AppendedEvent>; subscribe: Subscribe } {
  return services.stores.tails.get(
    ['events', environment.id, filter.resourceId, filter.types, ...partBinding(filter)],
    () => {
      const codec = positionCodec({ services, environment }, filter);
      return new LogTail<EventRow, AppendedEvent>(services.stores.pubSub, [eventTopic(environment.id)], from, {
        read: (position) => readBatch({ sql, environment }, position, filter),
        toItem: (row, position) => ({ event: eventOf(row), cursor: codec.encode(position) }),
      });
    },
  );
}

/** Follows a tail from a position. With `isResumed`, rows after the position may already exist. */
export function followTail<Item>(
  tail: Pick<LogTail<never, Item>, 'refresh' | 'read'>,
  subscribe: Subscribe,
  from: LogPosition,
  isResumed: boolean,
): AsyncIterableIterator<Item> {
  let position = from;
  let needsRefresh = isResumed;
  const take = (batch: TailBatch<Item>) => {
    position = batch.position;
    return batch.values;
  };
  const read = () => {
    const batch = tail.read(position);
    return batch instanceof Promise ? batch.then(take) : take(batch);
  };
  return new Follower(subscribe, () => {
    if (!needsRefresh) return read();
    needsRefresh = false;
    return tail.refresh().then(read);
  });
}

import { Wakes } from '../../db/wakes.ts';
import type { Context } from '../context.ts';
import { eventTopic } from './append.ts';
import { eventOf, readBatch } from './batch.ts';
import { checkFilter, type EventFilter } from './filter.ts';
import { Follower } from './follower.ts';
import { positionCodec, positionOfSnapshot } from './position.ts';
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
  const codec = positionCodec(ctx, checked);
  let position = after == null ? positionOfSnapshot(await currentSnapshot(ctx.db)) : codec.decode(after);
  return new Follower(new Wakes(ctx.services.live, eventTopic(ctx.environment.id)), async () => {
    const batch = await readBatch(ctx, position, checked);
    position = batch.position;
    const items = batch.placed.map((placed) => ({
      event: eventOf(placed.row),
      cursor: codec.encode(placed.position),
    }));
    return { items, heldBack: batch.heldBack };
  });
}

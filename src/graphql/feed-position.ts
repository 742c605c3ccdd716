import type { GraphContext } from './context.ts';

/** What the events of a feed have in common. */
interface Placed {
  readonly cursor: string;
}

/**
 * Where a feed begins: behind the last event that the client has received, which a client that reconnects by itself
 * says in a header, else where the document says.
 */
export function startOf<Args extends { readonly after?: string | null | undefined }>(
  context: GraphContext,
  args: Args,
): Args {
  const last = context.header('last-event-id');
  return last ? { ...args, after: last } : args;
}

/** The resolver of a feed: remembers how far the client is, for the `id` of the server-sent event. */
export function told<Event extends Placed>(event: Event, _args: object, context: GraphContext): Event {
  context.feedCursor = event.cursor;
  // What was read for the event before may have changed since.
  context.callsOfRun.clearAll();
  return event;
}

import type { OperationContext } from '../../operation/context.ts';

/** An event of a feed. */
interface FeedEvent {
  readonly cursor: string;
}

/**
 * The position at which a feed starts. Browsers reconnect with the last received event in a header, which takes
 * precedence over the argument `after` of the document.
 */
export function feedPosition(context: OperationContext, after: string | null | undefined): string | null | undefined {
  return context.header('last-event-id') || after;
}

/** The resolver of a feed. It stores the event's cursor for the `id` of the server-sent event. */
export function resolveFeedEvent<Event extends FeedEvent>(
  event: Event,
  _args: object,
  context: OperationContext,
): Event {
  context.feedCursor = event.cursor;
  // Data that was loaded for the previous event may be outdated.
  context.callsOfRun.clearAll();
  return event;
}

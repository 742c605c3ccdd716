import type { Client } from './client.ts';

/** An event of the feed of a conversation's turns. */
export interface FeedEvent {
  readonly id: string;
  readonly event: string;
  // A test reads any event and asserts its shape.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly data: any;
}

/** An open feed. */
export interface TurnFeed {
  readonly response: Response;
  /** The next event. Undefined after the end of the stream. */
  next(): Promise<FeedEvent | undefined>;
  /** The events up to the first one of this type. */
  until(type: string): Promise<FeedEvent[]>;
  close(): void;
}

interface FeedOptions {
  readonly after?: string;
  readonly lastEventId?: string;
  /** Null: without credentials. Default: the key of the client. */
  readonly key?: string | null;
  /** Disconnects when it is aborted. */
  readonly signal?: AbortSignal;
}

/** Opens the feed over REST. */
export async function openTurnFeed(
  client: Client,
  conversationId: string,
  options: FeedOptions = {},
): Promise<TurnFeed> {
  const { after, lastEventId, key = client.key, signal } = options;
  const abort = new AbortController();
  const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
  const response = await fetch(`${client.url}/v1/runner/conversation/${conversationId}/stream${query}`, {
    headers: {
      accept: 'text/event-stream',
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: signal ? AbortSignal.any([abort.signal, signal]) : abort.signal,
  });
  const events = eventsOf(response);
  const next = async () => {
    const { done, value } = await events.next();
    return done ? undefined : value;
  };
  return {
    response,
    next,
    async until(type) {
      const received: FeedEvent[] = [];
      for (;;) {
        const event = await next();
        if (!event) throw new Error(`The feed ended before ${type}: ${JSON.stringify(received)}`);
        received.push(event);
        if (event.event === type) return received;
      }
    },
    close: () => abort.abort(),
  };
}

async function* eventsOf(response: Response): AsyncGenerator<FeedEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) continue;
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
      yield { id: field('id'), event: field('event'), data: JSON.parse(field('data')) };
    }
  }
}

/** What a watcher that appends deltas and discards void text has for each message. Fails on a gap or a repeat. */
export function assemble(
  events: readonly FeedEvent[],
  start: ReadonlyMap<string, string> = new Map(),
  part: 'text.delta' | 'reasoning.delta' = 'text.delta',
): Map<string, string> {
  const texts = new Map(start);
  for (const { event, data } of events) {
    if (event === 'step.restarted') texts.delete(data.message_key);
    if (event !== part) continue;
    const before = texts.get(data.message_key) ?? '';
    if (before.length !== data.offset) throw new Error(`a delta at ${data.offset} follows ${before.length} characters`);
    texts.set(data.message_key, before + data.text);
  }
  return texts;
}

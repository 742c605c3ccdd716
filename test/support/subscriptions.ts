import type { Client, HttpResponse } from './client.ts';
import { resultsOf } from './multipart.ts';

/** A subscription over server-sent events, or in a multipart response. */
export interface Subscription {
  /** The response if the service rejected the subscription. */
  readonly rejection: HttpResponse | undefined;
  /** The data or errors of the next event. Undefined after the end of the stream. */
  // A test reads any event of the service and asserts its shape.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  next(): Promise<any>;
  /** The `id` of the last event that had one. */
  readonly lastEventId: string | undefined;
  /** Disconnects. */
  close(): Promise<void>;
}

/** Opens a subscription. It is open on the server too when this resolves. */
export async function subscribe(
  client: Client,
  query: string,
  variables: object,
  key: string | null,
  extra: Readonly<Record<string, string>> = {},
): Promise<Subscription> {
  const abort = new AbortController();
  const response = await fetch(`${client.url}/graphql`, {
    method: 'POST',
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      ...extra,
    },
    body: JSON.stringify({ query, variables }),
    signal: abort.signal,
  });
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  const isMultipart = type.startsWith('multipart/mixed');
  const isStream = isMultipart || type.includes('text/event-stream');
  const position: { id?: string } = {};
  const events = isMultipart ? resultsOf(response) : isStream ? eventsOf(response, position) : undefined;
  return {
    rejection: isStream ? undefined : { status, headers, body: await response.json() },
    get lastEventId() {
      return position.id;
    },
    async next() {
      const event = await events?.next();
      return event?.done ? undefined : event?.value;
    },
    async close() {
      abort.abort();
      await events?.return(undefined).catch(() => {});
    },
  };
}

/** Opens subscriptions that close together, after each test. */
export function trackSubscriptions(): {
  readonly open: (...args: Parameters<typeof subscribe>) => Promise<Subscription>;
  readonly closeAll: () => Promise<void>;
} {
  const feeds = new Set<Subscription>();
  return {
    async open(...args) {
      const feed = await subscribe(...args);
      feeds.add(feed);
      return feed;
    },
    async closeAll() {
      for (const feed of feeds) await feed.close();
      feeds.clear();
    },
  };
}

async function* eventsOf(response: Response, position: { id?: string }): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, id] = /^id: (.*)$/m.exec(block) ?? [];
      if (id !== undefined) position.id = id;
      const [, data] = /^event: next\ndata: (.*)$/m.exec(block) ?? [];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

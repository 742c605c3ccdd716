import type { Answer, Client } from './client.ts';

/** A subscription over server-sent events. */
export interface Subscription {
  /** The answer where there is no stream: what was refused. */
  readonly refused: Answer | undefined;
  /** The data or errors of the next event; undefined once the stream has ended. */
  // A test reads whatever the service sent, and asserts what it is.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  next(): Promise<any>;
  /** The `id` of the last event, where it had one. */
  readonly lastEventId: string | undefined;
  /** Goes away. */
  close(): Promise<void>;
}

/** Opens a subscription; it is open on the server too once this has answered. */
export async function subscribe(
  client: Client,
  query: string,
  variables: object,
  key: string | null,
  extra: Readonly<Record<string, string>> = {},
): Promise<Subscription> {
  const leave = new AbortController();
  const response = await fetch(`${client.url}/graphql`, {
    method: 'POST',
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      ...extra,
    },
    body: JSON.stringify({ query, variables }),
    signal: leave.signal,
  });
  const { status, headers } = response;
  const isStream = headers.get('content-type')?.includes('text/event-stream') ?? false;
  const place: { id?: string } = {};
  const events = isStream ? eventsOf(response, place) : undefined;
  return {
    refused: isStream ? undefined : { status, headers, body: await response.json() },
    get lastEventId() {
      return place.id;
    },
    async next() {
      const event = await events?.next();
      return event?.done ? undefined : event?.value;
    },
    async close() {
      leave.abort();
      await events?.return(undefined).catch(() => {});
    },
  };
}

/** Opens subscriptions that are closed together, after each test. */
export function openFeeds(): {
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

async function* eventsOf(response: Response, place: { id?: string }): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, id] = /^id: (.*)$/m.exec(block) ?? [];
      if (id !== undefined) place.id = id;
      const [, data] = /^event: next\ndata: (.*)$/m.exec(block) ?? [];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../client.ts';
import { LIVE_CLIENTS } from '../live-clients.ts';
import type { ReceivedMessage, Receiver } from '../receiver.ts';
import { subscribe } from '../subscriptions.ts';
import { until } from '../until.ts';

const FEED = 'subscription { eventAppended { event { resourceId } } }';

/** Client libraries that connect again after any error, with the lines of the guide. */
const LIBRARIES = ['graphql-sse', 'Apollo Client', 'the SDK'];

const RECONNECT_MS = 100;

/** Subscribers to the events of all resources, by name, and the resources that each of them received. */
export interface Readers {
  readonly received: ReadonlyMap<string, readonly string[]>;
  /** Subscriptions that ended, although no client closed them. */
  readonly ended: readonly string[];
  /** How often a client that sends `Last-Event-ID` has connected. */
  readonly connections: number;
  stop(): Promise<void>;
}

/** Subscribes with libraries, and with a client that sends the ID of the last event as a browser does. */
export async function startReaders(processes: readonly Client[]): Promise<Readers> {
  const received = new Map<string, string[]>();
  const ended: string[] = [];
  const closes: (() => void)[] = [];
  for (const [index, name] of LIBRARIES.entries()) {
    const own: string[] = [];
    received.set(name, own);
    const { url, key } = processes[index % processes.length] as Client;
    const application = {
      url,
      key,
      received: (id: string) => void own.push(id),
      ended: (reason: unknown) => void ended.push(`${name}: ${reason}`),
    };
    const close = await LIVE_CLIENTS[name]?.(application);
    if (close) closes.push(close);
  }
  const browser = followLikeBrowser(processes);
  received.set('Last-Event-ID', browser.received);
  const feeds = async () => {
    const counts = await Promise.all(processes.map(openFeeds));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  await until(async () => (await feeds()) > LIBRARIES.length);
  return {
    received,
    ended,
    get connections() {
      return browser.connections();
    },
    async stop() {
      for (const close of closes) close();
      await browser.stop();
    },
  };
}

async function openFeeds(process: Client): Promise<number> {
  return Number(/^parley_subscriptions (\d+)$/m.exec((await process.send('GET', '/metrics')).body)?.[1]);
}

/** Connects to the processes in turn. `EventSource` gives up after a 503, so its application does the same. */
function followLikeBrowser(processes: readonly Client[]) {
  const received: string[] = [];
  let connections = 0;
  let isOver = false;
  let lastId: string | undefined;
  let close: () => Promise<void> = async () => {};
  const read = async () => {
    const client = processes[connections % processes.length] as Client;
    connections += 1;
    const feed = await subscribe(client, FEED, {}, client.key, lastId ? { 'last-event-id': lastId } : {});
    close = () => feed.close();
    try {
      for (;;) {
        const event = feed.rejection ? undefined : await feed.next();
        const appended = event?.data?.eventAppended;
        if (!appended || isOver) return;
        received.push(appended.event.resourceId);
        lastId = feed.lastEventId ?? lastId;
      }
    } finally {
      await feed.close();
    }
  };
  const running = (async () => {
    while (!isOver) {
      await read().catch(() => {});
      if (!isOver) await pause(RECONNECT_MS);
    }
  })();
  return {
    received,
    connections: () => connections,
    async stop() {
      isOver = true;
      await close();
      await running;
    },
  };
}

/** Messages of a receiver that contradict each other: the same ID with another body, or an ID that the header lacks. */
export function contradictions({ received }: Receiver): string[] {
  const first = new Map<string, ReceivedMessage>();
  const found: string[] = [];
  for (const one of received) {
    const { id } = one.message;
    const earlier = first.get(id);
    if (!earlier) first.set(id, one);
    else if (earlier.body !== one.body) found.push(`two bodies of ${id}`);
    if (one.headers['webhook-id'] !== id) found.push(`webhook-id of ${id} is ${one.headers['webhook-id']}`);
  }
  return found;
}

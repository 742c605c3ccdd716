import { setTimeout as pause } from 'node:timers/promises';
import { type Subscription, subscribe } from '../../test/support/subscriptions.ts';
import { until } from '../../test/support/until.ts';
import type { TortureContext } from './context.ts';
import { Random } from './random.ts';

/** The content of a subscription event. */
interface FeedEvent {
  readonly cursor: string;
  readonly ids: readonly string[];
}

/** A subscription to the log: its document, its start, and the reader of its events. */
export interface Feed {
  readonly name: string;
  readonly document: string;
  readonly variables: object;
  read(data: Record<string, unknown>): FeedEvent;
}

/** A client that follows a subscription and reconnects after its last cursor. */
export class Follower {
  readonly name: string;
  /** In the order of arrival. */
  readonly ids: string[] = [];
  readonly #receivedIds = new Set<string>();
  readonly #feed: Feed;
  readonly context: TortureContext;
  #cursor: string;
  #stopped = false;
  #stream: Subscription | undefined;
  readonly #following: Promise<void>;
  reconnects = 0;

  constructor(context: TortureContext, number: number, feed: Feed, cursor: string) {
    this.name = `${feed.name} ${number}`;
    this.context = context;
    this.#feed = feed;
    this.#cursor = cursor;
    this.#following = this.#follow(new Random(context.seed, 'follower', number));
  }

  /** Whether it receives this within the given time. */
  has(id: string, withinMs: number): Promise<boolean> {
    return until(async () => this.#receivedIds.has(id), { withinMs }).catch(() => false);
  }

  async close(): Promise<void> {
    this.#stopped = true;
    await this.#stream?.close();
    await this.#following;
  }

  /** Reads some events at one process, then continues at the next one. */
  async #follow(random: Random): Promise<void> {
    const { fleet, journal } = this.context;
    while (!this.#stopped) {
      const most = 1 + random.index(200);
      const client = await fleet.client(random.index(3)).catch(() => undefined);
      if (!client) return;
      const variables = { ...this.#feed.variables, after: this.#cursor };
      this.#stream = await subscribe(client, this.#feed.document, variables, client.key).catch(() => undefined);
      if (this.#stream) await this.#readEvents(this.#stream, most).catch(() => {});
      const rejected = this.#stream?.rejection;
      const isKnown = !rejected || rejected.status === 503;
      journal.check('a subscription is rejected as documented', isKnown, () => JSON.stringify(rejected?.body));
      await this.#stream?.close();
      this.reconnects += 1;
      await pause(random.between(10, 300));
    }
  }

  async #readEvents(stream: Subscription, most: number): Promise<void> {
    for (let taken = 0; taken < most && !this.#stopped; taken += 1) {
      const event = await stream.next();
      if (!event || this.#stopped) return;
      if (event.errors) return this.#recordError(event.errors);
      const { cursor, ids } = this.#feed.read(event.data);
      this.#cursor = cursor;
      for (const id of ids) this.#record(id);
    }
  }

  #record(id: string): void {
    const { journal } = this.context;
    journal.check('a follower receives each event once', !this.#receivedIds.has(id), () => `${this.name}: ${id}`);
    this.#receivedIds.add(id);
    this.ids.push(id);
  }

  #recordError(errors: readonly { readonly extensions?: { readonly code?: string } }[]): void {
    const { journal } = this.context;
    const code = errors[0]?.extensions?.code;
    journal.count('subscription', `ended by ${code}`);
    journal.check(
      'a subscription ends as documented',
      code === 'UNAVAILABLE',
      () => `${this.name}: ${JSON.stringify(errors)}`,
    );
  }
}

interface EventRow {
  readonly eventId: string;
}

const LOG: Feed = {
  name: 'eventAppended',
  document: 'subscription ($after: String) { eventAppended(after: $after) { cursor event { eventId } } }',
  variables: {},
  read({ eventAppended }) {
    const { cursor, event } = eventAppended as { cursor: string; event: EventRow };
    return { cursor, ids: [event.eventId] };
  },
};

const ACTIVITY: Feed = {
  name: 'workspaceActivity',
  document: `subscription ($after: String) { workspaceActivity(after: $after) {
    cursor events { eventId } conversations { conversationId messageCount } counters { running waiting } } }`,
  variables: {},
  read({ workspaceActivity }) {
    const { cursor, events } = workspaceActivity as { cursor: string; events: readonly EventRow[] };
    return { cursor, ids: events.map(({ eventId }) => eventId) };
  },
};

/** All followers of the log, from before the first event. */
export async function startFollowers(context: TortureContext): Promise<Follower[]> {
  const client = await context.fleet.client(0);
  const page = await client.graphql('{ events { followCursor } }');
  const log: string = page.body.data.events.followCursor;
  const stream = await subscribe(client, ACTIVITY.document, {}, client.key);
  const activity: string = (await stream.next()).data.workspaceActivity.cursor;
  await stream.close();
  return [
    new Follower(context, 0, LOG, log),
    new Follower(context, 1, LOG, log),
    new Follower(context, 2, LOG, log),
    new Follower(context, 3, ACTIVITY, activity),
  ];
}

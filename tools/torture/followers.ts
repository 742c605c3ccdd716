import { setTimeout as pause } from 'node:timers/promises';
import { type Subscription, subscribe } from '../../test/support/subscriptions.ts';
import { until } from '../../test/support/until.ts';
import { Random } from './random.ts';
import type { Stage } from './stage.ts';

/** What an event of a feed comes to. */
interface Told {
  readonly cursor: string;
  readonly ids: readonly string[];
}

/** A feed of the log: its document, where it begins, and what its events tell. */
export interface Feed {
  readonly name: string;
  readonly document: string;
  readonly variables: object;
  read(data: Record<string, unknown>): Told;
}

/** Somebody who follows a feed, and goes on behind the last cursor wherever the stream broke. */
export class Follower {
  readonly name: string;
  /** In the order in which they were told. */
  readonly ids: string[] = [];
  readonly #seen = new Set<string>();
  readonly #feed: Feed;
  readonly #stage: Stage;
  #cursor: string;
  #stopped = false;
  #stream: Subscription | undefined;
  readonly #following: Promise<void>;
  reconnects = 0;

  constructor(stage: Stage, number: number, feed: Feed, cursor: string) {
    this.name = `${feed.name} ${number}`;
    this.#stage = stage;
    this.#feed = feed;
    this.#cursor = cursor;
    this.#following = this.#follow(new Random(stage.seed, 'follower', number));
  }

  /** Whether it has been told of this within so many milliseconds. */
  has(id: string, withinMs: number): Promise<boolean> {
    return until(async () => this.#seen.has(id), { withinMs }).catch(() => false);
  }

  async close(): Promise<void> {
    this.#stopped = true;
    await this.#stream?.close();
    await this.#following;
  }

  /** Some events at one process, then the others at the next one. */
  async #follow(random: Random): Promise<void> {
    const { fleet, journal } = this.#stage;
    while (!this.#stopped) {
      const most = 1 + random.index(200);
      const client = await fleet.client(random.index(3)).catch(() => undefined);
      if (!client) return;
      const variables = { ...this.#feed.variables, after: this.#cursor };
      this.#stream = await subscribe(client, this.#feed.document, variables, client.key).catch(() => undefined);
      if (this.#stream) await this.#take(this.#stream, most).catch(() => {});
      const refused = this.#stream?.refused;
      const isKnown = !refused || refused.status === 503;
      journal.check('a feed is refused as documented', isKnown, () => JSON.stringify(refused?.body));
      await this.#stream?.close();
      this.reconnects += 1;
      await pause(random.between(10, 300));
    }
  }

  async #take(stream: Subscription, most: number): Promise<void> {
    for (let taken = 0; taken < most && !this.#stopped; taken += 1) {
      const event = await stream.next();
      if (!event || this.#stopped) return;
      if (event.errors) return this.#fault(event.errors);
      const { cursor, ids } = this.#feed.read(event.data);
      this.#cursor = cursor;
      for (const id of ids) this.#note(id);
    }
  }

  #note(id: string): void {
    const { journal } = this.#stage;
    journal.check('a follower is told of each event once', !this.#seen.has(id), () => `${this.name}: ${id}`);
    this.#seen.add(id);
    this.ids.push(id);
  }

  #fault(errors: readonly { readonly extensions?: { readonly code?: string } }[]): void {
    const { journal } = this.#stage;
    const code = errors[0]?.extensions?.code;
    journal.count('feed', `ended by ${code}`);
    journal.check('a feed ends as documented', code === 'unavailable', () => `${this.name}: ${JSON.stringify(errors)}`);
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

/** Everybody who follows the log, from before the first event on. */
export async function startFollowers(stage: Stage): Promise<Follower[]> {
  const client = await stage.fleet.client(0);
  const page = await client.graphql('{ events { followCursor } }');
  const log: string = page.body.data.events.followCursor;
  const stream = await subscribe(client, ACTIVITY.document, {}, client.key);
  const activity: string = (await stream.next()).data.workspaceActivity.cursor;
  await stream.close();
  return [
    new Follower(stage, 0, LOG, log),
    new Follower(stage, 1, LOG, log),
    new Follower(stage, 2, LOG, log),
    new Follower(stage, 3, ACTIVITY, activity),
  ];
}

import { setTimeout as pause } from 'node:timers/promises';
import { subscribe } from '../../test/support/subscriptions.ts';
import { until } from '../../test/support/until.ts';
import { Random } from './random.ts';
import type { Stage } from './stage.ts';

/** An item as a feed or a page tells it. */
interface Item {
  readonly id: string;
  readonly status?: string;
}

/** A conversation as somebody sees it who painted a page of it and follows its changes. */
interface Watched {
  readonly conversationId: string;
  cursor: string;
  /** As told last, by id. */
  readonly items: Map<string, string>;
}

/** Conversations that are watched, one after another. */
const MOST = 60;

const FIELDS = 'id ... on Call { status }';

const PAGE = `query ($id: UUID!) { conversation(conversationId: $id) {
  history(last: 100) { nodes { ${FIELDS} } followCursor } } }`;

const FEED = `subscription ($id: UUID!, $after: String) { conversationChanged(conversationId: $id, after: $after) {
  cursor items { ${FIELDS} } } }`;

/** Watches conversations while turns of theirs are under way. */
export class Watcher {
  readonly #stage: Stage;
  readonly #watched: Watched[] = [];
  readonly #watching: Promise<void>;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#watching = this.#watch().catch((error: Error) => {
      stage.journal.check('clients understand what they are told', false, () => String(error.stack));
    });
  }

  get count(): number {
    return this.#watched.length;
  }

  /** Once nothing changes any more: what was told comes to what there is, at whichever process it is asked. */
  async check(): Promise<void> {
    await this.#watching;
    const random = new Random(this.#stage.seed, 'watcher', 'end');
    for (const watched of this.#watched) {
      const page = await this.#paint(watched.conversationId, random);
      const isSame = async () => !page || fold(page.items) === fold(watched.items);
      await Promise.race([
        this.#follow(watched, random, Number.POSITIVE_INFINITY, 3_000),
        until(isSame, { withinMs: 3_000 }).catch(() => {}),
      ]);
      this.#stage.journal.check('who watches a conversation sees all of it', await isSame(), () => {
        return `${watched.conversationId}: saw ${fold(watched.items)}, is ${fold(page?.items ?? new Map())}`;
      });
    }
  }

  async #watch(): Promise<void> {
    const { seed, journal } = this.#stage;
    for (let number = 0; !this.#stage.over(); number += 1) {
      const random = new Random(seed, 'watcher', number);
      await pause(250);
      const known = [...journal.conversations.keys()].slice(-5);
      const id = known[random.index(5)];
      if (!id || this.#watched.length === MOST || this.#watched.some((one) => one.conversationId === id)) continue;
      const watched = await this.#paint(id, random);
      if (!watched) continue;
      this.#watched.push(watched);
      for (let time = 0; time < 4; time += 1) await this.#follow(watched, random, 1 + random.index(8), 2_000);
    }
  }

  async #paint(conversationId: string, random: Random): Promise<Watched | undefined> {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const client = await this.#stage.fleet.client(random.index(3));
      const answer = await client.graphql(PAGE, { id: conversationId }).catch(() => undefined);
      const history = answer?.body?.data?.conversation?.history;
      if (history) {
        const items = new Map((history.nodes as Item[]).map((item) => [item.id, JSON.stringify(item)]));
        return { conversationId, cursor: history.followCursor, items };
      }
      await pause(300);
    }
    return undefined;
  }

  /** So many changes at most, and so long at most. */
  async #follow(watched: Watched, random: Random, most: number, forMs: number): Promise<void> {
    const client = await this.#stage.fleet.client(random.index(3));
    const variables = { id: watched.conversationId, after: watched.cursor };
    const stream = await subscribe(client, FEED, variables, client.key).catch(() => undefined);
    if (!stream) return;
    const enough = setTimeout(() => void stream.close(), forMs);
    try {
      for (let taken = 0; taken < most; taken += 1) {
        const change = (await stream.next())?.data?.conversationChanged;
        if (!change) break;
        for (const item of change.items as Item[]) this.#note(watched, item);
        watched.cursor = change.cursor;
      }
    } catch {
      // The process died, or it was enough: the next one goes on behind the cursor.
    } finally {
      clearTimeout(enough);
      await stream.close();
    }
  }

  /** What is told again has changed. Messages never do, so they come in the order of the timeline. */
  #note({ conversationId, items }: Watched, item: Item): void {
    const { journal } = this.#stage;
    const told = JSON.stringify(item);
    const after = [...items.values()].filter((one) => !one.includes('"status"') && one > told);
    journal.check(
      'a watcher is told each change once',
      items.get(item.id) !== told,
      () => `${conversationId}: ${told}`,
    );
    const inOrder = item.status !== undefined || after.length === 0;
    journal.check('a watcher is told of messages in their order', inOrder, () => {
      return `${conversationId}: ${told} after ${after}`;
    });
    items.set(item.id, told);
  }
}

/** As far as a page goes. */
function fold(items: ReadonlyMap<string, string>): string {
  return [...items.values()].sort().slice(-100).join('\n');
}

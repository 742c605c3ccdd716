import { setTimeout as pause } from 'node:timers/promises';
import { subscribe } from '../../test/support/subscriptions.ts';
import { until } from '../../test/support/until.ts';
import type { TortureContext } from './context.ts';
import { Random } from './random.ts';

/** An item of a subscription or a page. */
interface Item {
  readonly id: string;
  readonly status?: string;
}

/** A conversation in the view of a client that read a page and follows the changes. */
interface WatchedConversation {
  readonly conversationId: string;
  cursor: string;
  /** The latest version of each item, by ID. */
  readonly items: Map<string, string>;
  /** Items that left the active line. They can be active again. */
  readonly left: Set<string>;
}

/** The number of conversations to watch, one after another. */
const MAX_WATCHED = 60;

/** The message of a turn that runs again belongs to another run. */
const FIELDS = 'id: itemId run { runId } ... on Call { status }';

const PAGE = `query ($id: ID!) { conversation(id: $id) {
  history(last: 100) { nodes { ${FIELDS} } followCursor } } }`;

const FEED = `subscription ($id: ID!, $after: String) { conversationChanged(conversationId: $id, after: $after) {
  cursor items { ${FIELDS} } supersededItemIds } }`;

const IN_ORDER = 'a watcher receives messages in their order';

/** Watches conversations during their turns. */
export class Watcher {
  readonly context: TortureContext;
  readonly #watched: WatchedConversation[] = [];
  /** New messages that arrived after a later one. */
  readonly #late: { readonly conversationId: string; readonly detail: string }[] = [];
  readonly #watching: Promise<void>;

  constructor(context: TortureContext) {
    this.context = context;
    this.#watching = this.#watch().catch((error: Error) => {
      context.journal.check('clients understand every response', false, () => String(error.stack));
    });
  }

  get count(): number {
    return this.#watched.length;
  }

  /** After the last change: the received items equal the stored ones at every process. */
  async check(): Promise<void> {
    await this.#watching;
    await this.#checkLate();
    const random = new Random(this.context.seed, 'watcher', 'end');
    for (const watched of this.#watched) {
      const page = await this.#readPage(watched.conversationId, random);
      const isSame = async () => !page || fold(page.items) === fold(watched.items);
      await Promise.race([
        this.#follow(watched, random, Number.POSITIVE_INFINITY, 3_000),
        until(isSame, { withinMs: 3_000 }).catch(() => {}),
      ]);
      this.context.journal.check('a watcher of a conversation sees all of it', await isSame(), () => {
        return `${watched.conversationId}: saw ${fold(watched.items)}, is ${fold(page?.items ?? new Map())}`;
      });
    }
  }

  /** Only a message that was stored for a person changes later: it moves to the turn that answers it. */
  async #checkLate(): Promise<void> {
    const { database, journal } = this.context;
    for (const { conversationId, detail } of this.#late) {
      const change = "SELECT FROM timeline_item WHERE conversation_id = $1 AND kind = 'handling' LIMIT 1";
      const { rows } = (await database?.query(change, [conversationId])) ?? { rows: [] };
      journal.check(IN_ORDER, rows.length > 0, () => `${conversationId}: ${detail}`);
    }
  }

  async #watch(): Promise<void> {
    const { seed, journal } = this.context;
    for (let number = 0; !this.context.isOver(); number += 1) {
      const random = new Random(seed, 'watcher', number);
      await pause(250);
      const known = [...journal.conversations.keys()].slice(-5);
      const id = known[random.index(5)];
      if (!id || this.#watched.length === MAX_WATCHED || this.#watched.some((one) => one.conversationId === id))
        continue;
      const watched = await this.#readPage(id, random);
      if (!watched) continue;
      this.#watched.push(watched);
      for (let time = 0; time < 4; time += 1) await this.#follow(watched, random, 1 + random.index(8), 2_000);
    }
  }

  async #readPage(conversationId: string, random: Random): Promise<WatchedConversation | undefined> {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const client = await this.context.fleet.client(random.index(3));
      const response = await client.graphql(PAGE, { id: conversationId }).catch(() => undefined);
      const history = response?.body?.data?.conversation?.history;
      // With an error, a field can be null that is not null.
      if (history && !response?.body?.errors) {
        const items = new Map((history.nodes as Item[]).map((item) => [item.id, JSON.stringify(item)]));
        return { conversationId, cursor: history.followCursor, items, left: new Set() };
      }
      await pause(300);
    }
    return undefined;
  }

  /** Reads at most this many changes for at most this long. */
  async #follow(watched: WatchedConversation, random: Random, most: number, forMs: number): Promise<void> {
    const client = await this.context.fleet.client(random.index(3));
    const variables = { id: watched.conversationId, after: watched.cursor };
    const stream = await subscribe(client, FEED, variables, client.key).catch(() => undefined);
    if (!stream) return;
    const timeout = setTimeout(() => void stream.close(), forMs);
    try {
      for (let taken = 0; taken < most; taken += 1) {
        const response = await stream.next();
        const change = response?.data?.conversationChanged;
        if (!change || response?.errors) break;
        for (const id of change.supersededItemIds as string[]) {
          watched.items.delete(id);
          watched.left.add(id);
        }
        for (const item of change.items as Item[]) this.#record(watched, item);
        watched.cursor = change.cursor;
      }
    } catch {
      // The process died, or the limit was reached. The next call continues after the cursor.
    } finally {
      clearTimeout(timeout);
      await stream.close();
    }
  }

  /**
   * An item is sent again only if it has changed. New messages arrive in the order of the timeline, unless they have changed
   * since.
   */
  #record({ conversationId, items, left }: WatchedConversation, item: Item): void {
    const { journal } = this.context;
    const text = JSON.stringify(item);
    const after = [...items.values()].filter((one) => !one.includes('"status"') && one > text);
    journal.check(
      'a watcher receives each change once',
      items.get(item.id) !== text,
      () => `${conversationId}: ${text}`,
    );
    const isNew = item.status === undefined && !items.has(item.id) && !left.has(item.id);
    if (isNew && after.length > 0) this.#late.push({ conversationId, detail: `${text} after ${after}` });
    else journal.check(IN_ORDER, true, () => '');
    items.set(item.id, text);
  }
}

/** The items of one page. */
function fold(items: ReadonlyMap<string, string>): string {
  return [...items.values()].sort().slice(-100).join('\n');
}

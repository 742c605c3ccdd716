import type { TimelineItem } from '../../../db/generated/client.ts';
import type { PubSub } from '../../../db/pub-sub.ts';
import { Tail, type TailRead } from '../../../db/tail.ts';
import type { TurnState } from './turn-events.ts';
import { MAX_ITEMS, readItems, readLatestTurn, type TurnSource } from './turn-reads.ts';

/** Changes after a revision. */
export interface TurnRead {
  readonly items: readonly TimelineItem[];
  /** The latest turn. Undefined if more items follow. `items` are at least as new. */
  readonly latest: TurnState | null | undefined;
}

/** The latest turn and the newest items of a conversation, read once for all watchers in this process. */
export class TurnTail extends Tail {
  readonly source: TurnSource;
  readonly #catchingUp = new Map<bigint, Promise<TimelineItem[]>>();
  /** Items with a revision above this one are in `#items`. */
  #start: bigint;
  #items: TimelineItem[] = [];
  #xid: string | undefined;
  #latest: TurnState | null | undefined;

  constructor(pubSub: PubSub, source: TurnSource, from: bigint) {
    super(pubSub, [source.conversationId]);
    this.source = source;
    this.#start = from;
  }

  /** @throws {ServiceError} not_found if the conversation was deleted */
  async read(revision: bigint): Promise<TurnRead> {
    this.requireReadable();
    const latest = this.#latest;
    if (revision >= this.#start) return { items: this.#items.filter((item) => item.revision > revision), latest };
    const items = await this.#catchUp(revision);
    // The state is older than the items, so it is read again with the next notification.
    return { items, latest: items.length === MAX_ITEMS ? undefined : latest };
  }

  protected async readNext(): Promise<TailRead> {
    // Before the items, so that the items of an ended turn are complete.
    const { xid, turn } = await readLatestTurn(this.source);
    // Every statement that changes an item also writes its conversation.
    if (xid === this.#xid) return { hasNewRows: false, hasMore: false, isHeldBack: false };
    const items = await readItems(this.source, this.#items.at(-1)?.revision ?? this.#start);
    const hasMore = items.length === MAX_ITEMS;
    this.#items.push(...items);
    const dropped = this.#items.splice(0, Math.max(0, this.#items.length - MAX_ITEMS));
    this.#start = dropped.at(-1)?.revision ?? this.#start;
    this.#latest = hasMore ? undefined : turn;
    this.#xid = hasMore ? undefined : xid;
    return { hasNewRows: true, hasMore, isHeldBack: false };
  }

  /** Watchers at the same revision share the read. */
  #catchUp(revision: bigint): Promise<TimelineItem[]> {
    const known = this.#catchingUp.get(revision);
    if (known) return known;
    const reading = readItems(this.source, revision).finally(() => this.#catchingUp.delete(revision));
    this.#catchingUp.set(revision, reading);
    return reading;
  }
}

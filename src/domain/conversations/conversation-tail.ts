import type { CursorCodec } from '../../db/cursor.ts';
import type { TimelineItem } from '../../db/generated/client.ts';
import type { PubSub } from '../../db/pub-sub.ts';
import type { Sql } from '../../db/sql.ts';
import { Tail, type TailRead } from '../../db/tail.ts';
import type { Context } from '../context.ts';
import { NO_SUMMARY, ONLY_ITEMS } from '../related/lists.ts';
import { conversationNotFound } from './reads.ts';

/** How many items one message contains. */
const BATCH = 100;

/** A change of a conversation. */
export interface ConversationChange {
  readonly conversationId: string;
  /** New and changed items of the active line in their current state, in the order of their changes. */
  readonly items: readonly TimelineItem[];
  /** Items that left the active line. */
  readonly superseded: readonly TimelineItem[];
  /** The cursor for a later subscription that continues here. */
  readonly cursor: string;
}

/** The position of a subscriber. */
export interface ConversationPlace {
  /** The revision of the last item that it received. */
  readonly revision: bigint;
  /** The transaction of the last state that it received. Undefined before the first. */
  readonly xid: string | undefined;
}

/** A change, and the position of a subscriber that has received it. */
interface PlacedChange {
  readonly change: ConversationChange;
  readonly place: ConversationPlace;
}

/** The newest change, for subscribers at the revision `from`. */
interface Newest extends PlacedChange {
  readonly from: bigint;
  readonly place: { readonly revision: bigint; readonly xid: string };
}

/** A change that was read from the database, and the revision of its last item. */
interface CaughtUp {
  readonly change: ConversationChange;
  readonly revision: bigint;
}

/** The source of a tail. */
interface ConversationSource {
  readonly conversationId: string;
  readonly environmentId: string;
  readonly db: Context['db'];
  readonly sql: Sql;
  /** Whether the changes have hand-overs. */
  readonly hasHandling: boolean;
}

/** The newest change of a conversation. Subscribers at its start get it from memory. */
export class ConversationTail extends Tail {
  readonly #source: ConversationSource;
  readonly #codec: CursorCodec;
  readonly #from: bigint;
  readonly #reading = new Map<bigint, Promise<CaughtUp>>();
  #newest: Newest | undefined;
  /** The newest state, for subscribers that have all items. */
  #state: ConversationChange | undefined;

  constructor(pubSub: PubSub, source: ConversationSource, codec: CursorCodec, from: bigint) {
    super(pubSub, [source.conversationId]);
    this.#source = source;
    this.#codec = codec;
    this.#from = from;
  }

  /**
   * Returns what follows a position, or undefined if nothing does.
   * @throws {ServiceError} not_found if the conversation was deleted
   */
  async read(place: ConversationPlace): Promise<PlacedChange | undefined> {
    this.requireReadable();
    const newest = this.#newest;
    if (!newest || newest.place.revision < place.revision) return undefined;
    if (newest.place.revision === place.revision) {
      if (newest.place.xid === place.xid) return undefined;
      if (newest.from !== place.revision) this.#state ??= this.#change([], place.revision);
      return { change: this.#state ?? newest.change, place: newest.place };
    }
    if (newest.from === place.revision) return newest;
    const { change, revision } = await this.#catchUp(place.revision, newest.place.revision);
    return { change, place: { revision, xid: revision >= newest.place.revision ? newest.place.xid : place.xid } };
  }

  protected async readNext(): Promise<TailRead> {
    const { conversationId, environmentId, sql } = this.#source;
    const from = this.#newest?.place.revision ?? this.#from;
    const [state] = await sql.rows<{ xid: string }>`
      SELECT xid::text AS xid FROM conversation
      WHERE id = ${conversationId}::uuid AND environment_id = ${environmentId}::uuid`;
    if (!state) throw conversationNotFound();
    const items = await this.#itemsAfter(from);
    const hasNews = items.length > 0 || state.xid !== this.#newest?.place.xid;
    if (hasNews) {
      const revision = items.at(-1)?.revision ?? from;
      this.#newest = { from, place: { revision, xid: state.xid }, change: this.#change(items, revision) };
      this.#state = undefined;
    }
    return { hasNewRows: hasNews, hasMore: items.length === BATCH, isHeldBack: false };
  }

  /** A subscriber before the newest change reads from the database. Subscribers at the same position share the read. */
  #catchUp(from: bigint, newest: bigint): Promise<CaughtUp> {
    const known = this.#reading.get(from);
    if (known) return known;
    const reading = this.#itemsAfter(from)
      .then((items) => {
        const revision = items.at(-1)?.revision;
        return { change: this.#change(items, revision ?? from), revision: revision ?? newest };
      })
      .finally(() => this.#reading.delete(from));
    this.#reading.set(from, reading);
    return reading;
  }

  #itemsAfter(revision: bigint): Promise<TimelineItem[]> {
    const { conversationId, db, hasHandling } = this.#source;
    return db.timelineItem.findMany({
      where: { conversationId, revision: { gt: revision }, ...(hasHandling ? NO_SUMMARY : ONLY_ITEMS) },
      orderBy: { revision: 'asc' },
      take: BATCH,
    });
  }

  #change(changed: readonly TimelineItem[], revision: bigint): ConversationChange {
    const { conversationId } = this.#source;
    const items = changed.filter(({ supersededBy }) => supersededBy === null);
    const superseded = changed.filter(({ supersededBy }) => supersededBy !== null);
    return { conversationId, items, superseded, cursor: this.#codec.encode([String(revision)]) };
  }
}

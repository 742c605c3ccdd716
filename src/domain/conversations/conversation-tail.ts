import type { CursorCodec } from '../../db/cursor.ts';
import type { TimelineItem } from '../../db/generated/client.ts';
import type { Live } from '../../db/live.ts';
import type { Sql } from '../../db/sql.ts';
import { type Look, Tail } from '../../db/tail.ts';
import type { Context } from '../context.ts';
import { conversationNotFound } from './reads.ts';

/** Items told at once. */
const BATCH = 100;

/** That something of a conversation has changed. */
export interface ConversationChange {
  readonly conversationId: string;
  /** Items that are new or have changed, as they are now, in the order of their changes. */
  readonly items: readonly TimelineItem[];
  /** Where the next follower goes on behind it. */
  readonly cursor: string;
}

/** How far a follower is. */
export interface ConversationPlace {
  /** Of the last item that it has. */
  readonly revision: bigint;
  /** The transaction that wrote the last state that it was told of; undefined before the first. */
  readonly xid: string | undefined;
}

/** A change, and the place of a follower who has it. */
interface PlacedChange {
  readonly change: ConversationChange;
  readonly place: ConversationPlace;
}

/** The newest change: what whoever was at `from` has not been told. */
interface Newest extends PlacedChange {
  readonly from: bigint;
  readonly place: { readonly revision: bigint; readonly xid: string };
}

/** What a tail reads. */
interface ConversationSource {
  readonly conversationId: string;
  readonly environmentId: string;
  readonly db: Context['db'];
  readonly sql: Sql;
}

/** The newest change of a conversation: who is where it begins is answered from here. */
export class ConversationTail extends Tail {
  readonly #source: ConversationSource;
  readonly #codec: CursorCodec;
  readonly #from: bigint;
  readonly #reading = new Map<bigint, Promise<ConversationChange>>();
  #newest: Newest | undefined;
  /** The newest state, for those who have all items. */
  #state: ConversationChange | undefined;

  constructor(live: Live, source: ConversationSource, codec: CursorCodec, from: bigint) {
    super(live, [source.conversationId]);
    this.#source = source;
    this.#codec = codec;
    this.#from = from;
  }

  /**
   * What follows a place; undefined where that is nothing.
   * @throws {ServiceError} not_found once the conversation is deleted
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
    const change = await this.#catchUp(place.revision);
    const revision = change.items.at(-1)?.revision ?? newest.place.revision;
    return { change, place: { revision, xid: revision >= newest.place.revision ? newest.place.xid : place.xid } };
  }

  protected async look(): Promise<Look> {
    const { conversationId, environmentId, sql } = this.#source;
    const from = this.#newest?.place.revision ?? this.#from;
    const [state] = await sql.rows<{ xid: string }>`
      SELECT xid::text AS xid FROM conversation
      WHERE id = ${conversationId}::uuid AND environment_id = ${environmentId}::uuid`;
    if (!state) throw conversationNotFound();
    const items = await this.#itemsBehind(from);
    const hasNews = items.length > 0 || state.xid !== this.#newest?.place.xid;
    if (hasNews) {
      const revision = items.at(-1)?.revision ?? from;
      this.#newest = { from, place: { revision, xid: state.xid }, change: this.#change(items, revision) };
      this.#state = undefined;
    }
    return { hasNews, hasMore: items.length === BATCH, isHeldBack: false };
  }

  /** Who is behind the newest change reads by themselves; those at the same place together. */
  #catchUp(from: bigint): Promise<ConversationChange> {
    const known = this.#reading.get(from);
    if (known) return known;
    const reading = this.#itemsBehind(from)
      .then((items) => this.#change(items, items.at(-1)?.revision ?? from))
      .finally(() => this.#reading.delete(from));
    this.#reading.set(from, reading);
    return reading;
  }

  #itemsBehind(revision: bigint): Promise<TimelineItem[]> {
    const { conversationId, db } = this.#source;
    return db.timelineItem.findMany({
      where: { conversationId, revision: { gt: revision } },
      orderBy: { revision: 'asc' },
      take: BATCH,
    });
  }

  #change(items: readonly TimelineItem[], revision: bigint): ConversationChange {
    const { conversationId } = this.#source;
    return { conversationId, items, cursor: this.#codec.encode([String(revision)]) };
  }
}

import { EventEmitter } from 'node:events';
import type { Prisma } from '../../../db/generated/client.ts';
import type { PubSub } from '../../../db/pub-sub.ts';
import type { SystemSql } from '../../../db/sql.ts';
import { PeriodicTasks } from '../../periodic-tasks.ts';
import type { Log } from '../../telemetry.ts';
import { deleteLiveText, deleteOrphans, insertPieces, type Piece } from './live-text-sql.ts';
import { LiveTurn, type WritingTurn } from './live-turn.ts';

/** At most one statement in this time, whatever the number of turns. */
const FLUSH_MS = 50;

/** The first text of an idle process waits less. A reply that is complete by then is never stored twice. */
const FIRST_FLUSH_MS = 10;

const SWEEP_MS = 60_000;
const FAILURE_MESSAGE = 'background work on the text of running turns failed';

/** The topic that tells other processes of new text in a conversation. */
export function liveTopic(conversationId: string): string {
  return `live:${conversationId}`;
}

interface LiveParts {
  readonly sql: SystemSql;
  readonly pubSub: PubSub;
  readonly log: Log;
  readonly monotonicMs: () => number;
}

/**
 * The turns that run in this process, with their text. The text of all turns is stored together, at most every 50 ms.
 * Watchers in this process see the first text of a step at once, and more with each flush. A watcher can therefore see
 * text that is not stored yet. If this process dies, the run ends without a message, and the feed declares the text void.
 */
export class LiveTurns {
  readonly #parts: LiveParts;
  readonly #tasks: PeriodicTasks;
  readonly #watchers = new EventEmitter().setMaxListeners(0);
  readonly #readers = new EventEmitter().setMaxListeners(0);
  /** By conversation. A conversation has one running turn. */
  readonly #turns = new Map<string, LiveTurn>();
  readonly #changed = new Set<LiveTurn>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #flushedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.#tasks = new PeriodicTasks(parts.log);
  }

  start(): void {
    this.#tasks.every(SWEEP_MS, FAILURE_MESSAGE, () => deleteOrphans(this.#parts.sql));
  }

  close(): Promise<void> {
    return this.#tasks.stop();
  }

  /** Opens the text of a turn. The caller closes it after the turn has ended or paused. */
  open(environmentId: string, turn: WritingTurn): LiveTurn {
    const live: LiveTurn = new LiveTurn(environmentId, turn, (isFirst) => this.#wrote(live, isFirst));
    this.#turns.set(live.conversationId, live);
    return live;
  }

  closeTurn(live: LiveTurn): void {
    this.#changed.delete(live);
    if (this.#turns.get(live.conversationId) === live) this.#turns.delete(live.conversationId);
    this.#watchers.emit(live.conversationId);
    this.#readers.emit(live.conversationId);
  }

  /** The running turn of a conversation, if it runs in this process. */
  find(conversationId: string): LiveTurn | undefined {
    return this.#turns.get(conversationId);
  }

  /**
   * Calls `notify` when a turn of the conversation in this process begins a text, with each flush, and when it ends: for
   * watchers, of which there can be many.
   */
  watch(conversationId: string, notify: () => void): () => void {
    this.#watchers.on(conversationId, notify);
    return () => this.#watchers.off(conversationId, notify);
  }

  /** Calls `notify` with each piece of text: for the one reader of a streamed reply. */
  subscribe(conversationId: string, notify: () => void): () => void {
    this.#readers.on(conversationId, notify);
    return () => this.#readers.off(conversationId, notify);
  }

  /** Whether a client in this process reads the text of the conversation. */
  isWatched(conversationId: string): boolean {
    return this.#watchers.listenerCount(conversationId) + this.#readers.listenerCount(conversationId) > 0;
  }

  /**
   * Returns the CTEs of the statement that stores the message: they delete all text of the turn. It waits for a statement
   * that is storing text of the turn, and stores no more of it.
   */
  async sealed(live: LiveTurn): Promise<Prisma.Sql[]> {
    live.seal();
    this.#changed.delete(live);
    if (!live.hasRows) return [];
    await this.#flushing;
    return [deleteLiveText()];
  }

  #wrote(live: LiveTurn, isFirst: boolean): void {
    this.#changed.add(live);
    this.#readers.emit(live.conversationId);
    if (isFirst) this.#watchers.emit(live.conversationId);
    this.#schedule(FIRST_FLUSH_MS);
  }

  #schedule(leastMs: number): void {
    if (this.#timer || this.#flushing) return;
    const leftMs = this.#flushedMs + FLUSH_MS - this.#parts.monotonicMs();
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#flushing = this.#flush().finally(() => {
          this.#flushing = undefined;
          if (this.#changed.size > 0) this.#schedule(0);
        });
      },
      Math.max(leastMs, leftMs),
    );
  }

  async #flush(): Promise<void> {
    this.#flushedMs = this.#parts.monotonicMs();
    const turns = [...this.#changed];
    this.#changed.clear();
    const sent = turns.map((live) => ({ live, pieces: live.unstored() }));
    for (const { live, pieces } of sent) if (pieces.length > 0) live.markSent();
    for (const { conversationId } of turns) this.#watchers.emit(conversationId);
    try {
      await this.#store(sent.flatMap(({ pieces }) => pieces));
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'the text of running turns could not be stored');
      for (const { live } of sent) if (this.#turns.get(live.conversationId) === live) this.#changed.add(live);
      return;
    }
    for (const { live, pieces } of sent) {
      for (const piece of pieces) live.markStored(piece);
      if (pieces.length > 0) this.#parts.pubSub.publish(liveTopic(live.conversationId));
    }
  }

  async #store(pieces: readonly Piece[]): Promise<void> {
    if (pieces.length > 0) await this.#parts.sql.execute`${insertPieces(pieces)}`;
  }
}

import type { Live } from '../../db/live.ts';
import { eventTopic } from '../events/append.ts';
import { AttemptPool, type PoolParts } from './attempt-pool.ts';
import { claimDue } from './claim.ts';
import type { WebhookPace } from './pace.ts';
import { queueDeliveries } from './queue.ts';
import { sweepDeliveries } from './sweep.ts';
import { WEBHOOKS_TOPIC } from './topic.ts';

/** How much longer than an attempt a claim holds, so that it can be recorded. */
const RECORDING_MS = 5_000;

const SWEEP_MS = 60_000;

/** First wait for a transaction that holds events back; nobody tells when one ends that wrote no event. */
const HELD_BACK_MS = 10;

/** What the dispatcher works with: it sees every environment. */
export interface DispatcherParts extends PoolParts {
  readonly live: Live;
}

/**
 * Delivers what the log tells to webhook endpoints. Every process has one, and they share the work: what is queued and
 * who delivers it is in the database. It is woken as events commit, and looks by itself from time to time.
 */
export class WebhookDispatcher {
  readonly #parts: DispatcherParts;
  readonly #pace: WebhookPace;
  /** How to stop listening to each environment that has endpoints. */
  readonly #listening = new Map<string, () => void>();
  /** Environments whose log may have grown. */
  readonly #grown = new Set<string>();
  /** Environments where something may be due. */
  readonly #due = new Set<string>();
  readonly #attempts: AttemptPool;
  readonly #timers: NodeJS.Timeout[] = [];
  #stopListening: (() => void) | undefined;
  #lookAround = true;
  /** Environments with events that wait for an older transaction to end. */
  readonly #heldBack = new Set<string>();
  #heldBackTimer: NodeJS.Timeout | undefined;
  #heldBackMs = HELD_BACK_MS;
  #woken = true;
  #release: (() => void) | undefined;
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: DispatcherParts, pace: WebhookPace) {
    this.#parts = parts;
    this.#pace = pace;
    this.#attempts = new AttemptPool(parts, pace, (environmentId) => {
      this.#due.add(environmentId);
      this.#wake();
    });
  }

  start(): void {
    const look = () => {
      this.#lookAround = true;
      this.#wake();
    };
    this.#stopListening = this.#parts.live.listen(WEBHOOKS_TOPIC, look);
    const sweep = () => this.#orLog('old deliveries could not be removed', () => sweepDeliveries(this.#parts.prisma));
    this.#timers.push(setInterval(look, this.#pace.pollMs).unref(), setInterval(sweep, SWEEP_MS).unref());
    this.#work = this.#run();
  }

  /** Claims nothing more, waits for the attempts that are under way, and breaks off what is left after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.#closed = true;
    this.#wake();
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#heldBackTimer);
    this.#stopListening?.();
    this.#listenTo([]);
    await this.#work;
    await this.#attempts.drain(graceMs);
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      await this.#rest();
      await this.#orLog('webhooks cannot be delivered', async () => {
        if (this.#lookAround) await this.#look();
        await this.#queue();
        await this.#claim();
      });
    }
  }

  async #rest(): Promise<void> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        this.#release = resolve;
      });
    }
    this.#woken = false;
  }

  #wake(): void {
    this.#woken = true;
    this.#release?.();
  }

  /** Finds the environments that have endpoints; all of them may have something to do. */
  async #look(): Promise<void> {
    this.#lookAround = false;
    const rows = await this.#parts.prisma.$queryRaw<{ id: string }[]>`
      SELECT DISTINCT environment_id::text AS id FROM webhook_endpoint WHERE enabled`;
    const ids = rows.map(({ id }) => id);
    this.#listenTo(ids);
    for (const id of ids) {
      this.#grown.add(id);
      this.#due.add(id);
    }
  }

  #listenTo(environmentIds: readonly string[]): void {
    const wanted = new Set(environmentIds);
    for (const [id, stop] of this.#listening) {
      if (wanted.has(id)) continue;
      stop();
      this.#listening.delete(id);
    }
    if (this.#closed) return;
    for (const id of wanted) {
      if (this.#listening.has(id)) continue;
      const stop = this.#parts.live.listen(eventTopic(id), () => this.#readAgain([id]));
      this.#listening.set(id, stop);
    }
  }

  #readAgain(environmentIds: readonly string[]): void {
    for (const id of environmentIds) this.#grown.add(id);
    this.#wake();
  }

  async #queue(): Promise<void> {
    const ids = [...this.#grown];
    this.#grown.clear();
    if (ids.length === 0 || this.#closed) return;
    const { count, more, heldBack } = await queueDeliveries(this.#parts.prisma, ids);
    if (count > 0) for (const id of ids) this.#due.add(id);
    if (more) this.#readAgain(ids);
    if (heldBack) this.#readLater(ids);
    else this.#heldBackMs = HELD_BACK_MS;
  }

  #readLater(environmentIds: readonly string[]): void {
    for (const id of environmentIds) this.#heldBack.add(id);
    this.#heldBackTimer ??= setTimeout(() => {
      this.#heldBackTimer = undefined;
      this.#readAgain([...this.#heldBack]);
      this.#heldBack.clear();
    }, this.#heldBackMs).unref();
    this.#heldBackMs = Math.min(this.#heldBackMs * 2, this.#pace.pollMs);
  }

  async #claim(): Promise<void> {
    const ids = [...this.#due];
    const limit = this.#attempts.room;
    if (ids.length === 0 || limit === 0 || this.#closed) return;
    this.#due.clear();
    const leaseMs = this.#pace.timeoutMs + RECORDING_MS;
    const claimed = await claimDue(this.#parts.prisma, ids, { limit, leaseMs });
    // There may be more than there was room for: the next attempt that ends makes some.
    if (claimed.length === limit) for (const id of ids) this.#due.add(id);
    for (const delivery of claimed) this.#attempts.begin(delivery);
  }

  async #orLog(message: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.#parts.log.error({ err: error }, message));
  }
}

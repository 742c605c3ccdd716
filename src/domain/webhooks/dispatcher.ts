import type { PubSub } from '../../db/pub-sub.ts';
import { forEachEnvironment } from '../by-environment.ts';
import { eventTopic } from '../events/topic.ts';
import { PeriodicTasks } from '../periodic-tasks.ts';
import { AttemptPool, type PoolParts } from './attempt-pool.ts';
import { type ClaimCapacity, claimDue, type DueShare, findDue } from './claim.ts';
import { WEBHOOKS_TOPIC } from './deliveries.ts';
import type { WebhookPace } from './pace.ts';
import { findGrownLogs, queueDeliveries, sweepDeliveries } from './queue.ts';

/** A claim lasts this much longer than an attempt, so that the outcome can be recorded. */
const RECORDING_MS = 5_000;

const SWEEP_MS = 60_000;

/** Limit: environments whose log is read before deliveries are claimed. */
const ENVIRONMENTS = 100;

const FAILURE_MESSAGE = 'webhooks cannot be delivered';

/** The first wait for an open transaction that holds events back. The end of a transaction without events is not published. */
const HELD_BACK_MS = 10;

/** The dependencies of the dispatcher. Its database client can read every environment. */
export interface DispatcherParts extends PoolParts {
  readonly pubSub: PubSub;
}

/**
 * Delivers the events of the log to webhook endpoints. Every process has a dispatcher. The dispatchers share the work,
 * because the queue and the claims are in the database. Committed events wake a dispatcher, and it also polls.
 */
export class WebhookDispatcher {
  readonly #parts: DispatcherParts;
  readonly #pace: WebhookPace;
  /** The unsubscribe functions of the environments that have endpoints. */
  readonly #subscriptions = new Map<string, () => void>();
  /** Environments whose log may have new events. One statement finds those that have. */
  readonly #watched = new Set<string>();
  /** Environments with new events. */
  readonly #grown = new Set<string>();
  /** Environments that may have due deliveries. */
  readonly #due = new Set<string>();
  readonly #attempts: AttemptPool;
  readonly #tasks: PeriodicTasks;
  #unsubscribe: (() => void) | undefined;
  #mustFindEnvironments = true;
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
    this.#tasks = new PeriodicTasks(parts.log);
    this.#attempts = new AttemptPool(parts, pace, (environmentId, isLocking) => {
      // `queueDeliveries` skips a locked endpoint, so its log is read again.
      if (isLocking) this.#grown.add(environmentId);
      this.#due.add(environmentId);
      this.#wake();
    });
  }

  start(): void {
    const poll = () => {
      this.#mustFindEnvironments = true;
      this.#wake();
    };
    this.#unsubscribe = this.#parts.pubSub.subscribe(WEBHOOKS_TOPIC, poll);
    this.#tasks.every(this.#pace.pollMs, FAILURE_MESSAGE, poll);
    const { sql } = this.#parts;
    this.#tasks.every(SWEEP_MS, 'old deliveries could not be removed', () => sweepDeliveries(sql));
    this.#work = this.#run();
  }

  /** Stops claiming deliveries and waits for the running attempts. Aborts the attempts that still run after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.#closed = true;
    this.#wake();
    clearTimeout(this.#heldBackTimer);
    this.#unsubscribe?.();
    this.#subscribeTo([]);
    await Promise.all([this.#work, this.#tasks.stop()]);
    await this.#attempts.drain(graceMs);
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      await this.#waitForWork();
      await this.#orLog(FAILURE_MESSAGE, async () => {
        if (this.#mustFindEnvironments) await this.#findEnvironments();
        await this.#queue();
        await this.#claim();
      });
    }
  }

  async #waitForWork(): Promise<void> {
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

  /** Finds the environments that have enabled endpoints. Each of them may have new events or due deliveries. */
  async #findEnvironments(): Promise<void> {
    this.#mustFindEnvironments = false;
    const { sql, observer } = this.#parts;
    const rows = await sql.rows<{ id: string; paused: number }>`
      SELECT environment_id::text AS id, count(*) FILTER (WHERE paused_until > now())::int AS paused
      FROM webhook_endpoint WHERE enabled GROUP BY environment_id`;
    observer.webhookEndpointsPaused(rows.reduce((sum, { paused }) => sum + paused, 0));
    const ids = rows.map(({ id }) => id);
    this.#subscribeTo(ids);
    for (const id of ids) {
      this.#watched.add(id);
      this.#due.add(id);
    }
  }

  #subscribeTo(environmentIds: readonly string[]): void {
    const ids = new Set(environmentIds);
    for (const [id, unsubscribe] of this.#subscriptions) {
      if (ids.has(id)) continue;
      unsubscribe();
      this.#subscriptions.delete(id);
    }
    if (this.#closed) return;
    for (const id of ids) {
      if (this.#subscriptions.has(id)) continue;
      const unsubscribe = this.#parts.pubSub.subscribe(eventTopic(id), () => this.#readLog(id));
      this.#subscriptions.set(id, unsubscribe);
    }
  }

  #readLog(environmentId: string): void {
    this.#grown.add(environmentId);
    this.#wake();
  }

  async #queue(): Promise<void> {
    await this.#findGrown();
    const ids = [...this.#grown].slice(0, ENVIRONMENTS);
    let isHeldBack = false;
    await forEachEnvironment(ids, async (id) => {
      if (this.#closed) return;
      this.#grown.delete(id);
      await this.#orLog(FAILURE_MESSAGE, async () => {
        const { count, more, heldBack } = await queueDeliveries(this.#parts.sql, id);
        if (count > 0) this.#due.add(id);
        if (more) this.#readLog(id);
        if (heldBack) this.#readLogLater(id);
        isHeldBack ||= heldBack;
      });
    });
    if (ids.length > 0 && !isHeldBack) this.#heldBackMs = HELD_BACK_MS;
    if (this.#grown.size > 0) this.#wake();
  }

  /** Looks for new events in the environments that may have some. */
  async #findGrown(): Promise<void> {
    const ids = [...this.#watched];
    this.#watched.clear();
    if (ids.length <= 1 || this.#closed) {
      for (const id of ids) this.#grown.add(id);
      return;
    }
    const found = await findGrownLogs(this.#parts.sql, ids);
    for (const id of found.ids) this.#grown.add(id);
    if (!found.more) return;
    // Without those that were found: their events can wait for an older transaction, and would be found again.
    const others = new Set(ids);
    for (const id of found.ids) others.delete(id);
    for (const id of others) this.#watched.add(id);
    this.#wake();
  }

  #readLogLater(environmentId: string): void {
    this.#heldBack.add(environmentId);
    if (this.#heldBackTimer) return;
    this.#heldBackTimer = setTimeout(() => {
      this.#heldBackTimer = undefined;
      for (const id of this.#heldBack) this.#watched.add(id);
      this.#heldBack.clear();
      this.#wake();
    }, this.#heldBackMs).unref();
    this.#heldBackMs = Math.min(this.#heldBackMs * 2, this.#pace.pollMs);
  }

  async #claim(): Promise<void> {
    const ids = [...this.#due];
    const { capacity } = this.#attempts;
    if (ids.length === 0 || (capacity.steady === 0 && capacity.failing === 0) || this.#closed) return;
    this.#due.clear();
    const leaseMs = this.#pace.timeoutMs + RECORDING_MS;
    const shares = await this.#shares(ids, capacity);
    await forEachEnvironment(shares, async ({ environmentId, steady, failing }) => {
      if (this.#closed) return;
      await this.#orLog(FAILURE_MESSAGE, async () => {
        const share = { capacity: { steady, failing }, leaseMs };
        for (const delivery of await claimDue(this.#parts.sql, environmentId, share)) this.#attempts.begin(delivery);
      });
    });
    // More deliveries may be due than the capacity allowed. The end of the next attempt wakes the dispatcher.
    const left = this.#attempts.capacity;
    if (left.steady === 0 || left.failing === 0) for (const id of ids) this.#due.add(id);
  }

  /** Divides the capacity between the environments that have due deliveries. */
  async #shares(ids: readonly string[], capacity: ClaimCapacity): Promise<DueShare[]> {
    const [id] = ids;
    if (id !== undefined && ids.length === 1) return [{ environmentId: id, ...capacity }];
    return findDue(this.#parts.sql, ids, capacity);
  }

  async #orLog(message: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.#parts.log.error({ err: error }, message));
  }
}

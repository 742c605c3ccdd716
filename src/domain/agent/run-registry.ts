import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../contract/errors.ts';
import { INTERRUPTIONS, Interruption } from './interrupt.ts';
import { keepOrphans } from './orphans.ts';
import { type RecoveryParts, recoverDeadRuns } from './recovery.ts';

/** A run belongs to its process for so long after the last heartbeat. */
export const LEASE_SECONDS = 5;

const HEARTBEAT_MS = 1_500;
const SWEEP_MS = 1_000;

/**
 * The runs that this process works on. It renews their leases, stops what another process has taken over, and settles
 * runs whose own process died.
 */
export class RunRegistry {
  /** Who holds the leases of this process. */
  readonly owner: string = randomUUID();
  readonly #parts: RecoveryParts;
  /** Runs whose leases this process holds. */
  readonly #leased = new Map<string, AbortController>();
  /** All work that a shutdown waits for. */
  readonly #active = new Set<AbortController>();
  readonly #timers: NodeJS.Timeout[] = [];
  #unlisten: (() => void) | undefined;
  #idle: (() => void) | undefined;
  /** Runs of messages that wait for their turn in this process. */
  readonly #waiting = new Set<string>();
  #draining = false;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  get activeCount(): number {
    return this.#active.size;
  }

  start(): void {
    this.#every(HEARTBEAT_MS, () => this.#renewLeases());
    this.#every(SWEEP_MS, () => recoverDeadRuns(this.#parts));
    this.#every(SWEEP_MS, () => keepOrphans(this.#parts));
    // Should the wake-up be lost, the next heartbeat sees what was asked.
    this.#unlisten = this.#parts.live.listen(INTERRUPTIONS, () => {
      this.#renewLeases().catch((error: unknown) => this.#failed(error));
    });
  }

  /** Refuses a turn once the process shuts down, before anything of it is stored. */
  requireOpen(): void {
    if (this.#draining) throw new ServiceError('unavailable', 'The service is shutting down. Try again shortly.');
  }

  /** Works on a run until it is settled or paused. Whoever called may go away: the work goes on. */
  async work<T>(runId: string, steps: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.workUnleased((signal, controller) => {
      this.#leased.set(runId, controller);
      return steps(signal).finally(() => this.#leased.delete(runId));
    });
  }

  /** Keeps the lease of a message that waits for its turn. */
  waiting<T>(runId: string, work: () => Promise<T>): Promise<T> {
    this.#waiting.add(runId);
    return this.workUnleased(work).finally(() => this.#waiting.delete(runId));
  }

  /** The same for work that no other process could take over: one-shot runs, titles. */
  async workUnleased<T>(steps: (signal: AbortSignal, controller: AbortController) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#active.add(controller);
    try {
      return await steps(controller.signal, controller);
    } finally {
      this.#active.delete(controller);
      if (this.#active.size === 0) this.#idle?.();
    }
  }

  /** Takes no more runs, waits for those at work, and stops what is left after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    if (this.#active.size > 0) {
      const finished = new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
      const stopAll = setTimeout(() => {
        for (const controller of this.#active) controller.abort();
      }, graceMs);
      await finished;
      clearTimeout(stopAll);
    }
    for (const timer of this.#timers) clearInterval(timer);
    this.#unlisten?.();
  }

  #every(periodMs: number, task: () => Promise<void>): void {
    let busy = false;
    const timer = setInterval(async () => {
      if (busy) return;
      busy = true;
      await task().catch((error: unknown) => this.#failed(error));
      busy = false;
    }, periodMs);
    this.#timers.push(timer.unref());
  }

  #failed(error: unknown): void {
    this.#parts.log.error({ err: error }, 'background work on runs failed');
  }

  async #renewLeases(): Promise<void> {
    // A message that could not leave its queue is waited for by nobody any more.
    if (this.#waiting.size > 0) {
      await this.#parts.prisma.$executeRaw`
        UPDATE queued_turn SET lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS})
        WHERE lease_owner = ${this.owner}::uuid AND run_id = ANY (${[...this.#waiting]}::uuid[])`;
    }
    const ids = [...this.#leased.keys()];
    if (ids.length === 0) return;
    // A row that a settling statement holds is skipped, lest one run's wait cost the others their leases; whether it is
    // still ours is read without waiting.
    const held = await this.#parts.prisma.$queryRaw<{ id: string; interrupted: boolean }[]>`
      WITH free AS (
        SELECT id FROM run
        WHERE id = ANY (${ids}::uuid[]) AND lease_owner = ${this.owner}::uuid AND status = 'running'
        FOR NO KEY UPDATE SKIP LOCKED
      ), renewed AS (
        UPDATE run SET lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS})
        FROM free WHERE run.id = free.id
      )
      SELECT id, interrupted FROM run
      WHERE id = ANY (${ids}::uuid[]) AND lease_owner = ${this.owner}::uuid AND status = 'running'`;
    const stillHeld = new Set(held.map(({ id }) => id));
    for (const { id, interrupted } of held) if (interrupted) this.#leased.get(id)?.abort(new Interruption());
    for (const id of ids) if (!stillHeld.has(id)) this.#leased.get(id)?.abort();
  }
}

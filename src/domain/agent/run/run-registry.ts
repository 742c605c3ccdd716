import { ServiceError } from '../../../contract/errors.ts';
import type { PubSub } from '../../../db/pub-sub.ts';
import { waitForResult } from '../../../db/topic-subscription.ts';
import type { FoundRow } from '../../by-environment.ts';
import { INTERRUPTIONS } from '../../interruptions.ts';
import type { DeadLeases } from '../../leases/dead-leases.ts';
import type { HeldLeases } from '../../leases/held-leases.ts';
import type { Leases } from '../../leases/leases.ts';
import type { Log } from '../../telemetry.ts';
import { MESSAGE_LEASES, RUN_LEASES } from '../rows/lease-tables.ts';
import { HandOverError, InterruptedError } from '../rows/run-moves.ts';

function shuttingDown(): ServiceError {
  return new ServiceError('unavailable', 'The service is shutting down. Try again shortly.');
}

interface RegistryParts {
  readonly pubSub: PubSub;
  readonly log: Log;
  readonly leases: Leases;
}

/** Recovers what dead processes left, by the IDs of the runs and their environments. */
export interface Recovery {
  runs(runs: readonly FoundRow[]): Promise<void>;
  /** Messages that waited for their turn. */
  messages(runs: readonly FoundRow[]): Promise<void>;
}

interface HeldRun {
  id: string;
  interrupted: boolean;
}

/**
 * The runs that this process works on. It renews their leases, stops runs that another process took over, and settles
 * runs whose own process died.
 */
export class RunRegistry {
  readonly #parts: RegistryParts;
  readonly #recovery: Recovery;
  readonly #runLeases: HeldLeases<string, HeldRun>;
  readonly #deadRuns: DeadLeases;
  readonly #messageLeases: HeldLeases<string>;
  readonly #deadMessages: DeadLeases;
  readonly #controllers = new Map<string, AbortController>();
  /** All work that a shutdown waits for. */
  readonly #active = new Set<AbortController>();
  #unlisten: (() => void) | undefined;
  #resolveIdle: (() => void) | undefined;
  /** Runs of streamed replies whose clients have disconnected. */
  readonly #abandoned = new Set<string>();
  #isDraining = false;
  /** Whether the grace period of a shutdown is over. */
  #isHandingOver = false;

  constructor(parts: RegistryParts, recovery: Recovery) {
    const { leases } = parts;
    this.#parts = parts;
    this.#recovery = recovery;
    this.#runLeases = leases.heldIn(RUN_LEASES);
    this.#deadRuns = leases.deadIn(RUN_LEASES);
    this.#messageLeases = leases.heldIn(MESSAGE_LEASES);
    this.#deadMessages = leases.deadIn(MESSAGE_LEASES);
  }

  get activeCount(): number {
    return this.#active.size;
  }

  start(): void {
    const { leases, pubSub, log } = this.#parts;
    const failureMessage = 'background work on runs failed';
    leases.start({
      failureMessage,
      renew: () => this.#renewRuns(),
      recover: async () => this.#recovery.runs(await this.#deadRuns.find(this.#runLeases.names)),
    });
    leases.start({
      failureMessage,
      renew: async () => void (await this.#messageLeases.renew()),
      recover: async () => this.#recovery.messages(await this.#deadMessages.find(this.#messageLeases.names)),
    });
    // If this wake-up is lost, the next heartbeat finds the interruption.
    this.#unlisten = pubSub.subscribe(INTERRUPTIONS, () => {
      this.#renewRuns().catch((error: unknown) => log.error({ err: error }, failureMessage));
    });
  }

  /** Rejects a turn during a shutdown, before any of it is stored. @throws {ServiceError} unavailable */
  requireOpen(): void {
    if (this.#isDraining) throw shuttingDown();
  }

  /** Works on a run until it is settled or paused, even if the client disconnects. Renews its lease meanwhile. */
  work<T>(run: FoundRow, steps: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { id: runId } = run;
    return this.#track(async (controller) => {
      this.#controllers.set(runId, controller);
      this.#runLeases.add(runId, run);
      try {
        return await steps(controller.signal);
      } finally {
        this.#runLeases.delete(runId);
        this.#controllers.delete(runId);
        this.#abandoned.delete(runId);
      }
    });
  }

  /** Renews the lease of a run that this process has claimed, until `work` ends or `release`. */
  hold(run: FoundRow): void {
    this.#runLeases.add(run.id, run);
  }

  /** Stops renewing the lease of a claimed run that cannot be started. It expires, and a process tries again. */
  release(runId: string): void {
    this.#runLeases.delete(runId);
  }

  /** Works on something that no other process could take over: a one-shot run, a title. */
  workUnleased<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#track((controller) => {
      // A turn that was stopped asks for the outcome of the process that has it now.
      if (this.#isHandingOver) controller.abort(new HandOverError());
      return work(controller.signal);
    });
  }

  /**
   * Waits for the result of a run that any process may work on. `topic` announces changes. A shutdown waits for it as for a
   * run. @throws {ServiceError} unavailable if that takes too long
   */
  async waitForResult<T>(topic: string, read: () => Promise<T | undefined>): Promise<T> {
    const { pubSub } = this.#parts;
    const result = await this.workUnleased((stopped) => waitForResult({ pubSub, stopped }, topic, read));
    if (result === undefined) throw shuttingDown();
    return result;
  }

  /** Renews the lease of a message while it waits for its turn. */
  waitWithLease<T>(run: FoundRow, wait: () => Promise<T>): Promise<T> {
    this.#messageLeases.add(run.id, run);
    return this.#track(wait).finally(() => this.#messageLeases.delete(run.id));
  }

  /** Stops a run of this process. Its text is kept. */
  interrupt(runId: string, reason: InterruptedError): void {
    this.#controllers.get(runId)?.abort(reason);
  }

  /** Stops the run of a streamed reply whose client has disconnected. */
  abandon(runId: string): void {
    if (this.#controllers.has(runId)) this.#abandoned.add(runId);
    this.interrupt(runId, new InterruptedError('the reader of a reply went away'));
  }

  isAbandoned(runId: string): boolean {
    return this.#abandoned.has(runId);
  }

  /** Accepts no more runs, waits for active ones, and hands over or aborts those that take longer than `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.#isDraining = true;
    if (this.#active.size > 0) {
      const idle = new Promise<void>((resolve) => {
        this.#resolveIdle = resolve;
      });
      const abortAll = setTimeout(() => {
        this.#isHandingOver = true;
        for (const controller of this.#active) controller.abort(new HandOverError());
      }, graceMs);
      await idle;
      clearTimeout(abortAll);
    }
    this.#unlisten?.();
  }

  async #track<T>(work: (controller: AbortController) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#active.add(controller);
    try {
      return await work(controller);
    } finally {
      this.#active.delete(controller);
      if (this.#active.size === 0) this.#resolveIdle?.();
    }
  }

  async #renewRuns(): Promise<void> {
    const { names } = this.#runLeases;
    const held = new Map((await this.#runLeases.renew()).map((run) => [run.id, run]));
    for (const id of names) {
      const run = held.get(id);
      if (!run) this.#controllers.get(id)?.abort();
      else if (run.interrupted) this.#controllers.get(id)?.abort(new InterruptedError());
    }
  }
}

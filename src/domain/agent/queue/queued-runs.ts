import type { Services } from '../../context.ts';
import { INTERRUPTIONS } from '../../interruptions.ts';
import { QUEUED_RUNS } from '../rows/queue-sql.ts';
import { InterruptedError } from '../rows/run-moves.ts';
import { serviceContext } from '../rows/service-context.ts';
import { runTurn } from '../run/run-turn.ts';
import { type ClaimedRun, claimRuns, environmentsWithQueue } from './claim-runs.ts';
import { takenTurn } from './taken-turn.ts';

/** How many runs one statement claims. They are read at the same time, before the next ones are claimed. */
const BATCH = 25;

/** Limit: background turns of this process. Others stay for other processes. */
const MOST_BACKGROUND_RUNS = 250;

const FAILURE_MESSAGE = 'queued runs cannot be started';

/**
 * Runs queued turns: background turns, and turns whose process died or shut down. Every process has one, and they share
 * the work, because the queue and the claims are in the database.
 */
export class QueuedRuns {
  readonly #services: Services;
  readonly #unsubscribes: (() => void)[] = [];
  #background = 0;
  #looking: Promise<void> | undefined;
  #mustLookAgain = false;
  #isDraining = false;

  constructor(services: Services) {
    this.#services = services;
  }

  start(): void {
    const { leases, pubSub } = this.#services.stores;
    const look = () => void this.#look();
    // A run that is stopped while it is in the queue needs a process that ends it.
    for (const topic of [QUEUED_RUNS, INTERRUPTIONS]) this.#unsubscribes.push(pubSub.subscribe(topic, look));
    // If a wake-up is lost, this finds the run.
    leases.start({ failureMessage: FAILURE_MESSAGE, recover: async () => this.#look() });
  }

  /** Claims no more runs. `RunRegistry.drain` waits for those that run. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    await this.#looking;
  }

  async #look(): Promise<void> {
    this.#mustLookAgain = true;
    this.#looking ??= this.#claimAll().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #claimAll(): Promise<void> {
    const {
      stores: { sql },
      process: { log },
    } = this.#services;
    try {
      while (this.#mustLookAgain && !this.#isDraining) {
        this.#mustLookAgain = false;
        for (const environmentId of await environmentsWithQueue(sql)) await this.#claimFrom(environmentId);
      }
    } catch (error) {
      log.error({ err: error }, FAILURE_MESSAGE);
    }
  }

  async #claimFrom(environmentId: string): Promise<void> {
    const {
      stores: { prisma, leases },
      process: { runs },
    } = this.#services;
    let claimed: ClaimedRun[];
    do {
      if (this.#isDraining) return;
      const background = MOST_BACKGROUND_RUNS - this.#background;
      claimed = await claimRuns(prisma, leases, environmentId, { most: BATCH, background });
      // Reading takes time under load, and the leases must not expire meanwhile.
      for (const run of claimed) runs.hold(run);
      await Promise.all(claimed.map((run) => this.#tryToStart(run)));
    } while (claimed.length === BATCH);
  }

  /** If the turn cannot be read, its lease expires, and a process tries again. The other claimed runs must not wait for that. */
  async #tryToStart(run: ClaimedRun): Promise<void> {
    try {
      await this.#start(run);
    } catch (error) {
      this.#services.process.runs.release(run.id);
      this.#services.process.log.error(
        { err: error, run_id: run.id, request_id: run.requestId },
        'a queued run cannot be read',
      );
    }
  }

  /** Reads the turn and starts it. */
  async #start(run: ClaimedRun): Promise<void> {
    const { environmentId: id, environmentKind: kind, workspaceId, requestId } = run;
    const ctx = serviceContext(this.#services, { id, kind, workspaceId }, requestId);
    const turn = await takenTurn(ctx, run);
    const places = run.background ? 1 : 0;
    this.#background += places;
    runTurn(ctx, turn)
      // The turn has settled and logged its error.
      .catch(() => {})
      .finally(() => {
        this.#background -= places;
        void this.#look();
      });
    if (run.interrupted) ctx.services.process.runs.interrupt(run.id, new InterruptedError());
  }
}

import { sweepApps } from '../access/apps/registered-apps.ts';
import { deleteEndedDefaults } from '../budgets/default-budgets.ts';
import { releaseAll } from '../budgets/release.ts';
import type { SomeServices } from '../context.ts';
import { PeriodicTasks } from '../periodic-tasks.ts';
import { type LogMaintenanceParts, maintainLogs } from './maintain-logs.ts';
import { type SweepParts, sweepDue } from './sweep.ts';
import { sweepTraces } from './traces.ts';

const POLL_MS = 60_000;
const APPS_MS = 600_000;
const TRACES_MS = 600_000;
const LOGS_MS = 600_000;

/** What a sweeper needs for environments and for the partitions of the logs. */
type SweeperParts = SweepParts & LogMaintenanceParts & SomeServices<'sql'>;

/** Sweeps due environments, and maintains the partitions of the logs. Every process has a sweeper, and they share the work. */
export class RetentionSweeper {
  readonly #parts: SweeperParts;
  readonly #tasks: PeriodicTasks;

  constructor(parts: SweeperParts) {
    this.#parts = parts;
    this.#tasks = new PeriodicTasks(parts.log);
  }

  start(): void {
    this.#tasks.every(POLL_MS, 'expired data could not be deleted', (stopped) => sweepDue(this.#parts, stopped));
    this.#tasks.every(APPS_MS, 'unused apps could not be deleted', (stopped) => sweepApps(this.#parts, stopped));
    this.#tasks.every(POLL_MS, 'reservations of dead work could not be released', () =>
      releaseAll(this.#parts.stores.sql),
    );
    this.#tasks.every(POLL_MS, 'budgets of ended runs could not be deleted', () =>
      deleteEndedDefaults(this.#parts.stores.sql),
    );
    this.#tasks.every(TRACES_MS, 'expired traces could not be deleted', (stopped) => sweepTraces(this.#parts, stopped));
    this.#tasks.every(LOGS_MS, 'the logs could not be maintained', (stopped) => maintainLogs(this.#parts, stopped));
  }

  /** Waits for the current batch, and starts no other. */
  drain(): Promise<void> {
    return this.#tasks.stop();
  }
}

import type { Log } from './telemetry.ts';

type Task = (stopped: AbortSignal) => Promise<void> | void;

/** Background tasks of this process. A task that is still running skips its turn. An error is logged, and the task runs again. */
export class PeriodicTasks {
  readonly #log: Log;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #stopped = new AbortController();

  constructor(log: Log) {
    this.#log = log;
  }

  every(periodMs: number, failureMessage: string, task: Task): void {
    let isRunning = false;
    const timer = setInterval(() => {
      if (isRunning) return;
      isRunning = true;
      const run = this.#run(failureMessage, task).finally(() => {
        isRunning = false;
        this.#running.delete(run);
      });
      this.#running.add(run);
    }, periodMs);
    this.#timers.push(timer.unref());
  }

  /** Starts no further run, aborts the signal of the tasks, and waits for those that are running. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopped.abort();
    await Promise.all(this.#running);
  }

  async #run(failureMessage: string, task: Task): Promise<void> {
    try {
      await task(this.#stopped.signal);
    } catch (error) {
      this.#log.error({ err: error }, failureMessage);
    }
  }
}

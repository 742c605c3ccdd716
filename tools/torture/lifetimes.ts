/** A time in which a process ran without a disruption. */
export interface Lifetime {
  readonly pid: number | undefined;
  readonly fromMs: number;
  /** Infinite while it runs. */
  readonly toMs: number;
  /** The signal that ended it. */
  readonly end?: NodeJS.Signals;
}

/** When the processes ran. */
export class Lifetimes {
  readonly #lifetimes: Lifetime[] = [];

  get all(): readonly Lifetime[] {
    return this.#lifetimes;
  }

  /** Since when a process has been running without a disruption. Undefined: no process runs. */
  get oldestRunning(): number | undefined {
    const running = this.#lifetimes.filter(({ end }) => end === undefined);
    return running.length > 0 ? Math.min(...running.map(({ fromMs }) => fromMs)) : undefined;
  }

  begin(pid: number | undefined): void {
    this.#lifetimes.push({ pid, fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY });
  }

  end(pid: number | undefined, end: NodeJS.Signals): void {
    const now = Date.now();
    const index = this.#lifetimes.findIndex((one) => one.pid === pid && one.end === undefined);
    // A process that is paused or shuts down can be killed.
    const fromMs = this.#lifetimes[index]?.fromMs ?? now;
    this.#lifetimes.splice(index < 0 ? this.#lifetimes.length : index, 1, { pid, fromMs, toMs: now, end });
  }
}

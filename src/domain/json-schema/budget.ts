/** Stops a check that takes too long. */
export class BudgetExceededError extends Error {}

/** The limit of one check. A step takes about 25 ns, so a check takes at most 10 ms, or 50 ms on a busy machine. */
const STEPS = 350_000;

/** Limits how long a check blocks the event loop, for any schema and value. */
export class Budget {
  #left = STEPS;

  /** @throws {BudgetExceededError} */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetExceededError();
  }
}

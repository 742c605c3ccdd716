import { type SweepParts, sweepDue } from './sweep.ts';

const LOOK_MS = 60_000;

/** Looks from time to time whether an environment is due to be swept. Every process has one, and they share the work. */
export class RetentionSweeper {
  readonly #parts: SweepParts;
  readonly #closed = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #busy = false;

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Begins nothing more, and waits for the batch that is under way. */
  async drain(): Promise<void> {
    clearInterval(this.#timer);
    this.#closed.abort();
    await this.#work;
  }

  #look(): void {
    if (this.#busy) return;
    this.#busy = true;
    this.#work = sweepDue(this.#parts, this.#closed.signal)
      .catch((error: unknown) => this.#parts.log.error({ err: error }, 'retention could not be looked after'))
      .finally(() => {
        this.#busy = false;
      });
  }
}

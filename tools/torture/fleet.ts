import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Place, startAt } from '../../test/support/places.ts';
import type { ServiceProcess } from '../../test/support/process.ts';
import { until } from '../../test/support/until.ts';
import type { Journal } from './journal.ts';

/** Longest that a process may take to stop once it is told to. */
const STOP_MS = 45_000;

/** How long one that is alone is left at work. */
const AT_WORK_MS = 2_000;

/** Starts in a row that may fail, because a strike met them. */
const STARTS = 5;

/** A place for one process, and the process that is there at this moment. */
interface Slot {
  process: ServiceProcess | undefined;
  /** It ends because it was struck. */
  struck: boolean;
  still: boolean;
  upSince: number;
  /** It was told to stop, and is not gone yet. */
  leaving: ServiceProcess | undefined;
  /** Ends once it is up again. */
  reviving: Promise<void> | undefined;
}

/** The processes of the service: struck one by one, and started again each time. */
export class Fleet {
  readonly #place: Place;
  readonly #env: Record<string, string>;
  readonly #journal: Journal;
  readonly #slots: Slot[];
  #over = false;

  constructor(place: Place, env: Record<string, string>, count: number, journal: Journal) {
    this.#place = place;
    this.#env = { LOG_LEVEL: 'error', ALLOW_LOOPBACK: 'true', ...env };
    this.#journal = journal;
    this.#slots = Array.from({ length: count }, () => ({
      process: undefined,
      struck: false,
      still: false,
      upSince: 0,
      leaving: undefined,
      reviving: undefined,
    }));
  }

  start(): Promise<unknown> {
    return Promise.all(this.#slots.map((slot) => this.#start(slot)));
  }

  /** The process of this number, or the next one that is up; waits where none is. */
  async client(number: number): Promise<ServiceProcess> {
    return until(async () => this.#up(number)?.process, { withinMs: 180_000, everyMs: 50 });
  }

  /** Whether it may be struck: one of several stays, and one alone is given a while, however slow the machine is. */
  #mayEnd(slot: Slot): boolean {
    const others = this.#slots.filter((other) => other !== slot && other.process && !other.still);
    return others.length > 0 || (this.#slots.length === 1 && Date.now() - slot.upSince > AT_WORK_MS);
  }

  /** SIGKILL, or SIGTERM and a wait for the end; then it is started again. False where none is up. */
  end(number: number, signal: 'SIGKILL' | 'SIGTERM', awayMs: number): boolean {
    const slot = this.#up(number);
    const process = slot?.process;
    if (!slot || !process) return signal === 'SIGKILL' && this.#killLeaving();
    if (!this.#mayEnd(slot)) return false;
    slot.process = undefined;
    slot.struck = true;
    if (signal === 'SIGTERM' && slot.still) process.child.kill('SIGCONT');
    slot.still = false;
    slot.reviving = this.#revive(slot, process, signal, awayMs);
    return true;
  }

  /** Stands still for a time. It goes on taking connections, as a stopped process does. False where none is up. */
  stop(number: number, forMs: number): boolean {
    const slot = this.#up(number);
    const process = slot?.process;
    if (!slot || !process || slot.still) return false;
    slot.still = true;
    process.child.kill('SIGSTOP');
    void pause(forMs).then(() => {
      process.child.kill('SIGCONT');
      if (slot.process === process) slot.still = false;
    });
    return true;
  }

  /** All of them up, at work and ready. */
  async settled(): Promise<void> {
    await until(async () => this.#slots.every(({ process, still }) => process && !still), { withinMs: 90_000 });
    for (const { process } of this.#slots) {
      const ready = async () => (await process?.send('GET', '/readyz'))?.status === 200;
      await until(ready, { withinMs: 20_000 }).catch(() => {
        this.#journal.check('processes are ready after the strikes', false, () => String(process?.url));
      });
    }
  }

  /** Ends all of them as an operator does. */
  async close(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#slots.map(({ reviving }) => reviving));
    await Promise.all(this.#slots.map((slot) => slot.process && this.#terminate(slot.process, 'SIGTERM')));
  }

  /** Where all are on their way out, one of them dies on it. */
  #killLeaving(): boolean {
    const slot = this.#slots.find(({ leaving }) => leaving);
    if (!slot?.leaving) return false;
    slot.leaving.child.kill('SIGKILL');
    slot.leaving = undefined;
    return true;
  }

  #up(number: number): Slot | undefined {
    const from = number % this.#slots.length;
    return [...this.#slots.slice(from), ...this.#slots.slice(0, from)].find(({ process }) => process);
  }

  async #revive(slot: Slot, process: ServiceProcess, signal: NodeJS.Signals, awayMs: number): Promise<void> {
    if (signal === 'SIGTERM') slot.leaving = process;
    await this.#terminate(process, signal, () => slot.leaving !== process);
    slot.leaving = undefined;
    await pause(awayMs);
    await this.#start(slot);
  }

  async #terminate(process: ServiceProcess, signal: NodeJS.Signals, killed = () => false): Promise<void> {
    const overdue = setTimeout(() => process.child.kill('SIGKILL'), STOP_MS);
    await process.kill(signal);
    clearTimeout(overdue);
    if (signal === 'SIGTERM' && !killed()) {
      const { exitCode, signalCode } = process.child;
      this.#journal.check('SIGTERM ends a process in time, and well', exitCode === 0, () => {
        const last = process.output.slice(-4).map((line) => line.slice(0, 700));
        return `it ended with ${exitCode ?? signalCode}: ${last.join('\n')}`;
      });
    }
    this.#readLog(process);
  }

  /** A start may meet a strike of its own, such as a cut of its connections. */
  async #start(slot: Slot): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const process = await startAt(this.#place, this.#env);
        slot.struck = false;
        slot.process = process;
        slot.upSince = Date.now();
        void once(process.child, 'exit').then(() => this.#ended(slot, process));
        return;
      } catch (error) {
        this.#journal.struck('a start that a strike met');
        if (attempt === STARTS) {
          this.#journal.check('processes start', false, () => String(error));
          throw error;
        }
      }
    }
  }

  #ended(slot: Slot, process: ServiceProcess): void {
    if (slot.struck || this.#over) return;
    const { exitCode, signalCode, pid } = process.child;
    const { output } = process;
    this.#journal.check('no process ends by itself', false, () => {
      return `${pid} ended with ${exitCode ?? signalCode}: ${output.slice(-20).join('\n')}`;
    });
    slot.process = undefined;
    slot.reviving = this.#start(slot);
  }

  #readLog({ output }: ServiceProcess): void {
    const faults = output.filter((line) => line.includes('an unexpected fault'));
    this.#journal.check('no process logs a fault that it did not expect', faults.length === 0, () =>
      faults.slice(0, 3).join('\n'),
    );
  }
}

import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { SUPERVISOR_MARGIN_SECONDS } from '../../src/ops/shutdown-times.ts';
import { type DataStore, startOn } from '../../test/support/data-stores.ts';
import type { ServiceProcess } from '../../test/support/process.ts';
import { until } from '../../test/support/until.ts';
import type { Journal } from './journal.ts';
import { Lifetimes } from './lifetimes.ts';

/** Less than the default, so that many turns are handed over: they have 3 s of it. */
const SHUTDOWN_SECONDS = 8;

/** When a supervisor kills a process that shuts down. */
const STOP_MS = (SHUTDOWN_SECONDS + SUPERVISOR_MARGIN_SECONDS) * 1_000;

/** The minimum uptime of an only process before the next disruption. */
const MIN_UPTIME_MS = 2_000;

/** The number of consecutive starts that may fail because of disruptions. */
const STARTS = 5;

/** A slot for one process, and its current process. */
interface Slot {
  process: ServiceProcess | undefined;
  /** Its end is the effect of a disruption. */
  isDisrupted: boolean;
  isPaused: boolean;
  upSince: number;
  /** The process that has received SIGTERM and has not exited yet. */
  stopping: ServiceProcess | undefined;
  /** Resolves when it is up again. */
  restarting: Promise<void> | undefined;
}

/** The processes of the service. They are disrupted one by one and restarted each time. */
export class Fleet {
  readonly store: DataStore;
  readonly lifetimes = new Lifetimes();
  readonly #env: Record<string, string>;
  readonly #journal: Journal;
  readonly #slots: Slot[];
  #isOver = false;

  constructor(store: DataStore, env: Record<string, string>, count: number, journal: Journal) {
    this.store = store;
    this.#env = {
      LOG_LEVEL: 'error',
      ALLOW_LOOPBACK: 'true',
      SHUTDOWN_TIMEOUT: String(SHUTDOWN_SECONDS),
      ...env,
    };
    this.#journal = journal;
    this.#slots = Array.from({ length: count }, () => ({
      process: undefined,
      isDisrupted: false,
      isPaused: false,
      upSince: 0,
      stopping: undefined,
      restarting: undefined,
    }));
  }

  start(): Promise<unknown> {
    return Promise.all(this.#slots.map((slot) => this.#start(slot)));
  }

  /** The process with this number, or the next running process. Waits until a process runs. */
  async client(number: number): Promise<ServiceProcess> {
    return until(async () => this.#up(number)?.process, { withinMs: 180_000, everyMs: 50 });
  }

  /** Whether it may be stopped: at least one of several stays up, and an only one gets a minimum uptime. */
  #canStop(slot: Slot): boolean {
    const others = this.#slots.filter((other) => other !== slot && other.process && !other.isPaused);
    return others.length > 0 || (this.#slots.length === 1 && Date.now() - slot.upSince > MIN_UPTIME_MS);
  }

  /** Sends SIGKILL, or SIGTERM and waits for the exit. Then restarts the process. False if no process runs. */
  end(number: number, signal: 'SIGKILL' | 'SIGTERM', awayMs: number): boolean {
    const slot = this.#up(number);
    const process = slot?.process;
    if (!slot || !process) return signal === 'SIGKILL' && this.#killStopping();
    if (!this.#canStop(slot)) return false;
    slot.process = undefined;
    slot.isDisrupted = true;
    if (signal === 'SIGTERM' && slot.isPaused) process.child.kill('SIGCONT');
    slot.isPaused = false;
    this.lifetimes.end(process.child.pid, signal);
    slot.restarting = this.#restart(slot, process, signal, awayMs);
    return true;
  }

  /** Pauses a process for a time. The system still accepts connections for it. False if no process runs. */
  pauseProcess(number: number, forMs: number): boolean {
    const slot = this.#up(number);
    const process = slot?.process;
    if (!slot || !process || slot.isPaused) return false;
    slot.isPaused = true;
    process.child.kill('SIGSTOP');
    this.lifetimes.end(process.child.pid, 'SIGSTOP');
    void pause(forMs).then(() => {
      process.child.kill('SIGCONT');
      if (slot.process !== process) return;
      slot.isPaused = false;
      this.lifetimes.begin(process.child.pid);
    });
    return true;
  }

  /** Resolves when all are up, running and ready. */
  async waitUntilReady(): Promise<void> {
    await until(async () => this.#slots.every(({ process, isPaused }) => process && !isPaused), { withinMs: 90_000 });
    for (const { process } of this.#slots) {
      const ready = async () => (await process?.send('GET', '/readyz'))?.status === 200;
      await until(ready, { withinMs: 20_000 }).catch(() => {
        this.#journal.check('processes are ready after the disruptions', false, () => String(process?.url));
      });
    }
  }

  /** Stops all of them like an operator. */
  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#slots.map(({ restarting }) => restarting));
    await Promise.all(this.#slots.map((slot) => slot.process && this.#terminate(slot.process, 'SIGTERM')));
  }

  /** If all are shutting down, one of them is killed during its shutdown. */
  #killStopping(): boolean {
    const slot = this.#slots.find(({ stopping }) => stopping);
    if (!slot?.stopping) return false;
    this.lifetimes.end(slot.stopping.child.pid, 'SIGKILL');
    slot.stopping.child.kill('SIGKILL');
    slot.stopping = undefined;
    return true;
  }

  #up(number: number): Slot | undefined {
    const from = number % this.#slots.length;
    return [...this.#slots.slice(from), ...this.#slots.slice(0, from)].find(({ process }) => process);
  }

  async #restart(slot: Slot, process: ServiceProcess, signal: NodeJS.Signals, awayMs: number): Promise<void> {
    if (signal === 'SIGTERM') slot.stopping = process;
    await this.#terminate(process, signal, () => slot.stopping !== process);
    slot.stopping = undefined;
    await pause(awayMs);
    await this.#start(slot);
  }

  async #terminate(process: ServiceProcess, signal: NodeJS.Signals, killed = () => false): Promise<void> {
    const overdue = setTimeout(() => process.child.kill('SIGKILL'), STOP_MS);
    await process.kill(signal);
    clearTimeout(overdue);
    if (signal === 'SIGTERM' && !killed()) {
      const { exitCode, signalCode } = process.child;
      this.#journal.check('SIGTERM ends a process in time with exit code 0', exitCode === 0, () => {
        const last = process.output.slice(-4).map((line) => line.slice(0, 700));
        return `it exited with ${exitCode ?? signalCode}: ${last.join('\n')}`;
      });
    }
    this.#readLog(process);
  }

  /** A disruption, such as terminated connections, may affect a start too. */
  async #start(slot: Slot): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const process = await startOn(this.store, this.#env);
        slot.isDisrupted = false;
        slot.process = process;
        slot.upSince = Date.now();
        this.lifetimes.begin(process.child.pid);
        void once(process.child, 'exit').then(() => this.#ended(slot, process));
        return;
      } catch (error) {
        this.#journal.countDisruption('a start during a disruption');
        if (attempt === STARTS) {
          this.#journal.check('processes start', false, () => String(error));
          throw error;
        }
      }
    }
  }

  #ended(slot: Slot, process: ServiceProcess): void {
    if (slot.isDisrupted || this.#isOver) return;
    const { exitCode, signalCode, pid } = process.child;
    const { output } = process;
    this.#journal.check('no process exits unexpectedly', false, () => {
      return `${pid} exited with ${exitCode ?? signalCode}: ${output.slice(-20).join('\n')}`;
    });
    slot.process = undefined;
    slot.restarting = this.#start(slot);
  }

  #readLog({ output }: ServiceProcess): void {
    const faults = output.filter((line) => line.includes('unexpected error'));
    this.#journal.check('no process logs an unexpected error', faults.length === 0, () =>
      faults.slice(0, 3).join('\n'),
    );
  }
}

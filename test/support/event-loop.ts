import { existsSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Runs some work, and returns the longest turn of the event loop in milliseconds. A turn took at most the time on the clock
 * and at most the CPU time of the thread, or of the process where threads are not counted. On a busy machine, the second
 * one is shorter.
 */
export async function longestBlockMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = now();
  let isRunning = true;
  const turn = () => {
    const { clockMs, cpuMs } = now();
    longest = Math.max(longest, Math.min(clockMs - last.clockMs, cpuMs - last.cpuMs));
    last = { clockMs, cpuMs };
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    // The work may have ended in the longest turn.
    await nextTurn();
    isRunning = false;
  }
  return longest;
}

/** The longest turn that the service promises, on a core of its own. */
export const MOST_BLOCK_MS = 50;

/** Each measurement can have other inputs, so that nothing is cached. */
const MEASUREMENTS = 5;

/**
 * The least of some measurements, as on a core of its own. Garbage collections and compiling the code of the process add to
 * some of them, but not to all.
 */
export async function leastBlockMs(
  work: (measurement: number) => Promise<unknown>,
  mostMs = MOST_BLOCK_MS,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let measurement = 0; measurement < MEASUREMENTS && least >= mostMs; measurement += 1) {
    least = Math.min(least, (await longestBlockMs(() => work(measurement))) / slowness());
  }
  return least;
}

const ITEMS = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `item ${id}`, list: [id, String(id)] }));

/** CPU time that `ITEMS` take on the virtual core where the limit was measured, with Node.js 24 and no other work. */
const ITEMS_MS = 24;

/** How many times as long the thread takes now: a core that other threads use is slower. At least 1. */
const slowness = () => Math.max(1, itemsTime().cpuMs / ITEMS_MS);

/** The limit on a busy machine for something that takes at most `ms` milliseconds on an idle one. */
export const busyMs = (ms: number) => ms * Math.max(1, itemsTime().clockMs / ITEMS_MS);

function itemsTime() {
  const start = now();
  JSON.parse(JSON.stringify(ITEMS));
  const { clockMs, cpuMs } = now();
  return { clockMs: clockMs - start.clockMs, cpuMs: cpuMs - start.cpuMs };
}

/** The types are those of the oldest Node.js that the service supports. */
const { threadCpuUsage } = process as Partial<Record<'threadCpuUsage', typeof process.cpuUsage>>;

/** The first number is the time for which Linux ran the thread that reads the file, in nanoseconds. */
const SCHEDULED = '/proc/thread-self/schedstat';
const isScheduleShown = !threadCpuUsage && existsSync(SCHEDULED);

/** CPU time in milliseconds: of the thread, or of the process on older systems that do not count threads. */
function cpuMs(): number {
  if (isScheduleShown) return Number.parseInt(readFileSync(SCHEDULED, 'latin1'), 10) / 1_000_000;
  const { user, system } = threadCpuUsage ? threadCpuUsage.call(process) : process.cpuUsage();
  return (user + system) / 1_000;
}

const now = () => ({ clockMs: performance.now(), cpuMs: cpuMs() });

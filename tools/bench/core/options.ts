import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, profile: { type: 'boolean', default: false } },
});

/** What `npm run bench` was told: `--quick` for short windows whose figures are not kept, `--profile` for CPU profiles. */
export const options = { ...values, names: positionals } as const;

/** Rounds that variants take in turn, and how long each of them is measured in a round. */
export const ROUNDS = options.quick ? 3 : 5;
export const WINDOW_MS = options.quick ? 700 : 1_200;

/** How long a process is kept busy before it is measured for the first time. */
export const WARM_UP_MS = options.quick ? 1_500 : 10_000;

/** Requests at once at which CPU and throughput are judged: the process is busy, and nothing piles up. */
export const BUSY = 16;

/** Requests at once that are measured. */
export const LEVELS = options.quick ? [BUSY] : [1, BUSY, 64];

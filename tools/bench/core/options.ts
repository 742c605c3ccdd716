import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, profile: { type: 'boolean', default: false } },
});

/**
 * The options of `npm run bench`: `--quick` measures briefly without storing figures, `--profile` writes CPU profiles.
 */
export const options = { ...values, names: positionals } as const;

/** The rounds of each variant, and the measured time of each in a round. */
export const ROUNDS = options.quick ? 3 : 5;
export const WINDOW_MS = options.quick ? 700 : 1_200;

/** How long a process runs under load before its first measurement. */
export const WARM_UP_MS = options.quick ? 1_500 : 10_000;

/** The concurrency for CPU and throughput: the process is busy, but nothing queues up. */
export const BUSY = 16;

/** The measured levels of concurrency. */
export const LEVELS = options.quick ? [BUSY] : [1, BUSY, 64];

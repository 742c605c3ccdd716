import { parseArgs } from 'node:util';

/** Other programs use parts of the bench, and have options of their own. */
const isBench = process.argv[1]?.endsWith('bench.ts') ?? false;

const { values, positionals } = parseArgs({
  args: isBench ? process.argv.slice(2) : [],
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    serve: { type: 'boolean', default: false },
    tokens: { type: 'string', default: '300' },
  },
});

/**
 * The options of `npm run bench`: `--quick` measures briefly without storing figures, `--profile` writes CPU profiles,
 * `--serve` only starts a service with a provider whose replies have `--tokens`.
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

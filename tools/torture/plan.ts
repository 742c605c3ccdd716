import type { RECOVERY_MODES } from '../../src/contract/statuses.ts';
import { Random } from './random.ts';

export type Recovery = (typeof RECOVERY_MODES)[number];

/** The options of a run of the torture test. */
export interface TortureOptions {
  readonly database: 'postgres' | 'embedded';
  /** The duration of load and disruptions. */
  readonly forMs: number;
  readonly seed: number;
  /** Whether a separate redis-server carries wake-ups. Without it, PostgreSQL uses LISTEN/NOTIFY. */
  readonly redis: boolean;
  /** What happens to a turn whose process dies. `continue` needs several processes. */
  readonly recovery: Recovery;
}

export type DisruptionKind = 'SIGKILL' | 'SIGSTOP' | 'SIGTERM' | 'cut connections' | 'restart Redis';

/** One disruption at its time. */
export interface Disruption {
  readonly kind: DisruptionKind;
  /** Milliseconds since the start. */
  readonly atMs: number;
  /** The number of the process. If it is down, the next one that is up. */
  readonly target: number;
  /** How long it lasts: the pause, the absence, or the delay before the restart. */
  readonly forMs: number;
  /** The fraction of connections to terminate. */
  readonly part: number;
}

/** Other processes may take over the runs of a process that is paused for 4 s or more, and do so within 8 s. */
const PAUSE_MS = [5_500, 9_000] as const;

/** The interval and the duration of each kind, in milliseconds. */
const SCHEDULE: Readonly<
  Record<DisruptionKind, { readonly every: readonly [number, number]; readonly duration: readonly [number, number] }>
> = {
  SIGKILL: { every: [4_200, 5_800], duration: [0, 1_500] },
  SIGSTOP: { every: [14_000, 22_000], duration: PAUSE_MS },
  SIGTERM: { every: [10_000, 16_000], duration: [0, 1_000] },
  'cut connections': { every: [9_000, 15_000], duration: [0, 0] },
  'restart Redis': { every: [18_000, 30_000], duration: [100, 2_500] },
};

/** More kills, so that some turns lose several processes, and less of the others, so that two processes are up. */
const SCHEDULE_OF_CONTINUED = {
  ...SCHEDULE,
  SIGKILL: { every: [2_300, 3_400], duration: [0, 200] },
  SIGSTOP: { every: [20_000, 32_000], duration: PAUSE_MS },
  SIGTERM: { every: [10_000, 16_000], duration: [0, 200] },
} as const;

const ALL: readonly DisruptionKind[] = ['SIGKILL', 'SIGSTOP', 'SIGTERM', 'cut connections', 'restart Redis'];

function kindsOf({ database, redis, recovery }: TortureOptions): DisruptionKind[] {
  // Without a database, a turn fails instead of being continued.
  if (recovery === 'continue') return ['SIGKILL', 'SIGSTOP', 'SIGTERM'];
  return ALL.filter((kind) => {
    if (kind === 'cut connections') return database === 'postgres';
    return kind !== 'restart Redis' || redis;
  });
}

export function processesOf({ database }: TortureOptions): number {
  return database === 'postgres' ? 3 : 1;
}

/** All disruptions of a run in order. The first ones wait until there is a target. */
export function planDisruptions(options: TortureOptions): Disruption[] {
  const schedule = options.recovery === 'continue' ? SCHEDULE_OF_CONTINUED : SCHEDULE;
  const disruptions = kindsOf(options).flatMap((kind) => {
    const random = new Random(options.seed, 'strike', kind);
    const { duration } = schedule[kind];
    // An embedded database has only one process, and it takes longer to start.
    const slower = options.database === 'embedded' ? 2 : 1;
    const every = schedule[kind].every.map((ms) => ms * slower) as [number, number];
    const planned: Disruption[] = [];
    // The first of each kind comes early, so that a short run has one of each.
    let atMs = random.between(1_500, every[0] / 2 + 1_500);
    while (atMs < options.forMs) {
      const target = random.index(processesOf(options));
      planned.push({ kind, atMs, target, forMs: random.between(...duration), part: random.pick([0.3, 1]) });
      atMs += random.between(...every);
    }
    return planned;
  });
  return disruptions.sort((a, b) => a.atMs - b.atMs);
}

import { Random } from './random.ts';

/** What is asked of a run of the torture. */
export interface TortureOptions {
  readonly database: 'postgres' | 'embedded';
  /** How long there are load and strikes. */
  readonly forMs: number;
  readonly seed: number;
  /** A redis-server of its own carries wake-ups; without it, on PostgreSQL, LISTEN/NOTIFY does. */
  readonly redis: boolean;
}

export type StrikeKind = 'SIGKILL' | 'SIGSTOP' | 'SIGTERM' | 'cut connections' | 'restart Redis';

/** One blow, at its moment. */
export interface Strike {
  readonly kind: StrikeKind;
  /** Milliseconds since the beginning. */
  readonly atMs: number;
  /** Which process; the next one that is up where it is down. */
  readonly target: number;
  /** How long it lasts: stands still, is away, or waits to be started again. */
  readonly forMs: number;
  /** Of the connections, which part is cut. */
  readonly part: number;
}

/** A process holds its runs for 5 s; what stands still for longer loses them. */
const STANDS_STILL_MS = [5_500, 9_000] as const;

/** How often each kind strikes, and how long it lasts, in milliseconds. */
const PACE: Readonly<
  Record<StrikeKind, { readonly every: readonly [number, number]; readonly lasts: readonly [number, number] }>
> = {
  SIGKILL: { every: [4_200, 5_800], lasts: [0, 1_500] },
  SIGSTOP: { every: [14_000, 22_000], lasts: STANDS_STILL_MS },
  SIGTERM: { every: [16_000, 28_000], lasts: [0, 1_000] },
  'cut connections': { every: [9_000, 15_000], lasts: [0, 0] },
  'restart Redis': { every: [18_000, 30_000], lasts: [100, 2_500] },
};

const ALL: readonly StrikeKind[] = ['SIGKILL', 'SIGSTOP', 'SIGTERM', 'cut connections', 'restart Redis'];

function kindsOf({ database, redis }: TortureOptions): StrikeKind[] {
  return ALL.filter((kind) => {
    if (kind === 'cut connections') return database === 'postgres';
    return kind !== 'restart Redis' || redis;
  });
}

export function processesOf({ database }: TortureOptions): number {
  return database === 'postgres' ? 3 : 1;
}

/** All strikes of a run, in order. The first ones wait until there is something to be struck. */
export function planStrikes(options: TortureOptions): Strike[] {
  const strikes = kindsOf(options).flatMap((kind) => {
    const random = new Random(options.seed, 'strike', kind);
    const { lasts } = PACE[kind];
    // The one process of an embedded database takes longer to start, and is the only one.
    const slower = options.database === 'embedded' ? 2 : 1;
    const every = PACE[kind].every.map((ms) => ms * slower) as [number, number];
    const planned: Strike[] = [];
    // The first of each kind comes early, so that a short run has one of each.
    let atMs = random.between(1_500, every[0] / 2 + 1_500);
    while (atMs < options.forMs) {
      const target = random.index(processesOf(options));
      planned.push({ kind, atMs, target, forMs: random.between(...lasts), part: random.pick([0.3, 1]) });
      atMs += random.between(...every);
    }
    return planned;
  });
  return strikes.sort((a, b) => a.atMs - b.atMs);
}

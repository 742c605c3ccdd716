import { send } from './helper-messages.ts';
import { startHelper, type Target } from './processes.ts';

/**
 * A request of a load. `$name` in path and body stands for a value of an earlier response (`keep`: names by the path to
 * the value in the JSON body). `$n` stands for a unique number of twelve digits, from 1 on,
 * `$m` for one of four digits.
 */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** Any other status fails the measurement. */
  readonly status: number;
  readonly capture?: Readonly<Record<string, string>>;
  readonly unmeasured?: boolean;
}

/**
 * A closed loop: each of `concurrency` workers has its own connection and waits for a response before the next request.
 */
export interface Load {
  readonly headers: Readonly<Record<string, string>>;
  /** The first requests of each worker. */
  readonly first?: readonly Step[];
  /** The requests that it then repeats. */
  readonly repeat: readonly Step[];
  readonly concurrency: number;
  readonly durationMs: number;
  /** Time to run the loops before counting starts, on the same connections. */
  readonly warmUpMs?: number;
  /** Ends the load early after this many counted requests. */
  readonly maxRequests?: number;
}

/** The order to the load process. */
export interface LoadOrder extends Load {
  readonly url: string;
  readonly pid: number;
}

/** The figures of a load: times in milliseconds, and the CPU time of the server process. */
export type LoadFigures = Readonly<
  Record<'requests' | 'perSecond' | 'p50' | 'p95' | 'p99' | 'longest' | 'cpuMs', number>
>;

/** The load client, in a separate process. */
export interface LoadClient {
  /** Whether its process is running. */
  readonly isRunning: () => boolean;
  run(target: Pick<Target, 'url' | 'pid'>, load: Load): Promise<LoadFigures>;
}

export function startLoadClient(): LoadClient {
  const child = startHelper('load-client');
  return {
    isRunning: () => child.connected,
    run: ({ url, pid }, load) => send<LoadOrder, LoadFigures>(child, { ...load, url, pid }),
  };
}

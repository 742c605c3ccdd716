import { ask } from './asking.ts';
import { startHelper, type Target } from './processes.ts';

/**
 * A request of a load. `$name` in path and body stands for what an earlier answer had (`keep`: names by the path to the value
 * in the JSON answer), and `$n` for a number of twelve digits that no other request of the measurement has, from 1 on.
 */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** Any other status ends the measurement. */
  readonly status: number;
  readonly keep?: Readonly<Record<string, string>>;
  /** Sent, but not counted. */
  readonly unmeasured?: boolean;
}

/** A closed loop: each of `concurrency` workers, on a connection of its own, waits for an answer before it goes on. */
export interface Load {
  readonly headers: Readonly<Record<string, string>>;
  /** What each worker does once. */
  readonly first?: readonly Step[];
  /** What it then does again and again. */
  readonly again: readonly Step[];
  readonly concurrency: number;
  readonly durationMs: number;
  /** Loops that are run before counting begins, on the same connections. */
  readonly warmUpMs?: number;
  /** Ends the load before its time, once so many requests are counted. */
  readonly most?: number;
}

/** What the load process is sent. */
export interface LoadOrder extends Load {
  readonly url: string;
  readonly pid: number;
}

/** What a load saw of a server: times in milliseconds, CPU time of the server's process alone. */
export type LoadFigures = Readonly<
  Record<'requests' | 'perSecond' | 'p50' | 'p95' | 'p99' | 'longest' | 'cpuMs', number>
>;

/** The client, a process of its own. */
export interface LoadClient {
  /** Whether its process still runs. */
  readonly alive: () => boolean;
  run(target: Pick<Target, 'url' | 'pid'>, load: Load): Promise<LoadFigures>;
}

export function startLoadClient(): LoadClient {
  const child = startHelper('load-client');
  return {
    alive: () => child.connected,
    run: ({ url, pid }, load) => ask<LoadOrder, LoadFigures>(child, { ...load, url, pid }),
  };
}

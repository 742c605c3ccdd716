import { setTimeout as pause } from 'node:timers/promises';
import { type DataStore, startOn } from './data-stores.ts';
import { type FailoverProxy, startFailoverProxy } from './failover-proxy.ts';
import { freePorts } from './free-ports.ts';
import type { ServiceProcess } from './process.ts';

/** Two processes with a proxy in front. One of them is killed at each interval, in turn, and started again. */
export interface KilledPair {
  readonly proxy: FailoverProxy;
  /**
   * How often a process was killed while it handled a request, and started again.
   * @throws if a process could not be started again
   */
  readonly kills: number;
  /** Ends the kills, and then the processes. */
  close(): Promise<void>;
}

export async function startKilledPair(store: DataStore, everyMs: number): Promise<KilledPair> {
  const ports = await freePorts(2);
  const start = (port: number | undefined) => startOn(store, { PORT: String(port) });
  const processes = await Promise.all(ports.map(start));
  const down = new Set<number>();
  const proxy = await startFailoverProxy({ ports, isDown: (index) => down.has(index), key: store.key });
  const stopping = new AbortController();
  const { signal } = stopping;
  let kills = 0;

  /** Kills a process while it handles a request. */
  async function kill(index: number): Promise<void> {
    await proxy.nextRequest(index, signal);
    down.add(index);
    await (processes[index] as ServiceProcess).kill('SIGKILL');
    processes[index] = await start(ports[index]);
    down.delete(index);
    kills += 1;
  }

  async function killInTurn(): Promise<void> {
    for (let turn = 0; !signal.aborted; turn += 1) {
      // An abort ends the pause.
      const rest = pause(everyMs, undefined, { signal }).catch(() => {});
      await kill(turn % ports.length);
      await rest;
    }
  }

  let problem: unknown;
  const killing = killInTurn().catch((error) => {
    if (!signal.aborted) problem = error;
  });
  return {
    proxy,
    get kills() {
      if (problem) throw problem;
      return kills;
    },
    async close() {
      stopping.abort();
      await killing;
      await proxy.close();
      await Promise.all(processes.map((process) => process.kill('SIGKILL')));
    },
  };
}

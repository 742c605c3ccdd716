import { type LoadClient, type LoadFigures, startLoadClient } from './load.ts';
import type { Column, Table } from './results.ts';
import { figure, ratio, type Samples } from './statistics.ts';

/** The figures of a load as columns. */
const LOAD_COLUMNS: readonly Column[] = [
  { key: 'cpuMs', title: 'CPU ms/request', digits: 3 },
  { key: 'perSecond', title: 'requests/s', digits: 0 },
  { key: 'p50', title: 'p50 ms', digits: 2 },
  { key: 'p95', title: 'p95 ms', digits: 2 },
  { key: 'p99', title: 'p99 ms', digits: 2 },
];

/** A baseline for the other variants. */
export interface Baseline {
  /** The variant that serves as baseline. */
  readonly name: string;
  readonly title: string;
  /** The compared figure. Default: the CPU time of a request. */
  readonly by?: 'cpuMs' | 'p50' | 'perSecond';
}

const BY = { cpuMs: 'CPU', p50: 'p50', perSecond: 'requests/s' } as const;

/** A table of measured loads, with the ratio to each baseline. */
export function loadTable(title: string, samples: Samples, baselines: readonly Baseline[] = []): Table {
  const columns = baselines.map(({ name, title: label, by = 'cpuMs' }) => {
    return { key: `${by} ${name}`, title: `${BY[by]} × ${label}`, digits: 2 };
  });
  const rows = Object.keys(samples).map((name) => ({
    name,
    figures: Object.fromEntries([
      ...LOAD_COLUMNS.map(({ key }) => [key, figure(samples, name, key)]),
      ...baselines.map(({ name: baseline, by = 'cpuMs' }) => [`${by} ${baseline}`, ratio(samples, name, baseline, by)]),
    ]),
  }));
  return { title, columns: [...LOAD_COLUMNS, ...columns], rows };
}

/** The load client, shared by all loads of a measurement. */
let client: LoadClient | undefined;

/** Runs a load against a server. @throws if a response has another status than its step expects */
export function load(...[target, order]: Parameters<LoadClient['run']>): Promise<LoadFigures> {
  if (!client?.isRunning()) client = startLoadClient();
  return client.run(target, order);
}

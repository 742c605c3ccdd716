import { type LoadClient, type LoadFigures, startLoadClient } from './load.ts';
import type { Column, Table } from './results.ts';
import { figure, ratio, type Samples } from './statistics.ts';

/** What a load measured, as columns. */
const LOAD_COLUMNS: readonly Column[] = [
  { key: 'cpuMs', title: 'CPU ms/request', digits: 3 },
  { key: 'perSecond', title: 'requests/s', digits: 0 },
  { key: 'p50', title: 'p50 ms', digits: 2 },
  { key: 'p95', title: 'p95 ms', digits: 2 },
  { key: 'p99', title: 'p99 ms', digits: 2 },
];

/** A floor that the others are compared with. */
export interface Floor {
  /** The variant that it is. */
  readonly name: string;
  readonly title: string;
  /** By the CPU time of a request, unless it says otherwise. */
  readonly by?: 'cpuMs' | 'p50' | 'perSecond';
}

const BY = { cpuMs: 'CPU', p50: 'p50', perSecond: 'requests/s' } as const;

/** A table of what loads measured of variants, with how many times as much as each floor they take. */
export function loadTable(title: string, samples: Samples, floors: readonly Floor[] = []): Table {
  const columns = floors.map(({ name, title: called, by = 'cpuMs' }) => {
    return { key: `${by} ${name}`, title: `${BY[by]} × ${called}`, digits: 2 };
  });
  const rows = Object.keys(samples).map((name) => ({
    name,
    figures: Object.fromEntries([
      ...LOAD_COLUMNS.map(({ key }) => [key, figure(samples, name, key)]),
      ...floors.map(({ name: floor, by = 'cpuMs' }) => [`${by} ${floor}`, ratio(samples, name, floor, by)]),
    ]),
  }));
  return { title, columns: [...LOAD_COLUMNS, ...columns], rows };
}

/** The client that all loads of a measurement share. */
let client: LoadClient | undefined;

/** Puts a load on a server. @throws where an answer has another status than its step says */
export function load(...[target, order]: Parameters<LoadClient['run']>): Promise<LoadFigures> {
  if (!client?.alive()) client = startLoadClient();
  return client.run(target, order);
}

import { load, loadTable } from './comparison.ts';
import { type BenchDatabase, createDatabase } from './database.ts';
import { ROUNDS, WARM_UP_MS, WINDOW_MS } from './options.ts';
import { KEY, startService, type Target } from './processes.ts';
import type { Goal, Table } from './results.ts';
import { alternate, ratio, type Samples } from './statistics.ts';

const HEADERS = { 'x-api-key': KEY };

/** A service on a new database with this many rows. */
export async function startFilled(
  seed: (database: BenchDatabase, count: number) => Promise<void>,
  count: number,
): Promise<Target> {
  const database = await createDatabase();
  const service = await startService({ DATABASE_URL: database.url });
  await seed(database, count);
  return service;
}

/** A measured page. */
export interface MeasuredPage {
  readonly target: Target;
  readonly path: string;
}

/** Requests each page in turn, one request at a time, and compares it with the first page. */
export async function measurePages(pages: Readonly<Record<string, MeasuredPage>>): Promise<Samples> {
  const order = ({ path }: MeasuredPage, durationMs: number) => {
    const repeated = [{ method: 'GET', path, status: 200 }];
    return { headers: HEADERS, repeat: repeated, concurrency: 1, durationMs };
  };
  const all = Object.entries(pages);
  // Compared processes must have run for the same time.
  for (const { url } of new Set(all.map(([, { target }]) => target))) {
    const own = all.filter(([, { target }]) => target.url === url);
    for (const [, page] of own) await load(page.target, order(page, WARM_UP_MS / own.length));
  }
  // Every page is measured for the same time.
  const runs = all.map(([name, page]) => [name, () => load(page.target, order(page, WINDOW_MS / 2))] as const);
  return alternate(Object.fromEntries(runs), ROUNDS);
}

/** A table that compares every page with the first one. */
export function pagesTable(title: string, samples: Samples): Table {
  const [first = ''] = Object.keys(samples);
  return loadTable(title, samples, [{ name: first, title: 'the first', by: 'p50' }]);
}

/** The goal that a page takes about as long as the first one. */
export function flatGoal(samples: Samples, description: string, limit: number): Goal {
  const [first = ''] = Object.keys(samples);
  const measured = ratio(samples, description, first, 'p50');
  return {
    description: `${description} compared with ${first}: median`,
    limit,
    is: 'at most',
    unit: 'times',
    measured,
  };
}

/** The cursor after this many pages of 100. */
export async function cursorAfter(pages: number, { target, path }: MeasuredPage): Promise<string> {
  let cursor = '';
  for (let page = 0; page < pages; page += 1) {
    const at = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const response = await fetch(`${target.url}${path}?limit=100${at}`, { headers: HEADERS });
    const { meta } = (await response.json()) as { readonly meta: { readonly nextCursor: string } };
    cursor = meta.nextCursor;
  }
  return encodeURIComponent(cursor);
}

import { load, loadTable } from './comparison.ts';
import { type BenchDatabase, createDatabase } from './database.ts';
import { ROUNDS, WARM_UP_MS, WINDOW_MS } from './options.ts';
import { KEY, startService, type Target } from './processes.ts';
import type { Goal, Table } from './results.ts';
import { alternate, ratio, type Samples } from './statistics.ts';

const HEADERS = { 'x-api-key': KEY };

/** A service on a database of its own that holds so many rows. */
export async function filled(
  seed: (database: BenchDatabase, count: number) => Promise<void>,
  count: number,
): Promise<Target> {
  const database = await createDatabase();
  const service = await startService({ DATABASE_URL: database.url });
  await seed(database, count);
  return service;
}

/** A page that is asked for. */
export interface Page {
  readonly target: Target;
  readonly path: string;
}

/** Asks for each page in turn, one request at a time, and compares them with the first of them. */
export async function measurePages(pages: Readonly<Record<string, Page>>): Promise<Samples> {
  const order = ({ path }: Page, durationMs: number) => {
    const again = [{ method: 'GET', path, status: 200 }];
    return { headers: HEADERS, again, concurrency: 1, durationMs };
  };
  const all = Object.entries(pages);
  // Processes that are compared have worked equally long.
  for (const { url } of new Set(all.map(([, { target }]) => target))) {
    const own = all.filter(([, { target }]) => target.url === url);
    for (const [, page] of own) await load(page.target, order(page, WARM_UP_MS / own.length));
  }
  // A page that is slow is measured as long as one that is not.
  const runs = all.map(([name, page]) => [name, () => load(page.target, order(page, WINDOW_MS / 2))] as const);
  return alternate(Object.fromEntries(runs), ROUNDS);
}

/** The first of the pages is what the others are compared with. */
export function pagesTable(title: string, samples: Samples): Table {
  const [first = ''] = Object.keys(samples);
  return loadTable(title, samples, [{ name: first, title: 'the first', by: 'p50' }]);
}

/** That pages take about as long as the first one. */
export function flat(samples: Samples, what: string, limit: number): Goal {
  const [first = ''] = Object.keys(samples);
  const measured = ratio(samples, what, first, 'p50');
  return { what: `${what} beside ${first}: median`, limit, is: 'at most', unit: 'times', measured };
}

/** The cursor of the page behind so many pages of 100. */
export async function cursorBehind(pages: number, { target, path }: Page): Promise<string> {
  let cursor = '';
  for (let page = 0; page < pages; page += 1) {
    const at = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await fetch(`${target.url}${path}?limit=100${at}`, { headers: HEADERS });
    const { meta } = (await answer.json()) as { readonly meta: { readonly nextCursor: string } };
    cursor = meta.nextCursor;
  }
  return encodeURIComponent(cursor);
}

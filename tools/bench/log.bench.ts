import { options } from './core/options.ts';
import { cursorAfter, flatGoal, measurePages, pagesTable, startFilled } from './core/pages.ts';
import type { Bench, Findings } from './core/results.ts';
import { seedEvents } from './core/seed.ts';

const FEW = 1_000;
const MANY = options.quick ? 100_000 : 1_000_000;

const PATH = '/v1/events';
const RESOURCE = `res_${'77'.padStart(26, '0')}`;

const many = (description: string) => `${description} of ${MANY.toLocaleString('en')}`;

export const bench: Bench = {
  about:
    'Pages of 20 of the event log over REST, one request at a time, of two services on PostgreSQL: one whose log has 1,000 rows, one' +
    ' whose log has a million.',

  async run(): Promise<Findings> {
    const few = await startFilled(seedEvents, FEW);
    const target = await startFilled(seedEvents, MANY);
    const page = (query: string) => ({ target, path: `${PATH}?${query}` });
    const samples = await measurePages({
      'first page of 1,000': { target: few, path: PATH },
      [many('first page')]: { target, path: PATH },
      [many('page after 20,000 events')]: page(`cursor=${await cursorAfter(200, { target, path: PATH })}`),
      'of one resource': page(`resourceId=${RESOURCE}`),
      'of an unknown resource': page('resourceId=res_x'),
      'of a frequent type': page('type=resource.updated'),
      'of a rare type': page('type=integration.connected'),
      'of a type without events': page('type=resource.deleted'),
      'of two types, one of them rare': page('type=integration.connected&type=resource.deleted'),
      'from a time': page('from=2026-01-01T06:00:00Z'),
      'to a time': page('to=2026-01-01T06:00:00Z'),
      'of a rare type between two times': page(
        'type=integration.connected&from=2026-01-01T00:00:00Z&to=2026-01-01T06:00:00Z',
      ),
      'of one resource and a type': page(`resourceId=${RESOURCE}&type=resource.updated`),
    });
    const goals = [many('first page'), many('page after 20,000 events')].map((description) =>
      flatGoal(samples, description, 1.2),
    );
    return { tables: [pagesTable('Pages of the event log', samples)], goals };
  },
};

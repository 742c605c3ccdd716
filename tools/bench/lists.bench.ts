import { options } from './core/options.ts';
import { cursorAfter, flatGoal, measurePages, pagesTable, startFilled } from './core/pages.ts';
import { CHAT } from './core/processes.ts';
import type { Bench, Findings } from './core/results.ts';
import { seedConversations, seedResources } from './core/seed.ts';
import { figure } from './core/statistics.ts';

const FEW = 1_000;
const MANY = options.quick ? 20_000 : 100_000;

const many = (description: string) => `${description} of ${MANY.toLocaleString('en')}`;

export const bench: Bench = {
  about:
    'Pages of 20 over REST, one request at a time, of two services on PostgreSQL: one with 1,000 conversations and 1,000 resources, one' +
    ' with 100,000 of each. Conversations are listed by page number with their exact total, resources by cursor.',

  async run(): Promise<Findings> {
    const few = await startFilled(async (database, count) => {
      await seedConversations(database, count);
      await seedResources(database, count);
    }, FEW);
    const target = await startFilled(async (database, count) => {
      await seedConversations(database, count);
      await seedResources(database, count);
    }, MANY);
    const path = `/v1/runner/${CHAT}/conversations`;
    const page = (query: string) => ({ target, path: `${path}?${query}` });
    const conversations = await measurePages({
      'conversations, first page of 1,000': { target: few, path },
      [many('conversations, first page')]: { target, path },
      [many('conversations, page in the middle')]: page(`page=${MANY / 40}`),
      'by customer and plan of 1,000': { target: few, path: `${path}?customer=c7&plan=p0` },
      [many('by customer and plan')]: page('customer=c7&plan=p0'),
      'by channel and plan (a seventh)': page('channel=web&plan=p3'),
      'by two labels that never occur together': page('customer=c7&channel=shop'),
      'of the environment': { target, path: '/v1/runner/conversations' },
    });
    const list = '/v1/resources';
    const cursor = await cursorAfter(MANY / 200, { target, path: list });
    const resources = await measurePages({
      'resources, first page of 1,000': { target: few, path: list },
      [many('resources, first page')]: { target, path: list },
      [many('resources, page in the middle')]: { target, path: `${list}?cursor=${cursor}` },
      'of a type that 10 % have': { target, path: `${list}?type=tenth` },
    });
    const goals = [
      {
        description: 'conversations, first page of 1,000: CPU',
        limit: 1,
        is: 'at most' as const,
        unit: 'ms',
        measured: figure(conversations, 'conversations, first page of 1,000', 'cpuMs'),
      },
      flatGoal(conversations, many('conversations, first page'), 1.2),
      flatGoal(conversations, many('conversations, page in the middle'), 1.2),
      flatGoal(conversations, many('by customer and plan'), 1.2),
      flatGoal(resources, many('resources, first page'), 1.2),
      flatGoal(resources, many('resources, page in the middle'), 1.2),
    ];
    return { tables: [pagesTable('Conversations', conversations), pagesTable('Resources', resources)], goals };
  },
};

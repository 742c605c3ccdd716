import { load, loadTable } from './core/comparison.ts';
import { createDatabase } from './core/database.ts';
import type { Load, Step } from './core/load.ts';
import { options, ROUNDS, WARM_UP_MS, WINDOW_MS } from './core/options.ts';
import { startService } from './core/processes.ts';
import type { Bench, Findings, Goal } from './core/results.ts';
import { conversationId, seedTimelines } from './core/seed.ts';
import { alternate, ratio, type Samples } from './core/statistics.ts';
import { CONTINUE, JSON_BY_KEY, PATH } from './core/turns.ts';

/** Enough that no short conversation gets a second turn, which would make it longer. */
const SHORT_COUNT = options.quick ? 5_000 : 30_000;

const SHORT = '10 items';
const MIDDLE = '1,000 items';
const LONG = '50,000 items';

/** The numbers of the two long conversations, above those of the short ones. */
const MIDDLE_ID = conversationId(900_001);
const LONG_ID = conversationId(900_002);
const ANY_SHORT_ID = conversationId('$n');

const turn = (id: string): Step => ({ ...CONTINUE, body: (CONTINUE.body ?? '').replace('$conversation_id', () => id) });

const get = (path: string): Step => ({ method: 'GET', path, status: 200 });

const history = (id: string) => get(`${PATH}/${id}/history`);

/** The first page of messages, oldest first, or the last one. */
const messages = (id: string, page: number) => get(`/v1/runner/conversation/${id}/messages?page=${page}`);

export const bench: Bench = {
  about:
    'A turn, a page of the history, and a page of messages in conversations of 10, 1,000 and 50,000 items on PostgreSQL. Requests run one at a' +
    ' time, like the turns of a conversation. Each turn of a short conversation uses a new one.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const service = await startService({ DATABASE_URL: database.url });
    await seedTimelines(database, [900_001, 900_001], 1_000);
    await seedTimelines(database, [900_002, 900_002], 50_000);
    await seedTimelines(database, [1, SHORT_COUNT], 10);
    const order = (step: Step): Load => ({
      headers: JSON_BY_KEY,
      repeat: [step],
      concurrency: 1,
      durationMs: WINDOW_MS,
      warmUpMs: WINDOW_MS / 10,
    });
    const measure = async (steps: Readonly<Record<string, Step>>): Promise<Samples> => {
      const all = Object.values(steps);
      for (const step of all) await load(service, { ...order(step), durationMs: WARM_UP_MS / all.length });
      const runs = Object.entries(steps).map(([name, step]) => [name, () => load(service, order(step))] as const);
      return alternate(Object.fromEntries(runs), ROUNDS);
    };
    const turns = await measure({ [SHORT]: turn(ANY_SHORT_ID), [MIDDLE]: turn(MIDDLE_ID), [LONG]: turn(LONG_ID) });
    const pages = await measure({
      [SHORT]: history(conversationId(1)),
      [MIDDLE]: history(MIDDLE_ID),
      [LONG]: history(LONG_ID),
    });
    const messagePages = await measure({
      [SHORT]: messages(conversationId(1), 1),
      [`${MIDDLE}, page 1`]: messages(MIDDLE_ID, 1),
      [`${MIDDLE}, page 50`]: messages(MIDDLE_ID, 50),
      [`${LONG}, page 1`]: messages(LONG_ID, 1),
      [`${LONG}, page 2,500`]: messages(LONG_ID, 2_500),
    });
    const baselines = [
      { name: SHORT, title: SHORT },
      { name: SHORT, title: SHORT, by: 'p50' },
    ] as const;
    return {
      tables: [
        loadTable('A turn', turns, baselines),
        loadTable('The newest page of the history', pages, baselines),
        loadTable('A page of messages', messagePages, baselines),
      ],
      goals: [
        goal('a turn at 50,000 items compared with 10: CPU', turns, 'cpuMs'),
        goal('a turn at 50,000 items compared with 10: median', turns, 'p50'),
        goal('a page of the history at 50,000 items compared with 10: median', pages, 'p50'),
      ],
    };
  },
};

function goal(description: string, samples: Samples, key: string): Goal {
  return {
    description: description,
    limit: 1.2,
    is: 'at most',
    unit: 'times',
    measured: ratio(samples, LONG, SHORT, key),
  };
}

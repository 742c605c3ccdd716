import { load, loadTable } from './core/comparison.ts';
import { createDatabase } from './core/database.ts';
import type { Step } from './core/load.ts';
import { options, WINDOW_MS } from './core/options.ts';
import { cursorAfter } from './core/pages.ts';
import { CHAT, startService, type Target } from './core/processes.ts';
import type { Bench, Findings, Goal } from './core/results.ts';
import { conversationId, seedConversations, seedEvents, seedLongConversation } from './core/seed.ts';
import { alternate, figureOf, ratio, type Sample } from './core/statistics.ts';
import { startSubscribers } from './core/subscribers.ts';
import { CONTINUE, JSON_BY_KEY, PATH, START } from './core/turns.ts';

const ROUNDS = 3;

interface Size {
  readonly events: number;
  readonly conversations: number;
  /** Of one conversation. */
  readonly items: number;
}

const SMALL: Size = { events: 1_000, conversations: 1_000, items: 1_000 };
const LARGE: Size = options.quick
  ? { events: 100_000, conversations: 20_000, items: 5_000 }
  : { events: 10_000_000, conversations: 1_000_000, items: 100_000 };

/** The conversation with many items. */
const LONG_ID = conversationId(900_001);

const EVENTS = '/v1/events';
const RESOURCE = `res_${'77'.padStart(26, '0')}`;

export const bench: Bench = {
  about:
    'One service with 1,000 events, 1,000 conversations and a conversation of 1,000 items, and one with 10,000,000 events, 1,000,000 conversations and a' +
    ' conversation of 100,000 items, each on its own database of one PostgreSQL. Requests run one at a time. The ratio compares the medians of both.' +
    ' Conversations of GraphQL are listed by cursor without `totalCount`; those of REST are counted.',

  async run(): Promise<Findings> {
    const [small, large] = [await startSized(SMALL), await startSized(LARGE)];
    const [smallSteps, largeSteps] = [await stepsOf(small), await stepsOf(large)];
    const tables = [];
    const goals: Goal[] = [];
    for (const [name, step] of Object.entries(smallSteps)) {
      const largeStep = largeSteps[name] ?? step;
      const samples = await alternate(
        { '1,000': () => measure(small, step), many: () => measure(large, largeStep) },
        ROUNDS,
      );
      tables.push(loadTable(name, samples, [{ name: '1,000', title: '1,000', by: 'p50' }]));
      goals.push(goalOf(name, ratio(samples, 'many', '1,000', 'p50')));
    }
    const feeds = await alternate({ '1,000': () => feedSample(small), many: () => feedSample(large) }, ROUNDS);
    goals.push(goalOf('an event of a feed', ratio(feeds, 'many', '1,000', 'last')));
    return { tables, goals };
  },
};

async function startSized(size: Size): Promise<Target> {
  const database = await createDatabase();
  const service = await startService({ DATABASE_URL: database.url });
  await seedLongConversation(database, 900_001, size.items);
  await seedConversations(database, size.conversations);
  await seedEvents(database, size.events);
  return service;
}

const get = (path: string): Step => ({ method: 'GET', path, status: 200 });

const query = (text: string): Step => ({
  method: 'POST',
  path: '/graphql',
  body: JSON.stringify({ query: text }),
  status: 200,
});

async function stepsOf(target: Target): Promise<Readonly<Record<string, Step>>> {
  const cursor = await cursorAfter(5, { target, path: EVENTS });
  const nodes = '{ nodes { conversationId name updatedAt } pageInfo { endCursor } }';
  return {
    'events, first page': get(EVENTS),
    'events, page after 500': get(`${EVENTS}?cursor=${cursor}`),
    'events of one resource': get(`${EVENTS}?resourceId=${RESOURCE}`),
    'events of a frequent type': get(`${EVENTS}?type=resource.updated`),
    'events of a type without events': get(`${EVENTS}?type=resource.deleted`),
    'conversations by cursor': query(`{ conversations(first: 20) ${nodes} }`),
    'conversations of two labels': query(
      `{ conversations(first: 20, filter: { meta: { customer: "c7", plan: "p0" } }) ${nodes} }`,
    ),
    'conversations by page, counted': get(`/v1/runner/${CHAT}/conversations`),
    'history of the long conversation': get(`${PATH}/${LONG_ID}/history`),
    'first messages of the long conversation': get(`/v1/runner/conversation/${LONG_ID}/messages?page=1`),
    'a start': { ...START },
    'a continue of the long conversation': {
      ...CONTINUE,
      body: (CONTINUE.body ?? '').replace('$conversation_id', () => LONG_ID),
    },
  };
}

async function measure(target: Target, step: Step): Promise<Sample> {
  const order = { headers: JSON_BY_KEY, repeat: [step], concurrency: 1, durationMs: WINDOW_MS };
  return load(target, { ...order, warmUpMs: WINDOW_MS / 2 });
}

/** The median time until the subscriber of a feed has an event. */
async function feedSample(target: Target): Promise<Sample> {
  const subscribers = startSubscribers(target.url);
  await subscribers.open(1);
  const times = [];
  for (let count = 0; count < 60; count += 1) times.push((await subscribers.event()).last);
  subscribers.close();
  return { last: figureOf(times.slice(10)).median };
}

function goalOf(name: string, measured: Goal['measured']): Goal {
  return {
    description: `${name}, many compared with 1,000: median`,
    limit: 1.3,
    is: 'at most',
    unit: 'times',
    measured,
  };
}

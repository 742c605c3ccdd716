import { deepStrictEqual } from 'node:assert';
import { load, loadTable } from './core/comparison.ts';
import { createDatabase } from './core/database.ts';
import type { Load, Step } from './core/load.ts';
import { BUSY, LEVELS, ROUNDS, WARM_UP_MS, WINDOW_MS } from './core/options.ts';
import { KEY, startService, startTarget, type Target } from './core/processes.ts';
import type { Bench, Findings, Goal, Table } from './core/results.ts';
import { liveEnvironment, seedResources } from './core/seed.ts';
import { alternate, ratio, type Samples } from './core/statistics.ts';

const RESOURCES = 10_000;
const ID = `res_${'4321'.padStart(26, '0')}`;

const FIELDS = 'id: resourceId type fields created_at: createdAt updated_at: updatedAt';
const QUERIES = {
  one: {
    query: `query ($id: ID!) { data: resource(id: $id) { ${FIELDS} } }`,
    variables: { id: ID },
  },
  list: {
    query: `query ($limit: Int!) { resources(first: $limit) { data: nodes { ${FIELDS} }
            meta: pageInfo { nextCursor hasMore: hasNextPage } } }`,
    variables: { limit: 20 },
  },
};

interface Variant {
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly steps: Readonly<Record<'one' | 'list', Step>>;
}

export const bench: Bench = {
  about:
    `One resource, and a list of the 20 newest of ${RESOURCES.toLocaleString('en')}, on PostgreSQL: by the REST facade, by POST /graphql with` +
    ' the same selection, and by two routes written by hand in Express, with Prisma and with `pg`. The routes look up the' +
    ' key with every request as the service does, and answer the same JSON; they write no log, count no limits and seal no' +
    ' cursors. "No key" is the same route without looking up the key.',

  async run(): Promise<Findings> {
    const database = await createDatabase();
    const env = { DATABASE_URL: database.url };
    const service = await startService(env);
    const environment = await liveEnvironment(database);
    await seedResources(database, RESOURCES);
    const prisma = await startTarget({ script: 'bench/express-prisma.js', env });
    const pg = await startTarget({ script: 'bench/express-pg.js', env });
    const key = { 'x-api-key': KEY };
    const open = { 'x-environment-id': environment };
    const variants: Readonly<Record<string, Variant>> = {
      facade: { target: service, headers: key, steps: paths('') },
      graphql: { target: service, headers: { ...key, 'content-type': 'application/json' }, steps: queries() },
      'Express + Prisma': { target: prisma, headers: key, steps: paths('') },
      'Express + pg': { target: pg, headers: key, steps: paths('') },
    };
    const keyless: typeof variants = {
      'Express + Prisma, no key': { target: prisma, headers: open, steps: paths('/open') },
      'Express + pg, no key': { target: pg, headers: open, steps: paths('/open') },
    };
    await compareAnswers({ ...variants, ...keyless });
    const tables: Table[] = [];
    const goals: Goal[] = [];
    for (const what of ['one', 'list'] as const) {
      const title = what === 'one' ? 'One resource' : 'A list of 20';
      for (const { target, headers, steps } of Object.values({ ...variants, ...keyless })) {
        await load(target, { headers, again: [steps[what]], concurrency: BUSY, durationMs: WARM_UP_MS / 2 });
      }
      for (const concurrency of LEVELS) {
        const samples = await measure(concurrency === BUSY ? { ...variants, ...keyless } : variants, what, concurrency);
        tables.push(loadTable(`${title}, concurrency ${concurrency}`, samples, FLOORS));
        if (concurrency === BUSY) goals.push(...goalsOf(title, samples));
      }
    }
    return { tables, goals };
  },
};

const FLOORS = [
  { name: 'Express + Prisma', title: 'Prisma' },
  { name: 'Express + pg', title: 'pg' },
  { name: 'facade', title: 'facade' },
];

function paths(prefix: string): Variant['steps'] {
  const get = (path: string): Step => ({ method: 'GET', path: `${prefix}/v1/resources${path}`, status: 200 });
  return { one: get(`/${ID}`), list: get('?limit=20') };
}

function queries(): Variant['steps'] {
  const post = (body: object): Step => ({ method: 'POST', path: '/graphql', body: JSON.stringify(body), status: 200 });
  return { one: post(QUERIES.one), list: post(QUERIES.list) };
}

async function measure(variants: Readonly<Record<string, Variant>>, what: 'one' | 'list', concurrency: number) {
  const runs = Object.entries(variants).map(([name, { target, headers, steps }]) => {
    const order: Load = {
      headers,
      again: [steps[what]],
      concurrency,
      durationMs: WINDOW_MS,
      warmUpMs: WINDOW_MS / 5,
    };
    return [name, () => load(target, order)] as const;
  });
  return alternate(Object.fromEntries(runs), ROUNDS);
}

function goalsOf(title: string, samples: Samples): Goal[] {
  const goal = (what: string, limit: number, name: string, floor: string): Goal => ({
    what: `${title}: ${what}, CPU`,
    limit,
    is: 'at most',
    unit: 'times',
    measured: ratio(samples, name, floor, 'cpuMs'),
  });
  return [
    goal('facade beside Express + Prisma', 1, 'facade', 'Express + Prisma'),
    goal('facade beside Express + pg', 1.1, 'facade', 'Express + pg'),
    goal('POST /graphql beside the facade', 1.5, 'graphql', 'facade'),
  ];
}

/** Floors that answer something else would be no floors. */
async function compareAnswers(variants: Readonly<Record<string, Variant>>): Promise<void> {
  for (const what of ['one', 'list'] as const) {
    const answers = Object.values(variants).map(async ({ target, headers, steps }) => {
      const { method, path, body } = steps[what];
      const answer = await fetch(target.url + path, { method, headers, ...(body !== undefined && { body }) });
      const { data, meta } = contentOf(await answer.json());
      return { data, hasMore: meta?.hasMore, cursor: typeof meta?.nextCursor };
    });
    const [first, ...others] = await Promise.all(answers);
    for (const other of others) deepStrictEqual(other, first);
  }
}

interface Content {
  readonly data?: unknown;
  readonly meta?: { readonly hasMore: boolean; readonly nextCursor: unknown };
}

/** GraphQL puts what was selected below `data`. */
function contentOf(body: unknown): Content {
  const { data, meta } = body as Content;
  const { resources, data: inner } = (data ?? {}) as { resources?: Content; data?: unknown };
  if (resources) return resources;
  return inner === undefined ? { data, ...(meta && { meta }) } : { data: inner };
}

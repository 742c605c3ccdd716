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
            meta: pageInfo { nextCursor: endCursor hasMore: hasNextPage } } }`,
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
    `One resource, and a list of the 20 newest of ${RESOURCES.toLocaleString('en')}, on PostgreSQL: through the REST API, through POST /graphql with` +
    ' the same selection, and through two hand-written Express routes with Prisma and with `pg`. The routes look up the' +
    ' key of every request like the service and return the same JSON. They write no log, count no limits and sign no' +
    ' cursors. "No key" is the same route without the key lookup. Only the variants with a coding accept compression.',

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
      REST: { target: service, headers: key, steps: paths('') },
      graphql: { target: service, headers: { ...key, 'content-type': 'application/json' }, steps: queries() },
      'Express + Prisma': { target: prisma, headers: key, steps: paths('') },
      'Express + pg': { target: pg, headers: key, steps: paths('') },
    };
    const keyless: typeof variants = {
      'Express + Prisma, no key': { target: prisma, headers: open, steps: paths('/open') },
      'Express + pg, no key': { target: pg, headers: open, steps: paths('/open') },
    };
    const compressed: typeof variants = Object.fromEntries(
      ['gzip', 'br'].map((coding) => {
        return [
          `REST, ${coding}`,
          { target: service, headers: { ...key, 'accept-encoding': coding }, steps: paths('') },
        ];
      }),
    );
    const others = { ...compressed, ...keyless };
    await compareResponses({ ...variants, ...others });
    const tables: Table[] = [];
    const goals: Goal[] = [];
    for (const description of ['one', 'list'] as const) {
      const title = description === 'one' ? 'One resource' : 'A list of 20';
      for (const { target, headers, steps } of Object.values({ ...variants, ...others })) {
        await load(target, { headers, repeat: [steps[description]], concurrency: BUSY, durationMs: WARM_UP_MS / 2 });
      }
      for (const concurrency of LEVELS) {
        const samples = await measure(
          concurrency === BUSY ? { ...variants, ...others } : variants,
          description,
          concurrency,
        );
        tables.push(loadTable(`${title}, concurrency ${concurrency}`, samples, BASELINES));
        if (concurrency === BUSY) goals.push(...goalsOf(title, LIMITS[description], samples));
      }
    }
    return { tables, goals };
  },
};

const BASELINES = [
  { name: 'Express + Prisma', title: 'Prisma' },
  { name: 'Express + pg', title: 'pg' },
  { name: 'REST', title: 'REST' },
];

function paths(prefix: string): Variant['steps'] {
  const get = (path: string): Step => ({ method: 'GET', path: `${prefix}/v1/resources${path}`, status: 200 });
  return { one: get(`/${ID}`), list: get('?limit=20') };
}

function queries(): Variant['steps'] {
  const post = (body: object): Step => ({ method: 'POST', path: '/graphql', body: JSON.stringify(body), status: 200 });
  return { one: post(QUERIES.one), list: post(QUERIES.list) };
}

async function measure(variants: Readonly<Record<string, Variant>>, description: 'one' | 'list', concurrency: number) {
  const runs = Object.entries(variants).map(([name, { target, headers, steps }]) => {
    const order: Load = {
      headers,
      repeat: [steps[description]],
      concurrency,
      durationMs: WINDOW_MS,
      warmUpMs: WINDOW_MS / 5,
    };
    return [name, () => load(target, order)] as const;
  });
  return alternate(Object.fromEntries(runs), ROUNDS);
}

/** The limits for one resource, and for a list of 20. */
const LIMITS = { one: { pg: 1.4, graphql: 1.45 }, list: { pg: 1.25, graphql: 1.45 } } as const;

function goalsOf(title: string, { pg, graphql }: { pg: number; graphql: number }, samples: Samples): Goal[] {
  const goal = (description: string, limit: number, name: string, baseline: string): Goal => ({
    description: `${title}: ${description}, CPU`,
    limit,
    is: 'at most',
    unit: 'times',
    measured: ratio(samples, name, baseline, 'cpuMs'),
  });
  return [
    goal('REST compared with Express + Prisma', 1, 'REST', 'Express + Prisma'),
    goal('REST compared with Express + pg', pg, 'REST', 'Express + pg'),
    goal('POST /graphql compared with REST', graphql, 'graphql', 'REST'),
  ];
}

/** A baseline is valid only if it returns the same data. */
async function compareResponses(variants: Readonly<Record<string, Variant>>): Promise<void> {
  for (const description of ['one', 'list'] as const) {
    const responses = Object.values(variants).map(async ({ target, headers, steps }) => {
      const { method, path, body } = steps[description];
      const response = await fetch(target.url + path, { method, headers, ...(body !== undefined && { body }) });
      const { data, meta } = contentOf(await response.json());
      return { data, hasMore: meta?.hasMore, cursor: typeof meta?.nextCursor };
    });
    const [first, ...others] = await Promise.all(responses);
    for (const other of others) deepStrictEqual(other, first);
  }
}

interface Content {
  readonly data?: unknown;
  readonly meta?: { readonly hasMore: boolean; readonly nextCursor: unknown };
}

/** GraphQL nests the selection in `data`. */
function contentOf(body: unknown): Content {
  const { data, meta } = body as Content;
  const { resources, data: inner } = (data ?? {}) as { resources?: Content; data?: unknown };
  if (resources) return resources;
  return inner === undefined ? { data, ...(meta && { meta }) } : { data: inner };
}

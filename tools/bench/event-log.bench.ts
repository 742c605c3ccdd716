import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { scopedDb } from '../../src/db/scoped.ts';
import type { Context, EnvironmentRef, Services } from '../../src/domain/context.ts';
import { readBatch } from '../../src/domain/events/batch.ts';
import type { EventListFilter } from '../../src/domain/events/filter.ts';
import { positionOfSnapshot } from '../../src/domain/events/position.ts';
import { currentSnapshot, listEvents } from '../../src/domain/events/reads.ts';
import { firstStart } from '../../src/domain/first-start.ts';
import { fieldLabel } from '../../src/domain/resources/fields.ts';
import { listResources, type ResourceFilter } from '../../src/domain/resources/reads.ts';

// Fills a database of its own with a million events and 100,000 resources, prints how long pages take and what the
// planner does for them, and drops it. The measure is the first page of a log of a thousand. PostgreSQL alone.
const EVENTS = 1_000_000;
const RESOURCES = 100_000;

/** Each is asked for so often; the median counts. */
const RUNS = 31;

const url = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const name = `parley_measure_${randomUUID().replaceAll('-', '')}`;

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

/** What the database was last asked, as it was asked. */
function listening({ pool }: Database): () => Statement | undefined {
  let last: Statement | undefined;
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
  pool.query = ((...args: unknown[]) => {
    const [asked] = args;
    if (typeof asked === 'object' && asked !== null && 'text' in asked) last = asked as Statement;
    return query(...args);
  }) as never;
  return () => last;
}

/** The nodes of a plan that read a table. */
function scansOf(plan: string): string {
  return [...new Set(plan.match(/(?:Parallel )?(?:Bitmap )?(?:Seq|Index|Index Only|Heap) Scan[^(]*/g))]
    .map((scan) => scan.trim())
    .join(' + ');
}

async function fillEvents(db: pg.Pool, environmentId: string, from: number, to: number): Promise<void> {
  // Several transactions, as a log has.
  for (let start = from; start < to; start += 10_000) {
    await db.query(
      `INSERT INTO event (id, environment_id, type, resource_id, payload, occurred_at)
       SELECT 'evt_' || lpad(i::text, 26, '0'), $1,
              CASE WHEN i % 10000 = 0 THEN 'integration.connected' WHEN i % 3 = 0 THEN 'resource.created'
                   ELSE 'resource.updated' END,
              'res_' || lpad((i % 50000)::text, 26, '0'),
              jsonb_build_object('before', jsonb_build_object('n', i), 'after', jsonb_build_object('n', i + 1)),
              timestamptz '2026-01-01Z' + i * interval '1 second'
       FROM generate_series($2::int, $3::int - 1) AS i`,
      [environmentId, start, Math.min(start + 10_000, to)],
    );
  }
  await db.query('VACUUM ANALYZE event');
}

async function fillResources(db: pg.Pool, environmentId: string): Promise<void> {
  const labels = [true, false].map((even) => fieldLabel('even', even));
  const numbers = Array.from({ length: RESOURCES }, (_, index) => fieldLabel('n', index));
  await db.query(
    `INSERT INTO resource (id, environment_id, type, fields, field_labels, created_at, updated_at)
     SELECT 'res_' || lpad(i::text, 26, '0'), $1, CASE WHEN i % 10 = 0 THEN 'tenth' ELSE 'other' END,
            jsonb_build_object('n', i - 1, 'even', i % 2 = 0),
            ARRAY[label, CASE WHEN i % 2 = 0 THEN $3 ELSE $4 END],
            timestamptz '2026-01-01Z' + i * interval '1 second', now()
     FROM unnest($2::text[]) WITH ORDINALITY AS row(label, i)`,
    [environmentId, numbers, ...labels],
  );
  await db.query('VACUUM ANALYZE resource');
}

type Ask = () => Promise<unknown>;

const NONE = { requestsPerMinute: null, environmentPerMinute: null, concurrentRuns: null };

async function measure(database: Database, environment: EnvironmentRef): Promise<void> {
  const last = listening(database);
  const ctx: Context = {
    caller: { kind: 'api_key', id: 'measure', tokenHash: '', environment, scopes: new Set(), limits: NONE },
    environment,
    db: scopedDb(database.prisma, environment),
    request: { id: 'measure', address: '', userAgent: undefined, claim: undefined, tellLimit: () => {} },
    // Lists ask for nothing else of the services.
    services: { secretKey: 'a secret of this measurement alone' } as Services,
    now: () => new Date(),
    newId: randomUUID,
  };
  const page = (filter: EventListFilter, after?: string) =>
    listEvents(ctx, { first: 20, after }, filter, { following: false });
  const resources = (filter: ResourceFilter) => listResources(ctx, { first: 20 }, filter);

  let unit = 0;
  const print = async (what: string, ask: Ask) => {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const start = performance.now();
      await ask();
      times.push(performance.now() - start);
    }
    const median = times.sort((a, b) => a - b)[RUNS >> 1] ?? 0;
    unit ||= median;
    const asked = last();
    const { rows } = await database.pool.query(`EXPLAIN (ANALYZE) ${asked?.text}`, asked?.values ?? []);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    const inDatabase = /Execution Time: (\S+) ms/.exec(plan)?.[1];
    const figures = `${median.toFixed(2)} ms  ${(median / unit).toFixed(1)}x  in the database ${inDatabase} ms`;
    console.log(`${what.padEnd(46)} ${figures}  ${scansOf(plan)}`);
  };

  await fillEvents(database.pool, environment.id, 0, 1_000);
  // The measure is that of a process that has warmed up.
  for (let run = 0; run < 500; run += 1) await page({});
  await print('1,000 events: first page', () => page({}));
  await fillEvents(database.pool, environment.id, 1_000, EVENTS);
  await print('1,000,000 events: first page', () => page({}));
  let cursor: string | undefined;
  for (let number = 1; number < 1_000; number += 1) cursor = (await page({}, cursor)).nextCursor ?? undefined;
  await print('page 1,000 by cursor', () => page({}, cursor));
  const [middle, later] = [new Date('2026-01-06T00:00:00Z'), new Date('2026-01-07T00:00:00Z')];
  const filters: readonly (readonly [string, EventListFilter])[] = [
    ['resourceId', { resourceId: `res_${'77'.padStart(26, '0')}` }],
    ['resourceId of nothing', { resourceId: 'res_x' }],
    ['a frequent type', { types: ['resource.updated'] }],
    ['a rare type', { types: ['integration.connected'] }],
    ['a type that never happened', { types: ['resource.deleted'] }],
    ['two types, one of them rare', { types: ['integration.connected', 'resource.deleted'] }],
    ['from', { from: middle }],
    ['to', { to: middle }],
    ['from and to', { from: middle, to: later }],
    ['a rare type, from and to', { types: ['integration.connected'], from: middle, to: later }],
    ['resourceId and a type', { resourceId: `res_${'77'.padStart(26, '0')}`, types: ['resource.updated'] }],
  ];
  for (const [what, filter] of filters) await print(what, () => page(filter));

  const everything = { resourceId: null, types: null };
  const start = { xid: 0n, id: '', snapshot: null };
  await print('a follower at the beginning', () => readBatch(ctx, start, everything));
  const tip = positionOfSnapshot(await currentSnapshot(ctx.db));
  await print('a follower at the tip', () => readBatch(ctx, tip, everything));
  const frequent = { resourceId: null, types: ['resource.updated'] };
  await print('a follower of a frequent type at the tip', () => readBatch(ctx, tip, frequent));
  const ofOne = { resourceId: `res_${'77'.padStart(26, '0')}`, types: null };
  await print('a follower of one resource at the tip', () => readBatch(ctx, tip, ofOne));
  await print('the same at the beginning', () => readBatch(ctx, start, ofOne));

  await fillResources(database.pool, environment.id);
  await print('100,000 resources: first page', () => resources({}));
  await print('a type', () => resources({ type: 'tenth' }));
  await print('a field that one has', () => resources({ field: { name: 'n', value: 777 } }));
  await print('a field that half of them have', () => resources({ field: { name: 'even', value: true } }));
  await print('a field that none has', () => resources({ field: { name: 'n', value: 'x' } }));
  await print('a field and a type that never meet', () =>
    resources({ type: 'tenth', field: { name: 'even', value: false } }),
  );
}

async function main(): Promise<void> {
  await administer(`CREATE DATABASE ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  const database = await openDatabase({ kind: 'postgresql', url: own.href, poolSize: 4 });
  try {
    await migrate(database, join(import.meta.dirname, '../..'));
    await firstStart(database.prisma, { apiKey: undefined, email: 'measure@example.com', password: undefined });
    const { id, kind, workspaceId } = await database.prisma.environment.findFirstOrThrow({ where: { kind: 'live' } });
    await measure(database, { id, kind, workspaceId });
  } finally {
    await database.close();
    await administer(`DROP DATABASE ${name} WITH (FORCE)`);
  }
}

await main();

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DISTRIBUTED_TABLES } from '../../src/db/distribution.ts';
import { SESSION_CLOSERS } from '../support/access-cases.ts';
import { ALL_FIELDS, ALL_ROUTES, sendOf } from '../support/all-operations.ts';
import { BACKGROUND_CHANGES, BY_THE_TEST, doBackgroundWork } from '../support/background-work.ts';
import { fromManyAddresses, type SendOptions } from '../support/client.ts';
import { FINDERS, PRUNED, STATEMENT_EXCEPTIONS } from '../support/colocation-exceptions.ts';
import { endUserToken, said } from '../support/end-users.ts';
import { createFixtures, createFixturesFor } from '../support/fixtures.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { isReadOnly, type UnboundTable, unboundTables } from '../support/statement-tables.ts';
import { makeDeployment, openSession } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let service: TestService;
/** Statements without an environment, by the operation that first sent one. */
const found = new Map<string, Unbound>();
/** The changes of background tasks that were sent. */
const changes = new Set<string>();

interface Unbound extends UnboundTable {
  readonly by: string;
  readonly isReadOnly: boolean;
}

function collect(by: string): void {
  for (const sql of service.takeAllStatements()) {
    if (sql.startsWith(BY_THE_TEST)) continue;
    const text = sql.replace(/\s+/g, ' ');
    for (const change of BACKGROUND_CHANGES) if (text.includes(change)) changes.add(change);
    for (const unbound of unboundTables(sql, DISTRIBUTED_TABLES)) {
      const key = JSON.stringify(unbound);
      if (!found.has(key)) found.set(key, { ...unbound, by, isReadOnly: isReadOnly(sql) });
    }
  }
}

type Listed = (typeof STATEMENT_EXCEPTIONS)[number];

const isOneOf = (list: readonly Listed[], { table, query }: UnboundTable) =>
  list.some((listed) => listed.table === table && query.includes(listed.query));

const isException = (unbound: Unbound) =>
  isOneOf(STATEMENT_EXCEPTIONS, unbound) ||
  (isOneOf(FINDERS, unbound) && unbound.isReadOnly) ||
  (isOneOf(PRUNED, unbound) && unbound.environments === 'several');

const isSeen = ({ table, query }: Listed) =>
  [...found.values()].some((unbound) => unbound.table === table && unbound.query.includes(query));

const LISTED = [...STATEMENT_EXCEPTIONS, ...FINDERS, ...PRUNED];

async function turnOf(options: SendOptions): Promise<string> {
  const { status, body } = await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, options);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.conversation_id;
}

/** Turns as a server, an end user and a retrying client send them. */
async function sendTurns(): Promise<void> {
  const token = await endUserToken(service, DEMO_AGENT_ID, 'ann');
  service.takeAllStatements();
  for (const key of [service.keys.live, token]) {
    const headers = { 'idempotency-key': key.slice(0, 8) };
    await turnOf({ key, headers, body: said('Hello') });
    const id = await turnOf({ key, headers, body: said('Hello') });
    await turnOf({ key, body: said('More', { conversation_id: id }) });
  }
  collect('turns');
}

/** A visitor starts from a trigger, and continues. */
async function sendVisits(): Promise<void> {
  const { id } = await makeDeployment(service, {}, { authRequired: false });
  const { body: trigger } = await service.send('POST', `/v1/runner/${id}/trigger`, {
    body: { content: said('Hello').content },
  });
  service.takeAllStatements();
  const send = (body: object) => service.send('POST', `/v2/runner/${id}/conversation`, { key: null, body });
  const { status, body } = await send({ ...said('Hello'), trigger_id: trigger.id });
  if (status !== 200) throw new Error(JSON.stringify(body));
  await send(said('More', { conversation_id: body.conversation_id }));
  collect('a visitor');
}

async function sendAllOperations(): Promise<void> {
  const fixtures = await createFixtures(service);
  const owner = await openSession(service, 'owner');
  for (const operation of [...ALL_FIELDS, ...ALL_ROUTES]) {
    if (SESSION_CLOSERS.includes(operation.name)) continue;
    const own = await createFixturesFor(service, operation, fixtures);
    service.takeAllStatements();
    await sendOf(operation)(service, owner, own);
    collect(operation.name);
  }
}

beforeAll(async () => {
  service = fromManyAddresses(await startService({ trustProxy: 'loopback', federation: true }));
  await sendTurns();
  await sendVisits();
  await sendAllOperations();
  // Its run and its idempotency key renew their leases.
  await turnOf({ headers: { 'idempotency-key': 'slow' }, body: said('/slow 4\n/say Done.') });
  collect('a slow turn');
  await doBackgroundWork(service);
  collect('background');
  // The rest are background statements, at intervals of up to some seconds.
  const deadline = performance.now() + 15_000;
  await until(async () => {
    collect('background');
    return LISTED.every(isSeen) || performance.now() > deadline;
  });
}, 180_000);
afterAll(() => service.close());

describe('the statements of every operation', () => {
  it('bind each distributed table to one environment, apart from the listed exceptions', () => {
    const others = [...found.values()].filter((unbound) => !isException(unbound));
    expect(others.map(({ by, table, query }) => `${by}: ${table}: ${query}`)).toEqual([]);
  });

  it('need every exception', () => {
    expect(LISTED.filter((listed) => !isSeen(listed))).toEqual([]);
  });

  it('include the changes of every background task', () => {
    expect(BACKGROUND_CHANGES.filter((change) => !changes.has(change))).toEqual([]);
  });
});

describe('the check of statements', () => {
  const unbound = (sql: string) => unboundTables(sql, ['run', 'event']).map(({ table }) => table);

  it('accepts a condition, a join and an insert that name the environment', () => {
    expect(unbound('SELECT 1 FROM run WHERE environment_id = $1::uuid AND id = $2')).toEqual([]);
    expect(unbound('SELECT 1 FROM "public"."run" WHERE ("public"."run"."environment_id" = $1)')).toEqual([]);
    expect(
      unbound('SELECT 1 FROM run r JOIN event e ON e.environment_id = r.environment_id WHERE r.environment_id = $1'),
    ).toEqual([]);
    expect(
      unbound('SELECT 1 FROM run r, LATERAL ((SELECT 1) UNION ALL (SELECT 2)) AS x WHERE r.environment_id = $1'),
    ).toEqual([]);
    expect(unbound('INSERT INTO run (id, environment_id) VALUES ($1, $2)')).toEqual([]);
    expect(unbound('SELECT 1 FROM conversation FOR UPDATE')).toEqual([]);
  });

  it('finds a table without one in a subquery, a join, a change and an insert', () => {
    expect(unbound('SELECT (SELECT 1 FROM run WHERE id = $1) FROM event WHERE environment_id = $2')).toEqual(['run']);
    expect(unbound('SELECT 1 FROM run r JOIN event e ON e.id = r.id WHERE r.environment_id = $1')).toEqual(['event']);
    expect(unbound('WITH x AS (UPDATE run SET step = 1 FROM x WHERE run.id = x.id) SELECT 1')).toEqual(['run']);
    expect(unbound('SELECT 1 FROM run r JOIN event e ON e.environment_id = r.environment_id')).toEqual([
      'run',
      'event',
    ]);
    expect(unbound("DELETE FROM event USING x WHERE event.id = x.id AND x.environment_id = 'a'")).toEqual(['event']);
    expect(unbound('INSERT INTO run (id) SELECT id FROM x')).toEqual(['run']);
    expect(unbound("SELECT 'environment_id = 1' FROM run -- environment_id = $1")).toEqual(['run']);
  });

  it('tells a list of environments from all of them', () => {
    const environments = (sql: string) => unboundTables(sql, ['run', 'event']).map((one) => one.environments);
    expect(environments('SELECT 1 FROM run WHERE environment_id = ANY ($1::uuid[]) AND id = $2')).toEqual(['several']);
    expect(environments('SELECT 1 FROM run WHERE id = ANY ($1) AND environment_id <> $2')).toEqual(['all']);
    expect(environments('SELECT 1 FROM run r JOIN event e ON e.id = r.id WHERE r.environment_id = ANY ($1)')).toEqual([
      'several',
      'all',
    ]);
    expect(environments('INSERT INTO run (id) SELECT id FROM x WHERE environment_id = ANY ($1)')).toEqual(['all']);
  });

  it('finds changes and locks in a statement', () => {
    expect(isReadOnly("SELECT 'UPDATE run' FROM run ORDER BY id LIMIT 1")).toBe(true);
    expect(isReadOnly('SELECT 1 FROM run FOR NO KEY UPDATE SKIP LOCKED')).toBe(false);
    expect(isReadOnly('WITH x AS (DELETE FROM run RETURNING id) SELECT id FROM x')).toBe(false);
  });
});

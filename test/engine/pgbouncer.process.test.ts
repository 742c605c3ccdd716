import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lookup, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import { type OwnedStore, postgresStore, startOn } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { PGBOUNCER, type Pooler, SERVER_CONNECTIONS, startPgbouncer } from '../support/pgbouncer.ts';
import { killAll, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { subscribe } from '../support/subscriptions.ts';
import { until } from '../support/until.ts';
import { makeEndpoint } from '../support/webhooks.ts';

const reason = !POSTGRES_URL ? ' (skipped: TEST_DATABASE_URL is not set)' : PGBOUNCER ? '' : ' (skipped: no pgbouncer)';

const EVENTS = 'subscription ($after: String) { eventAppended(after: $after) { cursor event { resourceId } } }';

describe.skipIf(reason !== '')(`two processes with PgBouncer in transaction mode${reason}`, () => {
  let store: OwnedStore;
  let pooler: Pooler;
  let receiver: Receiver;
  let one: ServiceProcess;
  let two: ServiceProcess;
  let start: () => Promise<ServiceProcess>;
  beforeAll(async () => {
    [store, receiver] = await Promise.all([postgresStore(), startReceiver()]);
    pooler = await startPgbouncer(store.url);
    const env = {
      DATABASE_URL: pooler.urlOf(new URL(store.url).pathname.slice(1)),
      DATABASE_SESSION_URL: store.url,
      ALLOW_LOOPBACK: 'true',
    };
    start = () => startOn(store, env);
    [one, two] = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    await killAll();
    await Promise.all([pooler?.remove(), receiver?.close(), store?.remove()]);
  });

  const createNote = async (at: ServiceProcess): Promise<string> =>
    (await at.send('POST', '/v1/resources', { body: { type: 'note', fields: {} } })).body.data.id;

  it('bind statements with row-level security', async () => {
    expect(one.output.join()).not.toContain('row-level security');
    expect((await one.send('GET', '/readyz', { key: null })).body.status).toBe('ready');
  });

  it('run turns in parallel, and continue at one what the other one paused', async () => {
    const turns = Array.from({ length: 24 }, (_, index) => (index % 2 ? one : two).agentTurn(`turn ${index}`));
    const replies = (await Promise.all(turns)).map(({ body }) => body.content);
    expect(replies).toEqual(turns.map((_, index) => `You said: turn ${index}`));
    const id = (await one.agentTurn('Hello')).body.conversation_id;
    const paused = await pauseTurn(one, id, `${lookup('one')}\n/say welcome back`);
    expect((await resume(two, paused, { name: 'Ada' })).body.content).toBe('welcome back');
  });

  it('publish events to subscribers of the other process and to webhooks', async () => {
    await makeEndpoint(one, receiver.url, { eventTypes: ['RESOURCE_CREATED'] });
    const feed = await subscribe(two, EVENTS, {}, two.key);
    for (let round = 0; round < 5; round += 1) {
      const id = await createNote(one);
      expect((await feed.next()).data.eventAppended.event.resourceId).toBe(id);
    }
    await feed.close();
    expect(await receiver.waitForCount(5)).toHaveLength(5);
  });

  it('settle the turn of a process that is killed, and continue its conversation', async () => {
    const id = (await one.agentTurn('Hello')).body.conversation_id;
    const cut = one.agentTurn('/slow 60', { conversation_id: id }).catch(() => 'cut');
    await until(async () => (await readHistory(two, id)).run_status === 'running');
    await one.kill('SIGKILL');
    await cut;
    await until(async () => (await readHistory(two, id)).run_status === 'failed', {
      withinMs: busyMs(RECOVERY_MS + 10_000),
    });
    expect((await two.agentTurn('Go on', { conversation_id: id })).body.content).toBe('You said: Go on');
    one = await start();
    expect((await readHistory(one, id)).run_status).toBe('completed');
  });

  it('respond with 503 while every connection of the pooler is busy', async () => {
    const pool = openPool(pooler.urlOf(new URL(store.url).pathname.slice(1)), SERVER_CONNECTIONS);
    const busy = await Promise.all(Array.from({ length: SERVER_CONNECTIONS }, () => pool.connect()));
    await Promise.all(busy.map((client) => client.query('BEGIN')));
    const { status, body } = await two.send('GET', '/v1/resources');
    expect([status, body.error.code]).toEqual([503, 'unavailable']);
    for (const client of busy) client.release(true);
    await pool.end();
    await until(async () => (await two.send('GET', '/v1/resources')).status === 200);
  });

  it('respond with 503 while the pooler is down, and go on when it is back, with their runs and feeds', async () => {
    const { conversation_id: id } = (await two.agentTurn('Hello')).body;
    const feed = await subscribe(one, EVENTS, {}, one.key);
    await createNote(two);
    const { cursor: after } = (await feed.next()).data.eventAppended;
    const turn = two.agentTurn('/slow 3\n/say survived', { conversation_id: id });
    await until(async () => (await readHistory(one, id)).run_status === 'running');
    // Its client reads while the connection can break.
    const next = feed.next();
    await pooler.kill();
    const { status, body } = await two.send('GET', '/v1/resources');
    expect([status, body.error.code]).toEqual([503, 'unavailable']);
    expect((await two.send('GET', '/readyz', { key: null })).status).toBe(503);
    await pooler.start();
    // The outage was shorter than the turn, so its own process stores the reply.
    expect((await turn).body.content).toBe('survived');
    const note = await createNote(two);
    // A feed that reads during the outage ends with an error, and its client continues after its cursor.
    const first = await next;
    if (first.errors) expect(first.errors[0].extensions.code).toBe('UNAVAILABLE');
    const continued = first.errors && (await subscribe(one, EVENTS, { after }, one.key));
    const { data } = continued ? await continued.next() : first;
    expect(data.eventAppended.event.resourceId).toBe(note);
    await Promise.all([feed.close(), continued?.close()]);
  });
});

import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { type PostgresStore, postgresStore, startPair } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { writeEvent, writeResources, writeSlowly } from '../support/log-writers.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { subscribe } from '../support/subscriptions.ts';

const DOCUMENT = 'subscription ($after: String) { eventAppended(after: $after) { cursor event { eventId } } }';

/** Writers over HTTP, half of them at each process, and the number of changes of each. */
const WRITERS = 16;
const CHANGES = 120;

/** Concurrent transactions that commit out of order. */
const SLOW_WRITERS = 8;
const SLOW_EVENTS = 60;

const TOTAL = WRITERS * CHANGES + SLOW_WRITERS * SLOW_EVENTS;

describe.skipIf(!POSTGRES_URL)('a follower of the log', () => {
  let store: PostgresStore;
  let pair: [ServiceProcess, ServiceProcess];
  let database: pg.Pool;
  let environmentId: string;
  beforeAll(async () => {
    store = await postgresStore();
    database = openPool(store.url, SLOW_WRITERS + 2);
    pair = await startPair(store);
    const { rows } = await database.query(
      `SELECT environment_id FROM api_key k JOIN environment e ON e.id = k.environment_id WHERE e.kind = 'live'`,
    );
    environmentId = rows[0].environment_id;
  });
  afterAll(async () => {
    await killAll();
    await database.end();
    await store.remove();
  });

  async function followCursor(client: Client): Promise<string> {
    const { body } = await client.graphql('{ events { followCursor } }');
    return body.data.events.followCursor;
  }

  /** Follows from a cursor and reads this many events. */
  async function readEvents(client: Client, after: string, count: number): Promise<{ ids: string[]; cursor: string }> {
    const stream = await subscribe(client, DOCUMENT, { after }, store.key);
    const ids: string[] = [];
    let cursor = after;
    while (ids.length < count) {
      const { eventAppended } = (await stream.next()).data;
      ids.push(eventAppended.event.eventId);
      cursor = eventAppended.cursor;
    }
    await stream.close();
    return { ids, cursor };
  }

  /** Reconnects repeatedly, at either process, with only the last cursor. */
  async function readInPieces(after: string): Promise<string[]> {
    const ids: string[] = [];
    let cursor = after;
    for (let piece = 0; ids.length < TOTAL; piece += 1) {
      const most = 1 + Math.floor(Math.random() * 300);
      const taken = await readEvents(pair[piece % 2] as Client, cursor, Math.min(most, TOTAL - ids.length));
      ids.push(...taken.ids);
      cursor = taken.cursor;
    }
    return ids;
  }

  it(`receives each of ${TOTAL} events of many writers once, in one order for all, by cursor and by subscription`, async () => {
    const after = await followCursor(pair[0]);
    const followers = [
      readInPieces(after),
      readInPieces(after),
      readInPieces(after),
      ...pair.map(async (process) => (await readEvents(process, after, TOTAL)).ids),
    ];
    await Promise.all([
      ...Array.from({ length: WRITERS }, (_, writer) => writeResources(pair[writer % 2] as Client, CHANGES)),
      ...Array.from({ length: SLOW_WRITERS }, () => writeSlowly(database, environmentId, SLOW_EVENTS)),
    ]);
    const received = await Promise.all(followers);
    const { rows } = await database.query('SELECT id FROM event ORDER BY xid, id');
    const log = rows.map(({ id }) => id);
    expect(log).toHaveLength(TOTAL);
    for (const ids of received) expect(ids).toEqual(log);
  });

  it('waits for an event that commits late', async () => {
    const after = await followCursor(pair[0]);
    const [early, late] = [await writeEvent(database, environmentId), await writeEvent(database, environmentId)];
    const both = readEvents(pair[1], after, 2);
    await late.commit();
    // The log shows the event at once, but a follower must wait.
    const { body } = await pair[0].send('GET', `/v1/events/${late.eventId}`);
    expect(body.data.id).toBe(late.eventId);
    await early.commit();
    expect((await both).ids).toEqual([early.eventId, late.eventId]);
  });

  it('does not wait for a rolled back event', async () => {
    const after = await followCursor(pair[0]);
    const [abandoned, stored] = [await writeEvent(database, environmentId), await writeEvent(database, environmentId)];
    await stored.commit();
    await abandoned.rollback();
    expect((await readEvents(pair[0], after, 1)).ids).toEqual([stored.eventId]);
  });

  it('receives after a page exactly the events that the page does not contain, also with later cursors', async () => {
    const [first, second] = [await writeEvent(database, environmentId), await writeEvent(database, environmentId)];
    const shown = await writeEvent(database, environmentId);
    await shown.commit();
    const page = await pair[0].graphql('{ events(first: 1) { nodes { eventId } followCursor } }');
    const { nodes, followCursor: after } = page.body.data.events;
    expect(nodes).toEqual([{ eventId: shown.eventId }]);
    await second.commit();
    await first.commit();
    const one = await readEvents(pair[1], after, 1);
    expect(one.ids).toEqual([first.eventId]);
    const two = await readEvents(pair[0], one.cursor, 1);
    expect(two.ids).toEqual([second.eventId]);
    const last = await writeEvent(database, environmentId);
    await last.commit();
    expect((await readEvents(pair[1], two.cursor, 1)).ids).toEqual([last.eventId]);
    expect((await readEvents(pair[1], after, 3)).ids).toEqual([first.eventId, second.eventId, last.eventId]);
  });
});

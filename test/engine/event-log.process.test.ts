import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { writeEvent, writeResources, writeSlowly } from '../support/log-writers.ts';
import { type PostgresPlace, postgres, startPair } from '../support/places.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { subscribe } from '../support/subscriptions.ts';

const DOCUMENT = 'subscription ($after: String) { eventAppended(after: $after) { cursor event { eventId } } }';

/** Writers over HTTP, half of them at each process, and what each of them changes. */
const WRITERS = 16;
const CHANGES = 250;

/** Transactions that commit out of order, side by side. */
const SLOW_WRITERS = 8;
const SLOW_EVENTS = 125;

const TOTAL = WRITERS * CHANGES + SLOW_WRITERS * SLOW_EVENTS;

describe.skipIf(!POSTGRES_URL)('WIRE 10: whoever follows the log', () => {
  let home: PostgresPlace;
  let pair: [ServiceProcess, ServiceProcess];
  let database: pg.Pool;
  let environmentId: string;
  beforeAll(async () => {
    home = await postgres();
    database = openPool(home.url, SLOW_WRITERS + 2);
    pair = await startPair(home);
    const { rows } = await database.query(
      `SELECT environment_id FROM api_key k JOIN environment e ON e.id = k.environment_id WHERE e.kind = 'live'`,
    );
    environmentId = rows[0].environment_id;
  });
  afterAll(async () => {
    await killAll();
    await database.end();
    await home.remove();
  });

  async function followCursor(client: Client): Promise<string> {
    const { body } = await client.graphql('{ events { followCursor } }');
    return body.data.events.followCursor;
  }

  /** Follows from a cursor and takes so many events. */
  async function take(client: Client, after: string, count: number): Promise<{ ids: string[]; cursor: string }> {
    const stream = await subscribe(client, DOCUMENT, { after }, home.key);
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

  /** Comes back again and again, at one process or the other, with nothing but the last cursor. */
  async function takeInPieces(after: string): Promise<string[]> {
    const ids: string[] = [];
    let cursor = after;
    for (let piece = 0; ids.length < TOTAL; piece += 1) {
      const most = 1 + Math.floor(Math.random() * 300);
      const taken = await take(pair[piece % 2] as Client, cursor, Math.min(most, TOTAL - ids.length));
      ids.push(...taken.ids);
      cursor = taken.cursor;
    }
    return ids;
  }

  it(`sees each of ${TOTAL} events of many writers once, in one order for all, by cursor and by subscription`, async () => {
    const after = await followCursor(pair[0]);
    const followers = [
      takeInPieces(after),
      takeInPieces(after),
      takeInPieces(after),
      ...pair.map(async (process) => (await take(process, after, TOTAL)).ids),
    ];
    await Promise.all([
      ...Array.from({ length: WRITERS }, (_, writer) => writeResources(pair[writer % 2] as Client, CHANGES)),
      ...Array.from({ length: SLOW_WRITERS }, () => writeSlowly(database, environmentId, SLOW_EVENTS)),
    ]);
    const seen = await Promise.all(followers);
    const { rows } = await database.query('SELECT id FROM event ORDER BY xid, id');
    const log = rows.map(({ id }) => id);
    expect(log).toHaveLength(TOTAL);
    for (const ids of seen) expect(ids).toEqual(log);
  });

  it('is not overtaken by an event that commits late, and waits for it', async () => {
    const after = await followCursor(pair[0]);
    const [early, late] = [await writeEvent(database, environmentId), await writeEvent(database, environmentId)];
    const both = take(pair[1], after, 2);
    await late.commit();
    // The log shows it at once; a follower has to wait.
    const { body } = await pair[0].send('GET', `/v1/events/${late.eventId}`);
    expect(body.data.id).toBe(late.eventId);
    await early.commit();
    expect((await both).ids).toEqual([early.eventId, late.eventId]);
  });

  it('is not held up by one that was given up', async () => {
    const after = await followCursor(pair[0]);
    const [given, kept] = [await writeEvent(database, environmentId), await writeEvent(database, environmentId)];
    await kept.commit();
    await given.rollback();
    expect((await take(pair[0], after, 1)).ids).toEqual([kept.eventId]);
  });

  it('from a page is told of what it did not show and of nothing that it did, also by the cursors that follow', async () => {
    const [first, second] = [await writeEvent(database, environmentId), await writeEvent(database, environmentId)];
    const shown = await writeEvent(database, environmentId);
    await shown.commit();
    const page = await pair[0].graphql('{ events(first: 1) { nodes { eventId } followCursor } }');
    const { nodes, followCursor: after } = page.body.data.events;
    expect(nodes).toEqual([{ eventId: shown.eventId }]);
    await second.commit();
    await first.commit();
    const one = await take(pair[1], after, 1);
    expect(one.ids).toEqual([first.eventId]);
    const two = await take(pair[0], one.cursor, 1);
    expect(two.ids).toEqual([second.eventId]);
    const last = await writeEvent(database, environmentId);
    await last.commit();
    expect((await take(pair[1], two.cursor, 1)).ids).toEqual([last.eventId]);
    expect((await take(pair[1], after, 3)).ids).toEqual([first.eventId, second.eventId, last.eventId]);
  });
});

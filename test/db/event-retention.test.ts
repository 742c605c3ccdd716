import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { type DropRule, dropPartitions } from '../../src/db/partitions/drop.ts';
import { EVENT_LOG, partitionName, periodAt, startOf } from '../../src/db/partitions/periods.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { eventRule } from '../../src/domain/retention/log-rules.ts';
import { makeTenant } from '../support/all-models.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../support/database.ts';
import { createEndpoint, eventIdAt, readAll, readFeed, writeDelivery, writeEvent } from '../support/event-log.ts';
import { otherConnection } from '../support/other-connection.ts';
import { asOwner, inPeriod, maintainAt, partitionsOf } from '../support/partitions.ts';

const DAY_MS = 86_400_000;
const CURRENT = periodAt(EVENT_LOG, new Date());

const at = (later: number) => inPeriod(EVENT_LOG, later);

const nameOf = (later: number) => partitionName(EVENT_LOG, CURRENT + later);

/** The time `days` days after the end of the period that is `later` periods after the current one. */
const afterPeriod = (later: number, days: number) =>
  new Date(startOf(EVENT_LOG, CURRENT + later + 1).getTime() + days * DAY_MS);

let copy: TestDatabase;
let database: Database;
let own: EnvironmentRef;
let endpoint: string;
/** An event of the first partition, of the next one, and of the one after that. */
let events: string[];
beforeEach(async () => {
  copy = await createDatabase();
  database = await openDatabase(copy.location);
  own = (await makeTenant(database.prisma)).live;
  endpoint = await createEndpoint(database, own);
  await maintainAt(database, at(2));
  events = [];
  for (const later of [0, 2, 3]) events.push(await writeEvent(database, own, at(later)));
  await readAll(database, endpoint);
});
afterEach(async () => {
  await database.close();
  await copy.drop();
});

const namesOf = async () => (await partitionsOf(database, EVENT_LOG)).map(({ name }) => name);

const maintain = (when = afterPeriod(2, 8), days: number | undefined = 7) =>
  maintainAt(database, when, undefined, days);

const feed = async (...from: Parameters<typeof readFeed> extends [unknown, unknown, ...infer Rest] ? Rest : never) =>
  (await readFeed(database, own, ...from)).map(({ id }) => id);

const count = async (table: string) =>
  (await asOwner<{ count: number }>(database, `SELECT count(*)::int AS count FROM ${table}`))[0]?.count;

describe('the event log', () => {
  it('keeps everything without EVENT_LOG_DAYS', async () => {
    await maintainAt(database, afterPeriod(9, 3_650));
    expect(await feed()).toEqual(events);
  });

  it('loses each quarter EVENT_LOG_DAYS after its end, and feeds continue with the next event', async () => {
    const [{ position } = { position: undefined }] = await readFeed(database, own);
    await maintain(afterPeriod(1, 6));
    expect(await feed()).toEqual(events);
    await maintain(afterPeriod(1, 8));
    expect(await feed()).toEqual(events.slice(1));
    const lines = await maintain(afterPeriod(2, 8));
    expect(lines).toContainEqual({
      message: 'dropped partitions of a log: all rows were older than its retention',
      facts: { partitions: [nameOf(2)] },
    });
    expect((await namesOf())[0]).toBe(nameOf(3));
    for (const from of [undefined, position]) expect(await feed(from)).toEqual(events.slice(2));
    // A clock that is years late.
    events.push(await writeEvent(database, own, new Date(0)));
    expect(await feed(position)).toEqual(events.slice(2));
  });

  it('keeps the newest events', async () => {
    await maintain(afterPeriod(9, 3_650));
    expect(await feed()).toEqual(events.slice(2));
    expect((await namesOf())[0]).toBe(nameOf(3));
  });

  it.each([
    ['keeps a quarter with a pending delivery', 'pending', [0, 1, 2], 3],
    ['loses a quarter with finished deliveries, and the deliveries', 'delivered', [1, 2], 1],
  ] as const)('%s', async (_does, status, kept, deliveries) => {
    for (const [place, event] of events.entries())
      await writeDelivery(database, endpoint, event, place === 0 ? status : 'failed');
    const messages = (await maintain(afterPeriod(1, 8))).map(({ message }) => message);
    expect(messages).toEqual(status === 'pending' ? [] : [expect.stringMatching(/^dropped partitions/)]);
    expect(await feed()).toEqual(kept.map((place) => events[place]));
    expect(await count('webhook_delivery')).toBe(status === 'pending' ? deliveries : 2);
    expect(await count('webhook_attempt')).toBe(status === 'pending' ? deliveries : 2);
  });

  it('keeps a quarter whose events an enabled endpoint has not read', async () => {
    await asOwner(database, `UPDATE webhook_endpoint SET position_xid = '0', position_id = ''`);
    await maintain();
    expect(await feed()).toEqual(events);
    await asOwner(database, 'UPDATE webhook_endpoint SET enabled = false');
    await maintain();
    expect(await feed()).toEqual(events.slice(2));
  });

  it('is not kept by an endpoint of another environment', async () => {
    const foreign = await createEndpoint(database, (await makeTenant(database.prisma)).live);
    await asOwner(database, `UPDATE webhook_endpoint SET position_xid = '0' WHERE id = $1`, [foreign]);
    await maintain();
    expect(await feed()).toEqual(events.slice(2));
  });

  it('loses finished deliveries in batches before it is locked', async () => {
    await fillDeliveries();
    const [first] = await partitionsOf(database, EVENT_LOG);
    if (!first) throw new Error('The event log has no partition.');
    await database.asOwner(async (connection) => eventRule(7).prepare?.(connection, first));
    expect(await count('webhook_delivery')).toBe(0);
  });

  async function fillDeliveries(): Promise<void> {
    await asOwner(
      database,
      `INSERT INTO event (id, environment_id, type, resource_id, payload, occurred_at)
       SELECT $1 || n, $2::uuid, 'resource.created', 'r', '{}', now() FROM generate_series(1, 2500) AS n`,
      [eventIdAt(at(0)).slice(0, 20), own.id],
    );
    await asOwner(
      database,
      `INSERT INTO webhook_delivery (environment_id, endpoint_id, event_id, message_id, status, finished_at, created_at)
       SELECT environment_id, $1, id, id, 'delivered', now(), now() FROM event WHERE length(id) < 30`,
      [endpoint],
    );
  }
});

describe.skipIf(!POSTGRES_URL)('a partition of events that others use', () => {
  const other = otherConnection(() => copy);

  const drop = (rule: DropRule) =>
    database.asOwner((connection) => dropPartitions(connection, EVENT_LOG, rule, afterPeriod(1, 8)));

  const insertLate = (id: string) =>
    other.query(
      `INSERT INTO event (id, environment_id, type, resource_id, payload, occurred_at)
       VALUES ($1, $2, 'resource.created', 'r', '{}', now())`,
      [id, own.id],
    );

  it('is kept with an event that a transaction writes late, until the endpoints have read it', async () => {
    const late = eventIdAt(at(0));
    await other.query('BEGIN');
    await insertLate(late);
    const lines = await maintain(afterPeriod(1, 8));
    expect(lines).toContainEqual({
      message: 'the partitions of a log could not be maintained, and are tried again',
      facts: expect.objectContaining({ table: 'event' }),
    });
    await other.query('COMMIT');
    await maintain(afterPeriod(1, 8));
    expect(await feed()).toEqual([...events, late]);
    await readAll(database, endpoint);
    await maintain(afterPeriod(1, 8));
    expect(await feed()).toEqual(events.slice(1));
  });

  it('gets no event and no delivery between the last look and the drop', async () => {
    await writeDelivery(database, endpoint, events[0] ?? '', 'delivered');
    await other.query("SET lock_timeout = '200ms'");
    const results: string[] = [];
    const tryTo = (query: Promise<unknown>) =>
      query.then(
        () => 'done',
        (error: Error) => error.message,
      );
    const rule = eventRule(7);
    const release: DropRule['release'] = async (connection, partition) => {
      results.push(await tryTo(insertLate(eventIdAt(at(0)))));
      results.push(
        await tryTo(
          other.query(`UPDATE webhook_delivery SET status = 'pending', next_attempt_at = now(), finished_at = NULL`),
        ),
      );
      await rule.release?.(connection, partition);
    };
    expect(await drop({ ...rule, prepare: async () => {}, release })).toEqual(['event_first']);
    const blocked = 'canceling statement due to lock timeout';
    expect(results).toEqual([blocked, blocked]);
    expect(await count('webhook_delivery')).toBe(0);
  });
});

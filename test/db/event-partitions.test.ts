import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstTypeIdAt, timeOfTypeId } from '../../src/contract/ids.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { EVENT_LOG, partitionName, periodAt, startOf } from '../../src/db/partitions/periods.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { newTypeId } from '../../src/domain/type-id.ts';
import { createEveryRow, makeTenant } from '../support/all-models.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { createEndpoint, eventIdAt, readFeed, writeDelivery, writeEvent } from '../support/event-log.ts';
import { asOwner, inPeriod, maintainAt, partitionsOf } from '../support/partitions.ts';
import { readTables, tableOf } from '../support/tables.ts';

const CURRENT = periodAt(EVENT_LOG, new Date());

const at = (later: number) => inPeriod(EVENT_LOG, later);

const nameOf = (later: number) => partitionName(EVENT_LOG, CURRENT + later);

let copy: TestDatabase;
let database: Database;
let own: EnvironmentRef;
beforeEach(async () => {
  copy = await createDatabase();
  database = await openDatabase(copy.location);
  own = (await makeTenant(database.prisma)).live;
});
afterEach(async () => {
  await database.close();
  await copy.drop();
});

const partitionOf = async (id: string) =>
  (
    await asOwner<{ name: string }>(database, 'SELECT tableoid::regclass::text AS name FROM event WHERE id = $1', [id])
  )[0]?.name;

describe('the ID of an event', () => {
  it('begins with its time', () => {
    const before = Date.now();
    // The IDs of a process never go back. Another test may have moved its clock ahead and back.
    const earlier = timeOfTypeId(newTypeId('evt')).getTime();
    const id = newTypeId('evt');
    const time = timeOfTypeId(id).getTime();
    expect(time).toBeGreaterThanOrEqual(Math.max(before, earlier));
    expect(time).toBeLessThanOrEqual(Math.max(Date.now(), earlier));
    expect(firstTypeIdAt('evt', new Date(time)) <= id).toBe(true);
    expect(id < firstTypeIdAt('evt', new Date(time + 1))).toBe(true);
    // The example of the TypeID specification: 0188bac7-4afa-78aa-bc3b-bd1eef28d881.
    const at = new Date(0x0188bac74afa);
    expect(firstTypeIdAt('evt', at)).toBe('evt_01h2xcejqt');
    expect(timeOfTypeId('evt_01h2xcejqtf2nbrexx3vqjhp41')).toEqual(at);
  });
});

describe('the partitions of the event log', () => {
  it('begin with one for all events until the end of the next quarter, and one for events without a period', async () => {
    expect(await partitionsOf(database, EVENT_LOG)).toEqual([{ name: 'event_first', from: null, to: CURRENT + 2 }]);
    for (const time of [new Date(0), new Date(), at(1), new Date(startOf(EVENT_LOG, CURRENT + 2).getTime() - 1)])
      expect(await partitionOf(await writeEvent(database, own, time))).toBe('event_first');
    for (const time of [startOf(EVENT_LOG, CURRENT + 2), new Date('2900-01-01')])
      expect(await partitionOf(await writeEvent(database, own, time))).toBe('event_default');
  });

  it('are created ahead, and get the events of their period', async () => {
    await maintainAt(database, new Date());
    await maintainAt(database, at(2));
    const created = [2, 3, 4].map((later) => ({ name: nameOf(later), from: CURRENT + later, to: CURRENT + later + 1 }));
    expect((await partitionsOf(database, EVENT_LOG)).slice(1)).toEqual(created);
    const boundary = startOf(EVENT_LOG, CURRENT + 3);
    expect(await partitionOf(await writeEvent(database, own, new Date(boundary.getTime() - 1)))).toBe(nameOf(2));
    expect(await partitionOf(await writeEvent(database, own, boundary))).toBe(nameOf(3));
    expect(await maintainAt(database, at(2))).toEqual([]);
  });

  it('are the parts of one feed and of one list, in order', async () => {
    await maintainAt(database, at(2));
    const boundary = startOf(EVENT_LOG, CURRENT + 3).getTime();
    const ids: string[] = [];
    for (const time of [-2, -1, 0, 1]) ids.push(await writeEvent(database, own, new Date(boundary + time)));
    // Its clock is late: it comes later in the feed, and earlier in the list.
    const late = await writeEvent(database, own, new Date(boundary - 3));
    const feed = await readFeed(database, own);
    expect(feed.map(({ id }) => id)).toEqual([...ids, late]);
    for (const [place, { position }] of feed.entries())
      expect((await readFeed(database, own, position)).map(({ id }) => id)).toEqual([...ids, late].slice(place + 1));
    const list = await database.prisma.event.findMany({ orderBy: [{ occurredAt: 'desc' }, { id: 'desc' }] });
    expect(list.map(({ id }) => id)).toEqual([...ids.reverse(), late]);
  });

  it('have the indexes, keys, policies and triggers of the log', async () => {
    await createEveryRow(database.prisma, own);
    await createEveryRow(database.prisma, (await makeTenant(database.prisma)).live);
    await maintainAt(database, at(2));
    const rows = await asOwner<{ name: string }>(
      database,
      `SELECT relname AS name,
              (SELECT array_agg(replace(pg_get_indexdef(indexrelid), c.relname, 'event') ORDER BY 1)
               FROM (SELECT indexrelid FROM pg_index WHERE indrelid = c.oid AND indisvalid) AS i)::text <> '' AS indexed,
              (SELECT count(*)::int FROM pg_index WHERE indrelid = c.oid AND indisvalid) AS indexes,
              (SELECT count(*)::int FROM pg_index WHERE indrelid = c.oid AND indpred IS NOT NULL) AS partial,
              (SELECT count(*)::int FROM pg_constraint WHERE confrelid = c.oid) AS referenced,
              (SELECT array_agg(tgname::text ORDER BY tgname) FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal) AS triggers
       FROM pg_class c WHERE relname ~ '^event(_first|_default|_\\d{4}_\\d\\d)?$' AND relkind IN ('r', 'p') ORDER BY 1`,
    );
    expect(rows).toHaveLength(6);
    const expected = {
      indexed: true,
      indexes: 8,
      partial: 3,
      referenced: 1,
      triggers: ['event_append_only_rows', 'event_append_only_table'],
    };
    for (const { name, ...facts } of rows)
      expect(facts, name).toEqual(name === 'event' ? { ...expected, referenced: expect.any(Number) } : expected);
    const [parent] = (await readTables(database.pool)).filter(({ name }) => name === 'event');
    for (const { name } of rows.slice(1)) {
      const [partition] = (await readTables(database.pool, true)).filter((table) => table.name === name);
      expect(partition).toMatchObject({ hasRowSecurity: true, policies: parent?.policies });
    }
    const seen = await tableOf(database.sql.within(own), 'event_first').read();
    expect(new Set(seen.map((row) => row.environment_id))).toEqual(new Set([own.id]));
    expect((await database.pool.query('SELECT * FROM event_first')).rows).toEqual([]);
  });

  it('reject changes, also of their owner', async () => {
    await maintainAt(database, at(2));
    for (const time of [new Date(), at(2), new Date('2900-01-01')]) await writeEvent(database, own, time);
    for (const name of ['event', 'event_first', 'event_default', nameOf(2)]) {
      for (const statement of [`UPDATE ${name} SET type = 'b'`, `DELETE FROM ${name}`])
        await expect(asOwner(database, statement), statement).rejects.toThrow('append-only');
      await expect(asOwner(database, `TRUNCATE ${name} CASCADE`), name).rejects.toThrow('append-only');
    }
  });

  it('have only deliveries of stored events', async () => {
    const endpoint = await createEndpoint(database, own);
    await maintainAt(database, at(2));
    for (const time of [new Date(), at(2), new Date('2900-01-01')])
      await writeDelivery(database, endpoint, await writeEvent(database, own, time), 'pending');
    await expect(writeDelivery(database, endpoint, eventIdAt(at(2)), 'pending')).rejects.toThrow(
      'webhook_delivery_environment_id_event_id_fkey',
    );
  });
});

describe('events of a clock that is far ahead', () => {
  it('prevent only the partition of their period, until an operator moves them', async () => {
    const id = await writeEvent(database, own, at(3));
    const endpoint = await createEndpoint(database, own);
    await writeDelivery(database, endpoint, id, 'pending');
    const [from, to] = [3, 4].map((later) => firstTypeIdAt('evt', startOf(EVENT_LOG, CURRENT + later)));
    const range = `FOR VALUES FROM ('${from}') TO ('${to}')`;
    const lines = await maintainAt(database, at(2));
    expect(lines).toContainEqual({
      message:
        'rows of a later period prevent its partition: move them as "Rows in the default partition" in docs/operations.md says',
      facts: { partitions: [`${nameOf(3)} ${range}`], rows_in: 'event_default' },
    });
    const namesOf = async () => (await partitionsOf(database, EVENT_LOG)).map(({ name }) => name);
    expect(await namesOf()).toEqual(['event_first', nameOf(2), nameOf(4)]);
    const other = await writeEvent(database, own, at(3));
    expect(await partitionOf(other)).toBe('event_default');
    expect((await readFeed(database, own)).map((event) => event.id)).toEqual([id, other]);
    await asOwner(
      database,
      `BEGIN;
       SET LOCAL session_replication_role = replica;
       LOCK TABLE webhook_delivery, event IN ACCESS EXCLUSIVE MODE;
       CREATE TEMPORARY TABLE moved ON COMMIT DROP AS SELECT * FROM event_default;
       DELETE FROM event_default;
       CREATE TABLE ${nameOf(3)} PARTITION OF event ${range};
       ALTER TABLE ${nameOf(3)} ENABLE ROW LEVEL SECURITY;
       CREATE TRIGGER event_append_only_table BEFORE TRUNCATE ON ${nameOf(3)}
         FOR EACH STATEMENT EXECUTE FUNCTION event_is_append_only();
       INSERT INTO event SELECT * FROM moved;
       COMMIT`,
    );
    expect(await partitionOf(id)).toBe(nameOf(3));
    expect((await readFeed(database, own)).map((event) => event.id)).toEqual([id, other]);
    expect(await maintainAt(database, at(2))).toEqual([]);
    await expect(asOwner(database, `DELETE FROM ${nameOf(3)}`)).rejects.toThrow('append-only');
  });
});

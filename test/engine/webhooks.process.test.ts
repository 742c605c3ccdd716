import type pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  directoryStore,
  type PostgresStore,
  postgresStore,
  startOn,
  startPair,
  startSingle,
} from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { type Receiver, signedHeaders, startReceiver, withStatus } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { deliveriesOf, makeEndpoint, makeEvent, settledDeliveries } from '../support/webhooks.ts';

const EVENTS = 160;

describe('webhooks of the embedded database', () => {
  afterAll(killAll);

  it('are delivered again as soon as the killed process restarts', async () => {
    const store = await directoryStore();
    const receiver = await startReceiver();
    const env = { ALLOW_LOOPBACK: 'true' };
    const killed = await startOn(store, env);
    const { id } = await makeEndpoint(killed, receiver.url);
    receiver.respondWith(() => {});
    await makeEvent(killed);
    await receiver.waitForCount(1);
    await killed.kill('SIGKILL');
    receiver.respondWith(withStatus(200));
    const restarted = await startOn(store, env);
    const startedAt = Date.now();
    const [before, repeated] = await receiver.waitForCount(2);
    expect(repeated?.headers['webhook-id']).toBe(before?.headers['webhook-id']);
    // Its claim lasts for 20 s.
    expect((repeated?.at ?? 0) - startedAt).toBeLessThan(busyMs(5_000));
    expect(await settledDeliveries(restarted, id, 1)).toMatchObject([{ status: 'DELIVERED', attemptCount: 1 }]);
    await restarted.kill('SIGTERM');
    await Promise.all([receiver.close(), store.remove()]);
  });
});

describe.skipIf(!POSTGRES_URL)('webhooks of two processes', () => {
  let store: PostgresStore;
  let database: pg.Pool;
  let receiver: Receiver;
  beforeAll(async () => {
    const created = await postgresStore();
    store = { ...created, env: { ...created.env, ALLOW_LOOPBACK: 'true' } };
    database = openPool(store.url, 2);
  });
  afterAll(async () => {
    await killAll();
    await database.end();
    await store.remove();
  });
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await receiver.close();
    await database.query('DELETE FROM webhook_endpoint');
  });

  /** IDs of all events since the creation of the endpoint, in the order of the log. */
  async function logSince(endpointId: string): Promise<string[]> {
    const { rows } = await database.query(
      `SELECT e.id FROM event e JOIN webhook_endpoint w ON NOT pg_visible_in_snapshot(e.xid, w.since)
       WHERE w.id = $1 ORDER BY e.xid, e.id`,
      [endpointId],
    );
    return rows.map(({ id }) => id);
  }

  /** Half of the events at each process, in eight concurrent requests. */
  async function writeEvents(pair: readonly ServiceProcess[]): Promise<void> {
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let count = 0; count < EVENTS / 8; count += 1) await makeEvent(pair[writer % pair.length] as ServiceProcess);
    });
    await Promise.all(writers);
  }

  const idsOf = () => receiver.received.map(({ headers }) => headers['webhook-id']);

  it(`deliver ${EVENTS} events once each, in the order of the log, when nothing dies`, async () => {
    const pair = await startPair(store);
    const { id, secret } = await makeEndpoint(pair[0], receiver.url);
    await writeEvents(pair);
    await receiver.waitForCount(EVENTS);
    await until(async () => {
      const { rows } = await database.query(
        `SELECT count(*)::int AS left FROM webhook_delivery WHERE status = 'pending'`,
      );
      return rows[0].left === 0;
    });
    const log = await logSince(id);
    expect(log).toHaveLength(EVENTS);
    expect(idsOf()).toEqual(log);
    for (const one of receiver.received) expect(new Webhook(secret).verify(one.body, signedHeaders(one))).toBeTruthy();
  });

  it('deliver a message again under the same ID if its process was killed before it recorded the delivery', async () => {
    const first = await startSingle(store);
    const { id } = await makeEndpoint(first, receiver.url);
    receiver.respondWith(() => {});
    await makeEvent(first);
    await receiver.waitForCount(1);
    const [, second] = await startPair(store);
    await first.kill('SIGKILL');
    receiver.respondWith(withStatus(200));
    const [before, repeated] = await receiver.waitForCount(2);
    expect(repeated?.headers['webhook-id']).toBe(before?.headers['webhook-id']);
    expect(repeated?.body).toBe(before?.body);
    expect(await settledDeliveries(second, id, 1)).toMatchObject([{ status: 'DELIVERED', attemptCount: 1 }]);
    expect(receiver.received).toHaveLength(2);
  });

  it('lose no message if one process is killed, and repeat only its open attempts', async () => {
    const [killed, left] = await startPair(store);
    const { id } = await makeEndpoint(left, receiver.url);
    const written = writeEvents([left]);
    await receiver.waitForCount(EVENTS / 4);
    await killed.kill('SIGKILL');
    await written;
    const log = await logSince(id);
    await until(async () => new Set(idsOf()).size === EVENTS, { withinMs: 60_000 });
    expect([...new Set(idsOf())]).toEqual(log);
    expect(receiver.received.length).toBeLessThanOrEqual(EVENTS + 1);
  });

  it('record every attempt before they stop', async () => {
    const first = await startSingle(store);
    const { id } = await makeEndpoint(first, receiver.url);
    let result: (() => void) | undefined;
    receiver.respondWith((response) => {
      result = () => response.writeHead(200).end();
    });
    await makeEvent(first);
    await receiver.waitForCount(1);
    const ended = first.kill('SIGTERM');
    result?.();
    await ended;
    const second = await startSingle(store);
    expect(await settledDeliveries(second, id, 1)).toMatchObject([{ status: 'DELIVERED', attemptCount: 1 }]);
    expect(receiver.received).toHaveLength(1);
  });

  it('attempt a message after 0 s, 5 s, 1 min, 5 min, 30 min, 2 h and 8 h', async () => {
    receiver.respondWith(withStatus(500));
    const service = await startSingle(store);
    const { id } = await makeEndpoint(service, receiver.url);
    await makeEvent(service);
    const waits: number[] = [];
    for (let attempt = 1; attempt < 7; attempt += 1) {
      const delivery = await until(async () => {
        const [one] = await deliveriesOf(service, id);
        return one?.attemptCount === attempt && one;
      });
      const madeAt = Date.parse(delivery.attempts.at(-1)?.startedAt ?? '');
      waits.push((Date.parse(delivery.nextAttemptAt ?? '') - madeAt) / 1_000);
      // The test waits for the first delay and skips the others.
      if (attempt > 1) await database.query('UPDATE webhook_delivery SET next_attempt_at = now()');
    }
    expect(await settledDeliveries(service, id, 1)).toMatchObject([{ status: 'FAILED', attemptCount: 7 }]);
    for (const [index, seconds] of [5, 60, 300, 1_800, 7_200, 28_800].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(seconds - 0.1);
      expect(waits[index]).toBeLessThan(seconds + 2);
    }
    const [first, second] = receiver.received.map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(4_900);
    expect((second ?? 0) - (first ?? 0)).toBeLessThan(busyMs(8_000));
  });
});

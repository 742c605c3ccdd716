import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Prisma } from '../../src/db/generated/client.ts';
import { Idempotency } from '../../src/domain/access/idempotency.ts';
import { leaseExpired } from '../../src/domain/leases/lease-sql.ts';
import { Leases } from '../../src/domain/leases/leases.ts';
import { leasePace } from '../../src/domain/leases/pace.ts';
import { AttemptPool } from '../../src/domain/webhooks/attempt-pool.ts';
import { releaseClaim } from '../../src/domain/webhooks/claim.ts';
import { WEBHOOK_PACE } from '../../src/domain/webhooks/pace.ts';
import { recordAttempt } from '../../src/domain/webhooks/record.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { expectError } from '../support/error-bodies.ts';
import { startReceiver } from '../support/receiver.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { createTrigger } from '../support/triggers.ts';
import { until } from '../support/until.ts';
import { makeEndpoint, sendTest } from '../support/webhooks.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const db = () => service.service.services.stores.prisma;

/** Waits until a statement waits for a lock that another one holds. */
const lockWait = () =>
  until(async () => {
    const waiting = await db().$queryRaw<object[]>`
      SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    return waiting.length > 0;
  });

// The embedded database has one connection, so nothing waits for a lock there.
describe.skipIf(!POSTGRES_URL)('a change of a resource', () => {
  it('waits for the change before it and keeps its fields', async () => {
    const { id } = (await service.send('POST', '/v1/resources', { body: { type: 'order', fields: { a: 1 } } })).body
      .data;
    const changed = await db().$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM resource WHERE id = ${id} FOR UPDATE`;
      const response = service.send('PATCH', `/v1/resources/${id}`, { body: { fields: { b: 2 } } });
      await lockWait();
      await tx.$executeRaw`UPDATE resource SET fields = '{"a": 1, "c": 3}' WHERE id = ${id}`;
      return { response };
    });
    expect((await changed.response).body.data.fields).toEqual({ a: 1, b: 2, c: 3 });
  });
});

describe.skipIf(!POSTGRES_URL)('a trigger', () => {
  it('starts nothing after another request has started its conversation', async () => {
    const { body: first } = await service.agentTurn('Hello');
    const { id } = (await createTrigger(service, {})).body;
    const body = { trigger_id: id };
    const path = `/v1/runner/${DEMO_CHAT_ID}/conversation`;
    const { second } = await db().$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM trigger WHERE id = ${id} FOR UPDATE`;
      const response = service.send('POST', path, { body });
      await lockWait();
      await tx.$executeRaw`UPDATE trigger SET conversation_id = ${first.conversation_id}::uuid WHERE id = ${id}`;
      return { second: response };
    });
    const facts = { conversation_id: first.conversation_id };
    expectError(await second, 'trigger_already_used', { param: 'trigger_id', facts });
  });
});

describe('an attempt of a webhook', () => {
  it('is neither recorded nor released by a process that has lost its claim', async () => {
    const receiver = await startReceiver();
    receiver.respondWith(() => {});
    const endpoint = await makeEndpoint(service, receiver.url);
    await sendTest(service, endpoint.id);
    const { id, environmentId } = await until(
      async () => (await db().webhookDelivery.findFirst({ where: { leaseOwner: { not: null } } })) ?? undefined,
    );
    const lost = { id, environmentId, lease: randomUUID(), endpointId: endpoint.id };
    const outcome = {
      delivered: true,
      responseStatus: 204,
      error: null,
      startedAt: new Date(),
      durationMs: 1,
      sealedResponse: null,
      retryAfterMs: 0,
    };
    await recordAttempt(service.service.services.stores.sql, lost, outcome, { retryMs: undefined, pauseMs: 0 });
    const delivery = await db().webhookDelivery.findFirstOrThrow({ where: { id }, include: { history: true } });
    expect(delivery).toMatchObject({ status: 'pending', attempts: 0, history: [] });
    await releaseClaim(service.service.services.stores.sql, lost);
    expect(await db().webhookDelivery.findFirstOrThrow({ where: { id } })).toMatchObject({
      leaseOwner: expect.any(String),
    });
    await receiver.close();
  });

  it('takes the room of failing endpoints if the last attempt of its endpoint failed', async () => {
    const receiver = await startReceiver();
    receiver.respondWith(() => {});
    const endpoint = await makeEndpoint(service, receiver.url);
    const { environmentId, url, sealedSecret } = await db().webhookEndpoint.findFirstOrThrow({
      where: { id: endpoint.id },
    });
    const { stores, ports, settings, process } = service.service.services;
    const parts = { ...stores, ...ports, ...settings, ...process, now: () => new Date() };
    const pool = new AttemptPool(parts, WEBHOOK_PACE, () => {});
    const free = pool.capacity;
    const delivery = { id: 0n, lease: randomUUID(), environmentId, endpointId: endpoint.id, url, sealedSecret };
    const message = { messageId: 'msg_1', event: null, traceparent: null, createdAt: new Date(), attempts: 0 };
    pool.begin({ ...delivery, ...message, endpointFailures: 1 });
    expect(pool.capacity).toEqual({ ...free, failing: free.failing - 1 });
    pool.begin({ ...delivery, ...message, endpointFailures: 0 });
    expect(pool.capacity).toEqual({ steady: free.steady - 1, failing: free.failing - 1 });
    await pool.drain(0);
    await receiver.close();
  });
});

describe('an Idempotency-Key', () => {
  it('is not taken from another process that still works on its request', async () => {
    const {
      stores: { prisma, sql, idempotency },
      process: { log, monotonicMs },
      settings: { secretBox },
    } = service.service.services;
    const leases = new Leases({ sql, log, monotonicMs }, leasePace(4));
    const other = new Idempotency(prisma, log, secretBox, leases);
    const { id } = await prisma.environment.findFirstOrThrow();
    const claim = (from: Idempotency) => from.claim(id, 'key-of-two', { request: 'the same', namespace: undefined });
    expect((await claim(idempotency)).kind).toBe('claim');
    await expect(claim(other)).rejects.toMatchObject({ code: 'request_in_progress' });
  });
});

describe('a lease', () => {
  it('has not expired if it began after the start of the transaction that looks at it', async () => {
    const { prisma } = service.service.services.stores;
    const expired = await prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT pg_sleep(0.05)`;
      const [lease] = await tx.$queryRaw<{ end: string }[]>`SELECT (clock_timestamp() + interval '4 s')::text AS end`;
      const isExpired = (extra: string) =>
        leaseExpired(Prisma.sql`${lease?.end}::timestamptz + ${extra}::interval`, 4_000);
      return tx.$queryRaw`SELECT ${isExpired('0 s')} AS new, ${isExpired('-5 s')} AS old, ${isExpired('5 s')} AS future`;
    });
    expect(expired).toEqual([{ new: false, old: true, future: true }]);
  });
});

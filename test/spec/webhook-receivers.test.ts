import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../src/domain/webhooks/retry-after.ts';
import { busyMs } from '../support/event-loop.ts';
import { type Receiver, startReceiver, withStatus } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import {
  changeEndpoint,
  deliveriesOf,
  makeEndpoint,
  makeEvent,
  replay,
  settledDeliveries,
  updateEndpoint,
} from '../support/webhooks.ts';

/** The schedule takes 3 s. */
const PACE = { retriesMs: [50, 50, 50, 50, 1_400, 1_400], timeoutMs: 10_000, pollMs: 20 };
const SCHEDULE_MS = 3_000;

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService({}, { webhooks: PACE });
});
afterAll(() => service.close());
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await service.service.services.stores.prisma.webhookEndpoint.deleteMany();
  await receiver.close();
});

async function stateOf(id: string) {
  const fields = '{ enabled disabledReason pausedUntil }';
  const { body } = await service.graphql(`query ($id: ID!) { it: webhookEndpoint(id: $id) ${fields} }`, { id });
  return body.data.it;
}

const disabledState = (id: string) =>
  until(async () => {
    const state = await stateOf(id);
    return !state.enabled && state;
  });

/** Responds to the first message with this header, and accepts later ones. */
function pauseOnce(status: number, header: () => string): void {
  receiver.respondWith((response) => {
    const isFirst = receiver.received.length === 1;
    if (isFirst) response.writeHead(status, { 'retry-after': header() }).end();
    else response.writeHead(204).end();
  });
}

/** The milliseconds between the first two messages that the receiver got. */
async function gapMs(): Promise<number> {
  const [first, second] = await receiver.waitForCount(2);
  return (second?.at ?? 0) - (first?.at ?? 0);
}

describe('a receiver that responds with 410', () => {
  it('gets no more messages, and its owner sees why', async () => {
    receiver.respondWith(withStatus(410));
    const { id } = await makeEndpoint(service, receiver.url);
    await makeEvent(service);
    expect(await disabledState(id)).toEqual({ enabled: false, disabledReason: 'GONE', pausedUntil: null });
    const where = { subjectId: id, action: 'webhook_endpoint.disabled' } as const;
    const entries = await service.service.services.stores.prisma.auditEntry.findMany({ where });
    expect(entries).toMatchObject([{ actorKind: 'service', environment: 'live', details: { status: 410 } }]);
    expect(service.logLines.join('')).toContain('a webhook endpoint was disabled because it responded with 410');
    expect(service.logLines.join('')).not.toContain(receiver.url);
    const delivery = await until(async () => {
      const [first] = await deliveriesOf(service, id);
      return first?.attemptCount === 1 && first;
    });
    expect(delivery).toMatchObject({ status: 'PENDING', responseStatus: 410 });
    // The next attempts would be due long before another endpoint has its messages.
    const other = await startReceiver();
    const { id: otherId } = await makeEndpoint(service, other.url);
    for (let count = 0; count < 3; count += 1) await makeEvent(service);
    await settledDeliveries(service, otherId, 3);
    await other.close();
    expect(receiver.received).toHaveLength(1);
  });

  it('gets the waiting messages after it is enabled again', async () => {
    receiver.respondWith(withStatus(410));
    const { id } = await makeEndpoint(service, receiver.url);
    const resource = await makeEvent(service);
    await disabledState(id);
    receiver.respondWith(withStatus(204));
    await changeEndpoint(service, 'enableWebhookEndpoint', id);
    expect(await settledDeliveries(service, id, 1)).toMatchObject([{ status: 'DELIVERED', attemptCount: 2 }]);
    expect(receiver.received.map(({ message }) => message.data.resource_id)).toEqual([resource, resource]);
    expect(await stateOf(id)).toEqual({ enabled: true, disabledReason: null, pausedUntil: null });
  });

  it('does not disable the address that replaced it in the meantime', async () => {
    const next = await startReceiver();
    let respond = () => {};
    receiver.respondWith((response) => {
      respond = () => void response.writeHead(410).end();
    });
    const { id } = await makeEndpoint(service, receiver.url);
    await makeEvent(service);
    await receiver.waitForCount(1);
    await updateEndpoint(service, id, { url: next.url });
    respond();
    expect(await settledDeliveries(service, id, 1)).toMatchObject([{ status: 'DELIVERED' }]);
    expect(await stateOf(id)).toMatchObject({ enabled: true });
    await next.close();
  });

  it.each([400, 404, 409, 411, 500])('differs from one that responds with %i', async (status) => {
    let failures = 1;
    receiver.respondWith((response) => {
      failures -= 1;
      response.writeHead(failures >= 0 ? status : 204).end();
    });
    const { id } = await makeEndpoint(service, receiver.url);
    await makeEvent(service);
    expect(await settledDeliveries(service, id, 1)).toMatchObject([{ status: 'DELIVERED', attemptCount: 2 }]);
  });
});

describe('Retry-After', () => {
  it.each([
    ['seconds', 503, () => '1', 1_000],
    ['seconds', 429, () => ' 1 ', 1_000],
    // A date has whole seconds.
    ['a date', 503, () => new Date(Date.now() + 2_000).toUTCString(), 1_000],
  ])('of %s delays the next attempt (%i)', async (_form, status, header, leastMs) => {
    pauseOnce(status, header);
    const { id } = await makeEndpoint(service, receiver.url);
    await makeEvent(service);
    expect(await gapMs()).toBeGreaterThanOrEqual(leastMs - 5);
    expect(await settledDeliveries(service, id, 1)).toMatchObject([{ status: 'DELIVERED', attemptCount: 2 }]);
  });

  it('delays newer messages too, and is shown as the pause of the endpoint', async () => {
    pauseOnce(429, () => '2');
    const { id } = await makeEndpoint(service, receiver.url);
    const sent = [await makeEvent(service)];
    const paused = await until(async () => {
      const { pausedUntil } = await stateOf(id);
      return pausedUntil as string | null;
    });
    expect(Date.parse(String(paused)) - Date.now()).toBeGreaterThan(0);
    sent.push(await makeEvent(service));
    expect(await gapMs()).toBeGreaterThanOrEqual(1_995);
    await settledDeliveries(service, id, 2);
    expect(receiver.received.map(({ message }) => message.data.resource_id).sort()).toEqual([sent[0], ...sent].sort());
    expect((await stateOf(id)).pausedUntil).toBeNull();
  });

  it('delays at most for the length of the schedule', async () => {
    pauseOnce(503, () => '999999999999999999');
    const { id } = await makeEndpoint(service, receiver.url);
    await makeEvent(service);
    const gap = await gapMs();
    expect(gap).toBeGreaterThanOrEqual(SCHEDULE_MS - 5);
    expect(gap).toBeLessThan(SCHEDULE_MS + busyMs(5_000));
    expect(await settledDeliveries(service, id, 1)).toMatchObject([{ status: 'DELIVERED' }]);
  });

  it('ends with a replay', async () => {
    pauseOnce(503, () => '3600');
    const { id } = await makeEndpoint(service, receiver.url);
    await makeEvent(service);
    const [delivery] = await until(async () => {
      const { pausedUntil } = await stateOf(id);
      return pausedUntil !== null && deliveriesOf(service, id);
    });
    await replay(service, String(delivery?.deliveryId));
    expect(await gapMs()).toBeLessThan(SCHEDULE_MS);
    expect(await settledDeliveries(service, id, 1)).toMatchObject([{ status: 'DELIVERED' }]);
  });

  it('of a delivered message has no effect', async () => {
    receiver.respondWith(withStatus(200, { 'retry-after': '3600' }));
    const { id } = await makeEndpoint(service, receiver.url);
    for (let count = 0; count < 2; count += 1) await makeEvent(service);
    expect(await settledDeliveries(service, id, 2)).toMatchObject([{ status: 'DELIVERED' }, { status: 'DELIVERED' }]);
    expect((await stateOf(id)).pausedUntil).toBeNull();
  });

  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Thu, 26 Nov 2026 12:00:30 GMT', 30_000],
    ['Thursday, 26-Nov-26 12:00:30 GMT', 30_000],
    ['Thu Nov 26 12:00:30 2026', 30_000],
    ['Thu, 26 Nov 2026 11:59:30 GMT', 0],
    ['', 0],
    ['-5', 0],
    ['1.5', 0],
    ['soon', 0],
    ['Tomorrow', 0],
    ['2026-11-26T12:00:30Z', 0],
    [undefined, 0],
  ])('%j is read as %i ms', (header, ms) => {
    expect(retryAfterMs(header, new Date('2026-11-26T12:00:00Z'))).toBe(ms);
  });
});

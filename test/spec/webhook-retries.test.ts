import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sweepDeliveries } from '../../src/domain/webhooks/queue.ts';
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
} from '../support/webhooks.ts';

const PACE = { retriesMs: [100, 200, 300, 50, 50, 50], timeoutMs: 10_000, pollMs: 20 };

let service: TestService;
let receiver: Receiver;
/** The addresses of host names. */
const addresses = new Map<string, string>();
beforeAll(async () => {
  const resolveName = async (name: string) => {
    const address = addresses.get(name);
    if (!address) throw new Error(`No such host: ${name}`);
    return [{ address, family: 4 }];
  };
  service = await startService({}, { webhooks: PACE, outbound: { resolveName } });
});
afterAll(() => service.close());

const created: string[] = [];
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const id of created.splice(0)) await changeEndpoint(service, 'deleteWebhookEndpoint', id);
  await receiver.close();
});

async function endpoint(url = receiver.url): Promise<string> {
  const { id } = await makeEndpoint(service, url);
  created.push(id);
  return id;
}

/** The only delivery of an endpoint, once it is settled. */
async function settledDelivery(id: string) {
  const [delivery] = await settledDeliveries(service, id, 1);
  if (!delivery) throw new Error('There is no delivery.');
  return delivery;
}

describe('attempts', () => {
  it('are made when due until one succeeds, all under one ID', async () => {
    let failures = 3;
    receiver.respondWith((response) => {
      failures -= 1;
      response.writeHead(failures >= 0 ? 503 : 204).end();
    });
    const id = await endpoint();
    await makeEvent(service);
    const { status, attempts, attemptCount, messageId } = await settledDelivery(id);
    expect({ status, attemptCount }).toEqual({ status: 'DELIVERED', attemptCount: 4 });
    expect(attempts.map(({ responseStatus }) => responseStatus)).toEqual([503, 503, 503, 204]);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(Array(4).fill(messageId));
    let before = receiver.received[0]?.at ?? 0;
    for (const [index, { at }] of receiver.received.slice(1).entries()) {
      const due = PACE.retriesMs[index] ?? 0;
      expect(at - before).toBeGreaterThanOrEqual(due - 5);
      expect(at - before).toBeLessThan(due + busyMs(5_000));
      before = at;
    }
  });

  it('end after the seventh and start again with a replay', async () => {
    receiver.respondWith(withStatus(500));
    const id = await endpoint();
    await makeEvent(service);
    const failed = await settledDelivery(id);
    expect(failed).toMatchObject({
      status: 'FAILED',
      attemptCount: 7,
      nextAttemptAt: null,
      finishedAt: expect.any(String),
      responseStatus: 500,
      lastError: 'The address responded with 500.',
    });
    receiver.respondWith(withStatus(200));
    await replay(service, failed.deliveryId);
    const replayed = await settledDelivery(id);
    expect(replayed).toMatchObject({ status: 'DELIVERED', attemptCount: 1, messageId: failed.messageId });
    expect(replayed.attempts).toHaveLength(8);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(service.logLines.join('')).toContain('a webhook delivery failed after its last attempt');
    expect(service.logLines.join('')).not.toContain(receiver.url);
    const { body: metrics } = await service.send('GET', '/metrics', { key: null });
    expect(metrics).toMatch(/^parley_webhook_attempts_total\{outcome="failed"\} \d+$/m);
  });

  it('fail without a response in time', async () => {
    const hasty = await startService({}, { webhooks: { ...PACE, timeoutMs: 300 } });
    receiver.respondWith(() => {});
    const { id } = await makeEndpoint(hasty, receiver.url);
    await makeEvent(hasty);
    const [delivery] = await settledDeliveries(hasty, id, 1);
    expect(delivery).toMatchObject({ status: 'FAILED', responseStatus: null, attemptCount: 7 });
    for (const { error, durationMs } of delivery?.attempts ?? []) {
      expect(error).toBe('The address did not respond within 0.3 s.');
      expect(durationMs).toBeGreaterThanOrEqual(295);
    }
    await hasty.close();
  });

  it.each([200, 201, 299])('succeed with the status %i and any body', async (status) => {
    // A body that never ends.
    receiver.respondWith((response) => void response.writeHead(status).write('x'.repeat(100_000)));
    const id = await endpoint();
    await makeEvent(service);
    expect(await settledDelivery(id)).toMatchObject({ status: 'DELIVERED', attemptCount: 1, responseStatus: status });
  });

  it.each([301, 302, 307, 308])('are not redirected (%i)', async (status) => {
    const elsewhere = await startReceiver();
    receiver.respondWith(withStatus(status, { location: elsewhere.url }));
    const id = await endpoint();
    await makeEvent(service);
    const lastError = `The address responded with ${status}. Redirects are not followed.`;
    expect(await settledDelivery(id)).toMatchObject({ status: 'FAILED', responseStatus: status, lastError });
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });

  it('fail if no server listens', async () => {
    const controller = await startReceiver();
    await controller.close();
    const id = await endpoint(controller.url);
    await makeEvent(service);
    const lastError = 'The address could not be reached.';
    expect(await settledDelivery(id)).toMatchObject({ status: 'FAILED', responseStatus: null, lastError });
  });

  it.each(['10.0.0.1', '169.254.169.254', '192.168.1.1', '100.64.0.1', '0.0.0.0'])(
    'fail if the name resolves to %s after the endpoint was created',
    async (address) => {
      addresses.set('rebound.example', '93.184.216.34');
      const id = await endpoint('https://rebound.example/hook');
      addresses.set('rebound.example', address);
      await makeEvent(service);
      const lastError = 'The address is not public.';
      const failed = await settledDelivery(id);
      expect(failed).toMatchObject({ status: 'FAILED', responseStatus: null, lastError, attemptCount: 7 });
      for (const attempt of failed.attempts) expect(attempt).toMatchObject({ error: lastError, durationMs: 0 });
      expect(JSON.stringify([failed, service.logLines])).not.toContain(address);
    },
  );
});

describe('a rejected address', () => {
  it('is recorded in the same way if its name is unknown and if it is private', async () => {
    const recordOf = async (address: string | undefined) => {
      addresses.set('rebound.example', '93.184.216.34');
      const id = await endpoint('https://rebound.example/hook');
      if (address === undefined) addresses.delete('rebound.example');
      else addresses.set('rebound.example', address);
      await makeEvent(service);
      const { status, responseStatus, lastError, attempts } = await settledDelivery(id);
      return { status, responseStatus, lastError, attempts: attempts.map(({ startedAt: _, ...attempt }) => attempt) };
    };
    const unknown = await recordOf(undefined);
    expect(unknown).toEqual(await recordOf('10.0.0.1'));
    expect(unknown).toEqual(await recordOf('168.63.129.16'));
  });
});

describe('order', () => {
  const sentOf = () => receiver.received.map(({ message }) => message.data.resource_id);

  it('is kept during the first attempt of an older message', async () => {
    let answerFirst: (() => void) | undefined;
    receiver.respondWith((response, { message }) => {
      const end = () => response.writeHead(200).end();
      if (message.data.type === 'first') answerFirst = end;
      else end();
    });
    const id = await endpoint();
    const first = await service.send('POST', '/v1/resources', { body: { type: 'first', fields: {} } });
    await receiver.waitForCount(1);
    const second = await makeEvent(service);
    await until(async () => (await deliveriesOf(service, id)).length === 2);
    expect(sentOf()).toEqual([first.body.data.id]);
    answerFirst?.();
    await receiver.waitForCount(2);
    expect(sentOf()).toEqual([first.body.data.id, second]);
  });

  it('lets newer messages pass an older one that waits for its retries, one attempt at a time', async () => {
    let atOnce = 0;
    let most = 0;
    receiver.respondWith((response, { message }) => {
      if (message.data.type !== 'bad') return void response.writeHead(200).end();
      atOnce += 1;
      most = Math.max(most, atOnce);
      setTimeout(() => {
        atOnce -= 1;
        response.writeHead(500).end();
      }, 30);
    });
    const id = await endpoint();
    for (let count = 0; count < 3; count += 1) {
      await service.send('POST', '/v1/resources', { body: { type: 'bad', fields: {} } });
    }
    const good: string[] = [];
    for (let count = 0; count < 5; count += 1) good.push(await makeEvent(service));
    const settled = await settledDeliveries(service, id, 8);
    expect(settled.map(({ status }) => status)).toEqual([...Array(3).fill('FAILED'), ...Array(5).fill('DELIVERED')]);
    expect(sentOf().filter((sent) => good.includes(sent as string))).toEqual(good);
    const lastGood = Date.parse(settled.at(-1)?.finishedAt ?? '');
    for (const { finishedAt } of settled.slice(0, 3)) expect(Date.parse(finishedAt ?? '')).toBeGreaterThan(lastGood);
    // A retry, and the first attempt of another message.
    expect(most).toBeLessThanOrEqual(2);
  });

  it('does not make one endpoint wait for another', async () => {
    const stuck = await startReceiver();
    stuck.respondWith(() => {});
    await endpoint(stuck.url);
    const id = await endpoint();
    const sent: string[] = [];
    for (let count = 0; count < 3; count += 1) sent.push(await makeEvent(service));
    await settledDeliveries(service, id, 3);
    expect(sentOf()).toEqual(sent);
    expect(stuck.received.length).toBeLessThan(3 * 7);
    await stuck.close();
  });
});

describe('old deliveries', () => {
  it('are deleted after 30 days', async () => {
    const id = await endpoint();
    for (let count = 0; count < 2; count += 1) await makeEvent(service);
    const [old, young] = await settledDeliveries(service, id, 2);
    const { prisma } = service.service.services.stores;
    const day = 24 * 60 * 60 * 1_000;
    for (const [delivery, days] of [
      [old, 30.1],
      [young, 29.9],
    ] as const) {
      await prisma.webhookDelivery.updateMany({
        where: { id: BigInt(delivery?.deliveryId ?? 0) },
        data: { finishedAt: new Date(Date.now() - days * day) },
      });
    }
    await sweepDeliveries(service.service.services.stores.sql);
    expect((await deliveriesOf(service, id)).map(({ deliveryId }) => deliveryId)).toEqual([young?.deliveryId]);
    expect(await prisma.webhookAttempt.count({ where: { deliveryId: BigInt(old?.deliveryId ?? 0) } })).toBe(0);
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sweepDeliveries } from '../../src/domain/webhooks/sweep.ts';
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
/** What the names of hosts resolve to. */
const addresses = new Map<string, string>();
beforeAll(async () => {
  const resolveName = async (name: string) => {
    const address = addresses.get(name);
    if (!address) throw new Error(`no such host: ${name}`);
    return [{ address, family: 4 }];
  };
  service = await startService({}, { webhooks: PACE, outbound: { resolveName } });
});
afterAll(() => service.close());

const made: string[] = [];
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const id of made.splice(0)) await changeEndpoint(service, 'deleteWebhookEndpoint', id);
  await receiver.close();
});

async function endpoint(url = receiver.url): Promise<string> {
  const { id } = await makeEndpoint(service, url);
  made.push(id);
  return id;
}

/** The one delivery of an endpoint, once it is over. */
async function settledDelivery(id: string) {
  const [delivery] = await settledDeliveries(service, id, 1);
  if (!delivery) throw new Error('there is no delivery');
  return delivery;
}

describe('WIRE 12: attempts', () => {
  it('are made when they are due until one succeeds, all under one id', async () => {
    let failures = 3;
    receiver.answer((response) => {
      failures -= 1;
      response.writeHead(failures >= 0 ? 503 : 204).end();
    });
    const id = await endpoint();
    await makeEvent(service);
    const { status, attempts, attemptCount, messageId } = await settledDelivery(id);
    expect({ status, attemptCount }).toEqual({ status: 'delivered', attemptCount: 4 });
    expect(attempts.map(({ responseStatus }) => responseStatus)).toEqual([503, 503, 503, 204]);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(Array(4).fill(messageId));
    let before = receiver.received[0]?.at ?? 0;
    for (const [index, { at }] of receiver.received.slice(1).entries()) {
      const due = PACE.retriesMs[index] ?? 0;
      expect(at - before).toBeGreaterThanOrEqual(due - 5);
      expect(at - before).toBeLessThan(due + 5_000);
      before = at;
    }
  });

  it('end after the seventh, and begin anew with a replay', async () => {
    receiver.answer(withStatus(500));
    const id = await endpoint();
    await makeEvent(service);
    const failed = await settledDelivery(id);
    expect(failed).toMatchObject({
      status: 'failed',
      attemptCount: 7,
      nextAttemptAt: null,
      finishedAt: expect.any(String),
      responseStatus: 500,
      lastError: 'The address answered 500.',
    });
    receiver.answer(withStatus(200));
    await replay(service, failed.deliveryId);
    const replayed = await settledDelivery(id);
    expect(replayed).toMatchObject({ status: 'delivered', attemptCount: 1, messageId: failed.messageId });
    expect(replayed.attempts).toHaveLength(8);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(service.logged.join('')).toContain('a webhook was not delivered by its last attempt');
    expect(service.logged.join('')).not.toContain(receiver.url);
    const { body: metrics } = await service.send('GET', '/metrics', { key: null });
    expect(metrics).toMatch(/^parley_webhook_attempts_total\{outcome="failed"\} \d+$/m);
  });

  it('that are not answered in time have failed', async () => {
    const hasty = await startService({}, { webhooks: { ...PACE, timeoutMs: 300 } });
    receiver.answer(() => {});
    const { id } = await makeEndpoint(hasty, receiver.url);
    await makeEvent(hasty);
    const [delivery] = await settledDeliveries(hasty, id, 1);
    expect(delivery).toMatchObject({ status: 'failed', responseStatus: null, attemptCount: 7 });
    for (const { error, durationMs } of delivery?.attempts ?? []) {
      expect(error).toBe('The address did not answer within 0.3 s.');
      expect(durationMs).toBeGreaterThanOrEqual(295);
    }
    await hasty.close();
  });

  it.each([200, 201, 299])('are a success with a status of %i, whatever comes of the body', async (status) => {
    // A body that never ends.
    receiver.answer((response) => void response.writeHead(status).write('x'.repeat(100_000)));
    const id = await endpoint();
    await makeEvent(service);
    expect(await settledDelivery(id)).toMatchObject({ status: 'delivered', attemptCount: 1, responseStatus: status });
  });

  it.each([301, 302, 307, 308])('are not redirected (%i)', async (status) => {
    const elsewhere = await startReceiver();
    receiver.answer(withStatus(status, { location: elsewhere.url }));
    const id = await endpoint();
    await makeEvent(service);
    const lastError = `The address answered ${status}. Redirects are not followed.`;
    expect(await settledDelivery(id)).toMatchObject({ status: 'failed', responseStatus: status, lastError });
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });

  it('fail where nobody listens', async () => {
    const gone = await startReceiver();
    await gone.close();
    const id = await endpoint(gone.url);
    await makeEvent(service);
    const lastError = 'The address could not be reached.';
    expect(await settledDelivery(id)).toMatchObject({ status: 'failed', responseStatus: null, lastError });
  });

  it.each(['10.0.0.1', '169.254.169.254', '192.168.1.1', '100.64.0.1', '0.0.0.0'])(
    'fail where the name leads to %s since the endpoint was created',
    async (address) => {
      addresses.set('rebound.example', '93.184.216.34');
      const id = await endpoint('https://rebound.example/hook');
      addresses.set('rebound.example', address);
      await makeEvent(service);
      const lastError = 'The address is not a public one.';
      const failed = await settledDelivery(id);
      expect(failed).toMatchObject({ status: 'failed', responseStatus: null, lastError, attemptCount: 7 });
      expect(JSON.stringify([failed, service.logged])).not.toContain(address);
    },
  );
});

describe('WIRE 12: order', () => {
  const sentOf = () => receiver.received.map(({ message }) => message.data.resource_id);

  it('is kept while the first attempt of an older message is under way', async () => {
    let answerFirst: (() => void) | undefined;
    receiver.answer((response, { message }) => {
      const end = () => response.writeHead(200).end();
      if (message.data.type === 'first') answerFirst = end;
      else end();
    });
    const id = await endpoint();
    const first = await service.send('POST', '/v1/resources', { body: { type: 'first', fields: {} } });
    await receiver.atLeast(1);
    const second = await makeEvent(service);
    await until(async () => (await deliveriesOf(service, id)).length === 2);
    expect(sentOf()).toEqual([first.body.data.id]);
    answerFirst?.();
    await receiver.atLeast(2);
    expect(sentOf()).toEqual([first.body.data.id, second]);
  });

  it('gives way to newer messages while an older one waits for its retries, of which one is made at a time', async () => {
    let atOnce = 0;
    let most = 0;
    receiver.answer((response, { message }) => {
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
    expect(settled.map(({ status }) => status)).toEqual([...Array(3).fill('failed'), ...Array(5).fill('delivered')]);
    expect(sentOf().filter((sent) => good.includes(sent as string))).toEqual(good);
    const lastGood = Date.parse(settled.at(-1)?.finishedAt ?? '');
    for (const { finishedAt } of settled.slice(0, 3)) expect(Date.parse(finishedAt ?? '')).toBeGreaterThan(lastGood);
    // A retry, and beside it the first attempt of another.
    expect(most).toBeLessThanOrEqual(2);
  });

  it('does not make one endpoint wait for another', async () => {
    const stuck = await startReceiver();
    stuck.answer(() => {});
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

describe('WIRE 12: old deliveries', () => {
  it('are not kept for more than 30 days', async () => {
    const id = await endpoint();
    for (let count = 0; count < 2; count += 1) await makeEvent(service);
    const [old, young] = await settledDeliveries(service, id, 2);
    const { prisma } = service.service.services;
    const day = 24 * 60 * 60 * 1_000;
    for (const [delivery, days] of [
      [old, 30.1],
      [young, 29.9],
    ] as const) {
      await prisma.webhookDelivery.update({
        where: { id: BigInt(delivery?.deliveryId ?? 0) },
        data: { finishedAt: new Date(Date.now() - days * day) },
      });
    }
    await sweepDeliveries(prisma);
    expect((await deliveriesOf(service, id)).map(({ deliveryId }) => deliveryId)).toEqual([young?.deliveryId]);
    expect(await prisma.webhookAttempt.count({ where: { deliveryId: BigInt(old?.deliveryId ?? 0) } })).toBe(0);
  });
});

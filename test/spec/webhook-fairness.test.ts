import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { POSTGRES_URL } from '../support/database.ts';
import { expectPromptMessages, startHanging } from '../support/hanging-endpoints.ts';
import { type Receiver, startReceiver, withStatus } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeWorkspace } from '../support/tenants.ts';
import { until } from '../support/until.ts';
import {
  changeEndpoint,
  makeEndpoint,
  makeEvent,
  replay,
  sendTest,
  settledDeliveries,
  updateEndpoint,
} from '../support/webhooks.ts';

/** Pauses of the circuit breaker: 300 ms, then 600 ms, then 900 ms. */
const PACE = { retriesMs: [300, 600, 900, 50, 50, 50], timeoutMs: 10_000, pollMs: 20 };

/** The embedded database runs one request at a time. */
const HANGING = POSTGRES_URL ? 100 : 20;

const HEALTH = '{ enabled disabledReason consecutiveFailures failingSince pausedUntil }';

const HEALTHY = {
  enabled: true,
  disabledReason: null,
  consecutiveFailures: 0,
  failingSince: null,
  pausedUntil: null,
};

const DAY_MS = 24 * 60 * 60 * 1_000;

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

async function healthOf(id: string) {
  const { body } = await service.graphql(`query ($id: ID!) { it: webhookEndpoint(id: $id) ${HEALTH} }`, { id });
  return body.data.it;
}

async function makeEvents(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let created = 0; created < count; created += 1) ids.push(await makeEvent(service));
  return ids;
}

const sentTo = ({ received }: Receiver) => received.map(({ message }) => message.data.resource_id);

describe('a hanging endpoint', () => {
  it.each([
    ['that hang for the first time', 60_000, 1],
    ['that have hung before', 500, 3],
  ])(
    `delays no other: with ${HANGING} %s, a healthy one gets each message within 1 s`,
    async (_description, timeoutMs, times) => {
      const own = await startService({}, { webhooks: { ...PACE, timeoutMs } });
      const workspaces = [await makeWorkspace(own), await makeWorkspace(own), await makeWorkspace(own)];
      const keys = workspaces.flatMap(({ keys: { live, test } }) => [live, test]).slice(0, HANGING / 20);
      const hanging = await startHanging(own.url, keys);
      await hanging.waitForCount(HANGING * times);
      await makeEndpoint(own, receiver.url);
      await expectPromptMessages(own, receiver);
      await hanging.close();
      await own.close();
    },
  );
});

describe('an endpoint whose last attempt failed', () => {
  it('gets one attempt at a time, until a message is delivered', async () => {
    let open = 0;
    let most = 0;
    let isFirst = true;
    receiver.respondWith((response) => {
      if (isFirst) {
        isFirst = false;
        return void response.writeHead(500).end();
      }
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.writeHead(200).end();
        // This takes longer than the retry of the first message. Without the rule, both would be open at once.
      }, 500);
    });
    const { id } = await makeEndpoint(service, receiver.url);
    await makeEvent(service);
    await until(async () => (await healthOf(id)).consecutiveFailures === 1);
    await makeEvent(service);
    await settledDeliveries(service, id, 2);
    expect(most).toBe(1);
    expect(await healthOf(id)).toEqual(HEALTHY);
  });

  it('is paused after 10 failures, longer after each failed probe, and then gets all messages in order', async () => {
    receiver.respondWith(withStatus(500));
    const { id } = await makeEndpoint(service, receiver.url);
    const created = await makeEvents(14);
    await receiver.waitForCount(10);
    const paused = await until(async () => {
      const health = await healthOf(id);
      return health.pausedUntil && health;
    });
    expect(paused).toMatchObject({ enabled: true, failingSince: expect.any(String) });
    expect(paused.consecutiveFailures).toBeGreaterThanOrEqual(10);
    await receiver.waitForCount(12);
    const [tenth, eleventh, twelfth] = receiver.received.slice(9).map(({ at }) => at);
    expect((eleventh ?? 0) - (tenth ?? 0)).toBeGreaterThanOrEqual(295);
    expect((twelfth ?? 0) - (eleventh ?? 0)).toBeGreaterThanOrEqual(595);
    const failed = new Set(sentTo(receiver));
    receiver.respondWith(withStatus(200));
    await settledDeliveries(service, id, 14);
    expect(await healthOf(id)).toEqual(HEALTHY);
    // Messages without an earlier attempt keep their order.
    const fresh = created.filter((one) => !failed.has(one));
    expect(sentTo(receiver).filter((one) => fresh.includes(String(one)))).toEqual(fresh);
  });

  it('is attempted at once when a message is replayed or a test is sent, and when its URL is changed', async () => {
    const slow = await startService({}, { webhooks: { ...PACE, retriesMs: [3_600_000] } });
    receiver.respondWith(withStatus(500));
    try {
      const { id } = await makeEndpoint(slow, receiver.url);
      for (let count = 0; count < 11; count += 1) await makeEvent(slow);
      const paused = async () => {
        const { body } = await slow.graphql(`{ webhookEndpoints { nodes ${HEALTH} } }`);
        return body.data.webhookEndpoints.nodes[0].pausedUntil !== null;
      };
      await until(paused);
      expect(receiver.received).toHaveLength(10);
      await until(async () => {
        const { body: metrics } = await slow.send('GET', '/metrics', { key: null });
        return metrics.includes('parley_webhook_endpoints_paused 1\n');
      });
      const { body } = await slow.graphql(
        'query ($id: ID!) { webhookEndpoint(id: $id) { deliveries(last: 1) { nodes { deliveryId } } } }',
        { id },
      );
      await replay(slow, body.data.webhookEndpoint.deliveries.nodes[0].deliveryId);
      await receiver.waitForCount(11);
      await until(paused);
      await sendTest(slow, id);
      await receiver.waitForCount(12);
      await until(paused);
      receiver.respondWith(withStatus(200));
      await updateEndpoint(slow, id, { url: `${receiver.url}/new` });
      await receiver.waitForCount(13);
      expect(receiver.received.at(-1)?.path).toBe('/hook/new');
    } finally {
      await slow.close();
    }
  });
});

describe('an endpoint that fails for 5 days', () => {
  /** Backdates the start and the end of an endpoint's failures. */
  async function backdateFailures(id: string, sinceDays: number, lastDays: number): Promise<void> {
    const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
    await service.service.services.stores.prisma.webhookEndpoint.updateMany({
      where: { id },
      data: { failures: 1, failingSince: ago(sinceDays), lastFailedAt: ago(lastDays) },
    });
  }

  it('is disabled with an audit entry, gives the reason, and can be enabled again', async () => {
    receiver.respondWith(withStatus(500));
    const { id } = await makeEndpoint(service, receiver.url);
    await backdateFailures(id, 5.01, 0.9);
    await makeEvent(service);
    const health = await until(async () => {
      const match = await healthOf(id);
      return !match.enabled && match;
    });
    expect(health).toMatchObject({ disabledReason: 'FAILING', consecutiveFailures: 2, pausedUntil: null });
    const { prisma } = service.service.services.stores;
    const entries = await prisma.auditEntry.findMany({ where: { subjectId: id, action: 'webhook_endpoint.disabled' } });
    expect(entries).toMatchObject([{ actorKind: 'service', actorId: null, environment: 'live', details: { days: 5 } }]);
    expect(service.logLines.join('')).toContain('a webhook endpoint was disabled because it failed for days');
    receiver.respondWith(withStatus(200));
    await changeEndpoint(service, 'enableWebhookEndpoint', id);
    await settledDeliveries(service, id, 1);
    expect(await healthOf(id)).toEqual(HEALTHY);
  });

  it.each([
    ['its failures began less than 5 days ago', 4.99, 0.9],
    ['there was a day without an attempt', 9, 1.01],
  ])('is not disabled if %s', async (_description, sinceDays, lastDays) => {
    receiver.respondWith(withStatus(500));
    const { id } = await makeEndpoint(service, receiver.url);
    await backdateFailures(id, sinceDays, lastDays);
    await makeEvent(service);
    await settledDeliveries(service, id, 1);
    expect(await healthOf(id)).toMatchObject({ enabled: true, disabledReason: null });
  });

  it('names the user as the reason if a user disabled it', async () => {
    const { id } = await makeEndpoint(service, receiver.url);
    await changeEndpoint(service, 'disableWebhookEndpoint', id);
    expect(await healthOf(id)).toMatchObject({ enabled: false, disabledReason: 'REQUESTED' });
  });
});

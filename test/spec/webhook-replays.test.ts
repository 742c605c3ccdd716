import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { sweepDeliveries } from '../../src/domain/webhooks/queue.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { type Receiver, startReceiver, withStatus } from '../support/receiver.ts';
import { errorOf, resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';
import { until } from '../support/until.ts';
import {
  changeEndpoint,
  deliveriesOf,
  makeEndpoint,
  makeEvent,
  replay,
  sendTest,
  settledDeliveries,
} from '../support/webhooks.ts';

const PACE = { retriesMs: [], timeoutMs: 2_000, pollMs: 20 };

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService({}, { webhooks: PACE });
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

async function endpoint(fields: object = {}, url = receiver.url): Promise<string> {
  const { id } = await makeEndpoint(service, url, fields);
  created.push(id);
  return id;
}

const prisma = () => service.service.services.stores.prisma;

describe('a replay', () => {
  it('sends a delivered message again under the same ID, and a failed one with all its attempts', async () => {
    const id = await endpoint();
    await makeEvent(service);
    const [first] = await settledDeliveries(service, id, 1);
    await replay(service, first?.deliveryId ?? '');
    const [one, two] = await receiver.waitForCount(2);
    expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
    expect(two?.body).toBe(one?.body);
    const [settled] = await settledDeliveries(service, id, 1);
    expect(settled).toMatchObject({ status: 'DELIVERED', attemptCount: 1 });
    expect(settled?.attempts).toHaveLength(2);
  });

  it('sends a message at once that waits for its next attempt', async () => {
    const slow = await startService({}, { webhooks: { ...PACE, retriesMs: [3_600_000], timeoutMs: 10_000 } });
    receiver.respondWith(withStatus(500));
    const one = await makeEndpoint(slow, receiver.url);
    await makeEvent(slow);
    await receiver.waitForCount(1);
    receiver.respondWith(withStatus(200));
    const waiting = async () => (await deliveriesOf(slow, one.id)).find(({ attemptCount }) => attemptCount === 1);
    let delivery = await waiting();
    while (!delivery) delivery = await waiting();
    expect(delivery).toMatchObject({
      status: 'PENDING',
      responseStatus: 500,
      lastError: 'The address responded with 500.',
    });
    await replay(slow, delivery.deliveryId);
    await receiver.waitForCount(2);
    expect(await settledDeliveries(slow, one.id, 1)).toMatchObject([{ status: 'DELIVERED', lastError: null }]);
    await slow.close();
  });

  it.each(['0', '1', '99999999999999999999', 'x', '-1', ''])('returns 404 for an unknown delivery (%s)', async (id) => {
    expectGraphqlError(await replay(service, id), 'not_found', { param: 'id' });
  });
});

describe('replayWebhookDeliveries', () => {
  const REPLAY = `mutation ($input: ReplayWebhookDeliveriesInput!) { it: replayWebhookDeliveries(input: $input) {
    __typename ... on ReplayWebhookDeliveriesPayload { replay { id replayId deliveryCount endpoint { endpointId
      latestReplay { replayId } } } } ... on Error { code message path } } }`;
  const PROGRESS = `query ($id: ID!) { node(id: $id) { ... on WebhookReplay { pendingCount deliveredCount failedCount } } }`;

  const period = (from = -3_600_000, to = 60_000) => ({
    from: new Date(Date.now() + from).toISOString(),
    to: new Date(Date.now() + to).toISOString(),
  });

  const replay = (id: string, input: object = {}, headers: Record<string, string> = {}) =>
    service.graphql(REPLAY, { input: { id, ...period(), ...input } }, { headers });

  const finished = (id: string) =>
    until(async () => {
      const { node } = (await service.graphql(PROGRESS, { id })).body.data;
      return node.pendingCount === 0 && node;
    });

  /** An endpoint with this many failed deliveries. */
  async function failing(count: number) {
    receiver.respondWith(withStatus(500));
    const id = await endpoint();
    for (let event = 0; event < count; event += 1) await makeEvent(service, { event });
    await settledDeliveries(service, id, count);
    return id;
  }

  it('sends failed deliveries again in their order with the same IDs, and shows its progress', async () => {
    const id = await failing(5);
    const before = receiver.received.map(({ message }) => message.id);
    receiver.respondWith(withStatus(200));
    await sendTest(service, id);
    await settledDeliveries(service, id, 6);
    const start = receiver.received.length;
    const started = resultOf(await replay(id));
    expect(started.deliveryCount).toBe(5);
    expect(started.endpoint).toEqual({ endpointId: id, latestReplay: { replayId: started.replayId } });
    expect(await finished(started.id)).toEqual({ pendingCount: 0, deliveredCount: 5, failedCount: 0 });
    // In the order of the events. The delivered test message is not among them.
    expect(receiver.received.slice(start).map(({ message }) => message.id)).toEqual([...before].sort());
  });

  it('come before newer messages', async () => {
    const id = await failing(3);
    const before = receiver.received.map(({ message }) => message.data.resource_id);
    let release: (() => void) | undefined;
    receiver.respondWith((response) => {
      const end = () => void response.writeHead(200).end();
      if (release) end();
      else release = end;
    });
    await replay(id);
    await receiver.waitForCount(4);
    const newer = await makeEvent(service);
    await until(async () => (await deliveriesOf(service, id)).length === 4);
    release?.();
    await settledDeliveries(service, id, 4);
    expect(receiver.received.slice(3).map(({ message }) => message.data.resource_id)).toEqual([...before, newer]);
  });

  it('counts deliveries that fail again', async () => {
    const id = await failing(2);
    const started = resultOf(await replay(id));
    expect(await finished(started.id)).toEqual({ pendingCount: 0, deliveredCount: 0, failedCount: 2 });
  });

  it('sends only deliveries of the period, and delivered ones if requested', async () => {
    const id = await failing(1);
    receiver.respondWith(withStatus(200));
    await sendTest(service, id);
    await settledDeliveries(service, id, 2);
    await prisma().webhookDelivery.updateMany({
      where: { endpointId: id, status: 'failed' },
      data: { createdAt: new Date(Date.now() - 7_200_000) },
    });
    expect(resultOf(await replay(id)).deliveryCount).toBe(0);
    const all = resultOf(await replay(id, { onlyFailed: false }));
    expect(all.deliveryCount).toBe(1);
    await finished(all.id);
    const older = resultOf(await replay(id, { ...period(-10_000_000), onlyFailed: false }));
    expect(older.deliveryCount).toBe(2);
    expect(await finished(older.id)).toMatchObject({ deliveredCount: 2 });
  });

  it('doubles nothing when it is repeated with the same idempotency key', async () => {
    const id = await failing(3);
    receiver.respondWith(withStatus(200));
    const start = receiver.received.length;
    const input = { ...period(), onlyFailed: false };
    const headers = { 'idempotency-key': `replay-${id}` };
    const results = await Promise.all([replay(id, input, headers), replay(id, input, headers)]);
    const done = results.find((one) => !errorOf(one));
    const first = resultOf(done as never);
    await finished(first.id);
    const again = resultOf(await replay(id, input, headers));
    expect(again.replayId).toBe(first.replayId);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(receiver.received.length - start).toBe(3);
    expect(await prisma().webhookReplay.count({ where: { endpointId: id } })).toBe(1);
  });

  it('does not repeat pending deliveries', async () => {
    const id = await failing(2);
    receiver.respondWith(() => {});
    const first = resultOf(await replay(id));
    const second = resultOf(await replay(id, { onlyFailed: false }));
    expect([first.deliveryCount, second.deliveryCount]).toEqual([2, 0]);
  });

  it(`sends at most ${LIMITS.webhookReplayDeliveries} deliveries`, async () => {
    const id = await failing(1);
    const { environmentId } = await prisma().webhookEndpoint.findFirstOrThrow({ where: { id } });
    await prisma().$executeRaw`
      INSERT INTO webhook_delivery (environment_id, endpoint_id, message_id, status, created_at, finished_at)
      SELECT ${environmentId}::uuid, ${id}, 'msg_x', 'failed', now(), now()
      FROM generate_series(1, ${LIMITS.webhookReplayDeliveries}::int)`;
    const rejected = (await replay(id)).body.data.it;
    expect(rejected).toMatchObject({ code: 'INVALID_REQUEST', path: ['to'] });
    expect(await prisma().webhookDelivery.count({ where: { endpointId: id, status: 'pending' } })).toBe(0);
    await prisma().webhookDelivery.deleteMany({ where: { endpointId: id, messageId: { not: 'msg_x' } } });
    expect(resultOf(await replay(id)).deliveryCount).toBe(LIMITS.webhookReplayDeliveries);
  });

  it('rejects disabled endpoints, and those of other environments', async () => {
    const id = await failing(1);
    await changeEndpoint(service, 'disableWebhookEndpoint', id);
    expect((await replay(id)).body.data.it).toMatchObject({ code: 'INVALID_REQUEST', path: ['id'] });
    const input = { id, ...period() };
    const other = await service.graphql(REPLAY, { input }, { key: service.keys.test });
    expect(other.body.data.it.code).toBe('NOT_FOUND');
    const weak = await makeKey(service, { scopes: ['events:read'] });
    expectGraphqlError(await service.graphql(REPLAY, { input }, { key: weak }), 'forbidden', {
      facts: { required_scope: 'webhooks:manage' },
    });
  });

  it('is written to the audit log, and deleted with old deliveries', async () => {
    const id = await failing(1);
    const started = resultOf(await replay(id));
    await finished(started.id);
    const entry = await prisma().auditEntry.findFirstOrThrow({
      where: { action: 'webhook_endpoint.replayed' },
      orderBy: { id: 'desc' },
    });
    expect(entry).toMatchObject({ subjectId: id, details: { only_failed: true, deliveries: 1 } });
    const old = new Date(Date.now() - (LIMITS.webhookDeliveryDays + 1) * 86_400_000);
    await prisma().webhookReplay.updateMany({ where: { endpointId: id }, data: { createdAt: old } });
    await sweepDeliveries(service.service.services.stores.sql);
    expect((await service.graphql(PROGRESS, { id: started.id })).body.data.node).toBeNull();
  });
});

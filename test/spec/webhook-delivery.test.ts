import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newTypeId } from '../../src/domain/type-id.ts';
import { openSecrets, sealSecrets } from '../../src/domain/webhooks/secrets.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { type Receiver, signedHeaders, startReceiver, withStatus } from '../support/receiver.ts';
import { eventsOf } from '../support/resource-apis.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import {
  changeEndpoint,
  deliveriesOf,
  makeEndpoint,
  makeEvent,
  replay,
  rotate,
  sendTest,
  settledDeliveries,
  updateEndpoint,
} from '../support/webhooks.ts';

const PACE = { retriesMs: [40, 80, 120, 160, 200, 240], timeoutMs: 10_000, pollMs: 20 };

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

async function endpoint(fields: object = {}, { url } = receiver) {
  const one = await makeEndpoint(service, url, fields);
  created.push(one.id);
  return one;
}

async function storedSecrets(id: string) {
  const {
    stores: { prisma },
    settings: { secretBox },
  } = service.service.services;
  const { sealedSecret } = await prisma.webhookEndpoint.findFirstOrThrow({ where: { id } });
  return openSecrets(secretBox, id, sealedSecret);
}

/** Sets the expiry of an endpoint's retiring secrets into the past. */
async function expireRetiring(id: string, current: string, retired: readonly string[]): Promise<void> {
  const {
    stores: { prisma },
    settings: { secretBox },
  } = service.service.services;
  const until = new Date(Date.now() - 1).toISOString();
  const secrets = { current, retiring: retired.map((secret) => ({ secret, until })) };
  const sealedSecret = sealSecrets(secretBox, id, secrets);
  await prisma.webhookEndpoint.updateMany({ where: { id }, data: { sealedSecret } });
}

const idsOf = (from: Receiver) => from.received.map(({ message }) => message.data.resource_id);

/** Whether the endpoint has read the log past the event of a resource. */
async function isRead(endpointId: string, resourceId: string): Promise<boolean> {
  const rows = await service.service.services.stores.prisma.$queryRaw<object[]>`
    SELECT 1 FROM webhook_endpoint w JOIN event e ON (e.xid, e.id) <= (w.position_xid, w.position_id)
    WHERE w.id = ${endpointId} AND e.resource_id = ${resourceId}`;
  return rows.length > 0;
}

describe('a message of an event', () => {
  it('contains the event, is signed by Standard Webhooks, and reaches only endpoints older than the event', async () => {
    await makeEvent(service);
    const { secret } = await endpoint();
    const id = await makeEvent(service, { name: 'Ada' });
    const [one] = await receiver.waitForCount(1);
    const [event] = await eventsOf(service, id);
    if (!one || !event) throw new Error('There is no message.');
    expect(one.message).toEqual({
      id: event.id,
      type: 'resource.created',
      timestamp: event.occurred_at,
      data: { resource_id: id, type: 'a', fields: { name: 'Ada' } },
    });
    expect(one.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Parley-Webhooks/),
      'webhook-id': event.id,
    });
    expect(new Webhook(secret).verify(one.body, signedHeaders(one))).toEqual(one.message);
    expect(() => new Webhook(secret).verify(`${one.body} `, signedHeaders(one))).toThrow();
  });

  it('describes updates and deletions, and names the resource', async () => {
    await endpoint();
    const id = await makeEvent(service, { a: 1 });
    await service.send('PATCH', `/v1/resources/${id}`, { body: { fields: { a: 2 } } });
    await service.send('DELETE', `/v1/resources/${id}`);
    const messages = (await receiver.waitForCount(3)).map(({ message: { type, data } }) => ({ type, data }));
    expect(messages.slice(1)).toEqual([
      { type: 'resource.updated', data: { resource_id: id, before: { a: 1 }, after: { a: 2 } } },
      { type: 'resource.deleted', data: { resource_id: id, type: 'a', fields: { a: 2 } } },
    ]);
  });

  it('arrives in the order of the log, once each, while the endpoint keeps up', async () => {
    const { id } = await endpoint();
    const sent: string[] = [];
    for (let count = 0; count < 30; count += 1) sent.push(await makeEvent(service));
    await receiver.waitForCount(30);
    const settled = await settledDeliveries(service, id, 30);
    expect(idsOf(receiver)).toEqual(sent);
    expect(settled.map(({ status, attemptCount }) => [status, attemptCount])).toEqual(sent.map(() => ['DELIVERED', 1]));
  });

  it('is sent to each endpoint that subscribes to its type, and to no other environment', async () => {
    const deletions = await startReceiver();
    const tests = await startReceiver();
    await endpoint({ eventTypes: ['RESOURCE_CREATED', 'RESOURCE_UPDATED'] });
    await endpoint({ eventTypes: ['RESOURCE_DELETED'] }, deletions);
    const elsewhere = { url: tests.url };
    const document =
      'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { __typename ... on CreateWebhookEndpointPayload { secret } ... on Error { code message path } } }';
    await service.graphql(document, { input: elsewhere }, { key: service.keys.test });
    const id = await makeEvent(service);
    await service.send('DELETE', `/v1/resources/${id}`);
    await makeEvent(service);
    const own = await service.send('POST', '/v1/resources', {
      body: { type: 'a', fields: {} },
      key: service.keys.test,
    });
    const types = (from: Receiver) => from.received.map(({ message }) => message.type);
    await Promise.all([receiver.waitForCount(2), deletions.waitForCount(1), tests.waitForCount(1)]);
    expect(types(receiver)).toEqual(['resource.created', 'resource.created']);
    expect(types(deletions)).toEqual(['resource.deleted']);
    expect(idsOf(tests)).toEqual([own.body.data.id]);
    await Promise.all([deletions.close(), tests.close()]);
  });

  it("follows a change of the endpoint's types and URL", async () => {
    const newReceiver = await startReceiver();
    const { id } = await endpoint({ eventTypes: ['RESOURCE_DELETED'] });
    const before = await makeEvent(service);
    // The changed settings apply to events read after the change.
    await until(() => isRead(id, before));
    await updateEndpoint(service, id, { url: newReceiver.url, eventTypes: null });
    const sent = await makeEvent(service);
    await newReceiver.waitForCount(1);
    expect([idsOf(newReceiver), idsOf(receiver)]).toEqual([[sent], []]);
    await newReceiver.close();
  });
});

describe('secrets', () => {
  it('both sign for a day after a rotation, and then only the new one signs', async () => {
    const { id, secret: old } = await endpoint();
    const fresh = await rotate(service, id);
    expect(fresh).toMatch(/^whsec_/);
    const [retiring] = (await storedSecrets(id)).retiring;
    expect((Date.parse(retiring?.until ?? '') - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
    await sendTest(service, id);
    const [one] = await receiver.waitForCount(1);
    if (!one) throw new Error('There is no message.');
    expect(String(one.headers['webhook-signature']).split(' ')).toHaveLength(2);
    for (const secret of [old, fresh]) expect(new Webhook(secret).verify(one.body, signedHeaders(one))).toBeTruthy();
    const third = await rotate(service, id);
    await sendTest(service, id);
    const two = (await receiver.waitForCount(2)).at(-1);
    if (!two) throw new Error('There is no message.');
    const holders = [old, fresh, third];
    for (const secret of holders) expect(new Webhook(secret).verify(two.body, signedHeaders(two))).toBeTruthy();
    await expireRetiring(id, third, [fresh, old]);
    await sendTest(service, id);
    const three = (await receiver.waitForCount(3)).at(-1);
    if (!three) throw new Error('There is no message.');
    expect(new Webhook(third).verify(three.body, signedHeaders(three))).toBeTruthy();
    for (const secret of [old, fresh]) {
      expect(() => new Webhook(secret).verify(three.body, signedHeaders(three))).toThrow();
    }
  });

  it('are shown only by the call that creates them', async () => {
    const { id, secret } = await endpoint();
    const fresh = await rotate(service, id);
    await sendTest(service, id);
    await settledDeliveries(service, id, 1);
    const { body } = await service.graphql(
      '{ webhookEndpoints { nodes { endpointId url deliveries { nodes { type } } } } }',
    );
    for (const one of [secret, fresh]) {
      expect(JSON.stringify([body, service.logLines])).not.toContain(one.slice('whsec_'.length));
    }
    const stored = await service.service.services.stores.prisma.webhookEndpoint.findFirstOrThrow({ where: { id } });
    expect(Buffer.from(stored.sealedSecret).toString('latin1')).not.toContain('whsec_');
  });
});

describe('a test message', () => {
  it('is delivered like any other, has its own type, and is not in the event log', async () => {
    const { id, secret } = await endpoint({ eventTypes: ['RESOURCE_DELETED'] });
    const { body } = await sendTest(service, id);
    expect(resultOf({ body })).toMatchObject({ type: 'WEBHOOK_TEST', status: 'PENDING', endpoint: { endpointId: id } });
    const [one] = await receiver.waitForCount(1);
    if (!one) throw new Error('There is no message.');
    expect(one.message).toMatchObject({
      id: resultOf({ body }).messageId,
      type: 'webhook.test',
      data: { endpoint_id: id },
    });
    expect(new Webhook(secret).verify(one.body, signedHeaders(one))).toEqual(one.message);
    const [settled] = await settledDeliveries(service, id, 1);
    expect(settled).toMatchObject({ status: 'DELIVERED', responseStatus: 200, type: 'WEBHOOK_TEST' });
    const log = await service.graphql('{ events { nodes { type } } }');
    expect(JSON.stringify(log.body)).not.toContain('webhook.test');
  });

  it('is not queued for a disabled endpoint', async () => {
    const { id } = await endpoint();
    await changeEndpoint(service, 'disableWebhookEndpoint', id);
    expectGraphqlError(await sendTest(service, id), 'invalid_request', { param: 'id' });
    expect(await deliveriesOf(service, id)).toEqual([]);
  });
});

describe('endpoints that are disabled or deleted', () => {
  it('receive nothing while disabled, and queued and new messages after that', async () => {
    const { id } = await endpoint();
    let fail = () => {};
    receiver.respondWith((response) => {
      fail = () => void response.writeHead(500).end();
    });
    const waits = await makeEvent(service);
    await receiver.waitForCount(1);
    // The response comes after the endpoint is disabled, so only an attempt of a disabled endpoint can follow.
    await changeEndpoint(service, 'disableWebhookEndpoint', id);
    receiver.respondWith(withStatus(204));
    fail();
    await until(async () => {
      const [delivery] = await deliveriesOf(service, id);
      return delivery && delivery.attemptCount > 0 && !(Date.parse(delivery.nextAttemptAt ?? '') > Date.now());
    });
    await makeEvent(service);
    // Two deliveries in turn to another endpoint show that everything that was due has been sent.
    const witness = await startReceiver();
    await endpoint({}, witness);
    for (const count of [1, 2]) {
      await makeEvent(service);
      await witness.waitForCount(count);
    }
    expect(receiver.received).toHaveLength(1);
    await changeEndpoint(service, 'enableWebhookEndpoint', id);
    const fresh = await makeEvent(service);
    await settledDeliveries(service, id, 2);
    expect(new Set(idsOf(receiver))).toEqual(new Set([waits, fresh]));
    await witness.close();
  });

  it('do not get an event that was not queued when they were disabled', async () => {
    const { id } = await endpoint();
    const earlier = await makeEvent(service);
    await settledDeliveries(service, id, 1);
    const { prisma } = service.service.services.stores;
    const { environmentId } = await prisma.webhookEndpoint.findFirstOrThrow({ where: { id } });
    const event = { id: newTypeId('evt'), environmentId, type: 'resource.created', resourceId: 'res_unqueued' };
    // In one transaction, so that no dispatcher can queue the event in between.
    await prisma.$transaction([
      prisma.webhookEndpoint.updateMany({ where: { id }, data: { enabled: false, disabledReason: 'requested' } }),
      prisma.event.create({ data: { ...event, payload: {}, occurredAt: new Date() } }),
    ]);
    await changeEndpoint(service, 'enableWebhookEndpoint', id);
    const later = await makeEvent(service);
    await settledDeliveries(service, id, 2);
    expect(idsOf(receiver)).toEqual([earlier, later]);
  });

  it('delete their deliveries with them', async () => {
    receiver.respondWith(withStatus(500));
    const { id } = await endpoint();
    await makeEvent(service);
    await receiver.waitForCount(1);
    const [delivery] = await deliveriesOf(service, id);
    const { body } = await changeEndpoint(service, 'deleteWebhookEndpoint', id);
    expect(resultOf({ body })).toMatchObject({ endpointId: id });
    const { prisma } = service.service.services.stores;
    expect(await prisma.webhookDelivery.count({ where: { endpointId: id } })).toBe(0);
    const repeated = await replay(service, delivery?.deliveryId ?? '');
    expectGraphqlError(repeated, 'not_found');
  });
});

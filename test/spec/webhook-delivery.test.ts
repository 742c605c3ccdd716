import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sealSecrets } from '../../src/domain/webhooks/secrets.ts';
import { type Receiver, signedHeaders, startReceiver, withStatus } from '../support/receiver.ts';
import { eventsOf } from '../support/resource-doors.ts';
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

const made: string[] = [];
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const id of made.splice(0)) await changeEndpoint(service, 'deleteWebhookEndpoint', id);
  await receiver.close();
});

async function endpoint(fields: object = {}, { url } = receiver) {
  const one = await makeEndpoint(service, url, fields);
  made.push(one.id);
  return one;
}

/** Puts the day of an endpoint's retiring secrets into the past. */
async function letPass(id: string, current: string, retired: readonly string[]): Promise<void> {
  const { prisma, secretBox } = service.service.services;
  const until = new Date(Date.now() - 1).toISOString();
  const secrets = { current, retiring: retired.map((secret) => ({ secret, until })) };
  const sealedSecret = sealSecrets(secretBox, id, secrets);
  await prisma.webhookEndpoint.update({ where: { id }, data: { sealedSecret } });
}

const idsOf = (from: Receiver) => from.received.map(({ message }) => message.data.resource_id);

/** Whether the endpoint's place in the log is behind the event of a resource. */
async function isRead(endpointId: string, resourceId: string): Promise<boolean> {
  const rows = await service.service.services.prisma.$queryRaw<object[]>`
    SELECT 1 FROM webhook_endpoint w JOIN event e ON (e.xid, e.id) <= (w.position_xid, w.position_id)
    WHERE w.id = ${endpointId} AND e.resource_id = ${resourceId}`;
  return rows.length > 0;
}

describe('WIRE 12: a message of an event', () => {
  it('is the event, signed by Standard Webhooks, at an endpoint that was there before it', async () => {
    await makeEvent(service);
    const { secret } = await endpoint();
    const id = await makeEvent(service, { name: 'Ada' });
    const [one] = await receiver.atLeast(1);
    const [event] = await eventsOf(service, id);
    if (!one || !event) throw new Error('there is no message');
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

  it('tells of what was updated and deleted, and of which resource', async () => {
    await endpoint();
    const id = await makeEvent(service, { a: 1 });
    await service.send('PATCH', `/v1/resources/${id}`, { body: { fields: { a: 2 } } });
    await service.send('DELETE', `/v1/resources/${id}`);
    const messages = (await receiver.atLeast(3)).map(({ message: { type, data } }) => ({ type, data }));
    expect(messages.slice(1)).toEqual([
      { type: 'resource.updated', data: { resource_id: id, before: { a: 1 }, after: { a: 2 } } },
      { type: 'resource.deleted', data: { resource_id: id, type: 'a', fields: { a: 2 } } },
    ]);
  });

  it('comes in the order of the log, once each, while the endpoint keeps up', async () => {
    const { id } = await endpoint();
    const sent: string[] = [];
    for (let count = 0; count < 30; count += 1) sent.push(await makeEvent(service));
    await receiver.atLeast(30);
    const settled = await settledDeliveries(service, id, 30);
    expect(idsOf(receiver)).toEqual(sent);
    expect(settled.map(({ status, attemptCount }) => [status, attemptCount])).toEqual(sent.map(() => ['delivered', 1]));
  });

  it('is sent to each endpoint that wants its type, and to none of another environment', async () => {
    const deletions = await startReceiver();
    const tests = await startReceiver();
    await endpoint({ eventTypes: ['resource.created', 'resource.updated'] });
    await endpoint({ eventTypes: ['resource.deleted'] }, deletions);
    const elsewhere = { url: tests.url };
    const document =
      'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { secret } }';
    await service.graphql(document, { input: elsewhere }, { key: service.keys.test });
    const id = await makeEvent(service);
    await service.send('DELETE', `/v1/resources/${id}`);
    await makeEvent(service);
    const own = await service.send('POST', '/v1/resources', {
      body: { type: 'a', fields: {} },
      key: service.keys.test,
    });
    const types = (from: Receiver) => from.received.map(({ message }) => message.type);
    await Promise.all([receiver.atLeast(2), deletions.atLeast(1), tests.atLeast(1)]);
    expect(types(receiver)).toEqual(['resource.created', 'resource.created']);
    expect(types(deletions)).toEqual(['resource.deleted']);
    expect(idsOf(tests)).toEqual([own.body.data.id]);
    await Promise.all([deletions.close(), tests.close()]);
  });

  it('is of the types that the endpoint wants since it was changed, at its new address', async () => {
    const moved = await startReceiver();
    const { id } = await endpoint({ eventTypes: ['resource.deleted'] });
    const before = await makeEvent(service);
    // What is read of the log after the change is judged by it.
    await until(() => isRead(id, before));
    await updateEndpoint(service, id, { url: moved.url, eventTypes: null });
    const sent = await makeEvent(service);
    await moved.atLeast(1);
    expect([idsOf(moved), idsOf(receiver)]).toEqual([[sent], []]);
    await moved.close();
  });
});

describe('WIRE 12: secrets', () => {
  it('both sign for a day after a rotation, and after that the new one alone', async () => {
    const { id, secret: old } = await endpoint();
    const fresh = await rotate(service, id);
    expect(fresh).toMatch(/^whsec_/);
    await sendTest(service, id);
    const [one] = await receiver.atLeast(1);
    if (!one) throw new Error('there is no message');
    expect(String(one.headers['webhook-signature']).split(' ')).toHaveLength(2);
    for (const secret of [old, fresh]) expect(new Webhook(secret).verify(one.body, signedHeaders(one))).toBeTruthy();
    const third = await rotate(service, id);
    await sendTest(service, id);
    const two = (await receiver.atLeast(2)).at(-1);
    if (!two) throw new Error('there is no message');
    const holders = [old, fresh, third];
    for (const secret of holders) expect(new Webhook(secret).verify(two.body, signedHeaders(two))).toBeTruthy();
    await letPass(id, third, [fresh, old]);
    await sendTest(service, id);
    const three = (await receiver.atLeast(3)).at(-1);
    if (!three) throw new Error('there is no message');
    expect(new Webhook(third).verify(three.body, signedHeaders(three))).toBeTruthy();
    for (const secret of [old, fresh]) {
      expect(() => new Webhook(secret).verify(three.body, signedHeaders(three))).toThrow();
    }
  });

  it('are shown by nothing but the call that makes them', async () => {
    const { id, secret } = await endpoint();
    const fresh = await rotate(service, id);
    await sendTest(service, id);
    await settledDeliveries(service, id, 1);
    const { body } = await service.graphql(
      '{ webhookEndpoints { nodes { endpointId url deliveries { nodes { type } } } } }',
    );
    for (const one of [secret, fresh]) {
      expect(JSON.stringify([body, service.logged])).not.toContain(one.slice('whsec_'.length));
    }
    const stored = await service.service.services.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } });
    expect(Buffer.from(stored.sealedSecret).toString('latin1')).not.toContain('whsec_');
  });
});

describe('WIRE 12: a test message', () => {
  it('goes the way of every other, has a type of its own, and is no event of the log', async () => {
    const { id, secret } = await endpoint({ eventTypes: ['resource.deleted'] });
    const { body } = await sendTest(service, id);
    expect(body.data.it).toMatchObject({ type: 'webhook.test', status: 'pending', endpoint: { endpointId: id } });
    const [one] = await receiver.atLeast(1);
    if (!one) throw new Error('there is no message');
    expect(one.message).toMatchObject({ id: body.data.it.messageId, type: 'webhook.test', data: { endpoint_id: id } });
    expect(new Webhook(secret).verify(one.body, signedHeaders(one))).toEqual(one.message);
    const [settled] = await settledDeliveries(service, id, 1);
    expect(settled).toMatchObject({ status: 'delivered', responseStatus: 200, type: 'webhook.test' });
    const log = await service.graphql('{ events { nodes { type } } }');
    expect(JSON.stringify(log.body)).not.toContain('webhook.test');
  });

  it('is not queued for a disabled endpoint', async () => {
    const { id } = await endpoint();
    await changeEndpoint(service, 'disableWebhookEndpoint', id);
    const { body } = await sendTest(service, id);
    expect(body.errors[0].extensions).toMatchObject({ code: 'invalid_request', param: 'id' });
    expect(await deliveriesOf(service, id)).toEqual([]);
  });
});

describe('WIRE 12: endpoints that are disabled or deleted', () => {
  it('are sent nothing while they are disabled, and afterwards what waits and what is new', async () => {
    receiver.answer(withStatus(500));
    const { id } = await endpoint();
    const waits = await makeEvent(service);
    await receiver.atLeast(1);
    await changeEndpoint(service, 'disableWebhookEndpoint', id);
    receiver.answer(withStatus(204));
    const before = receiver.received.length;
    await makeEvent(service);
    // Another endpoint tells when what happened meanwhile has been sent.
    const witness = await startReceiver();
    await endpoint({}, witness);
    await makeEvent(service);
    await witness.atLeast(1);
    expect(receiver.received).toHaveLength(before);
    await changeEndpoint(service, 'enableWebhookEndpoint', id);
    const fresh = await makeEvent(service);
    await settledDeliveries(service, id, 2);
    expect(new Set(idsOf(receiver))).toEqual(new Set([waits, fresh]));
    await witness.close();
  });

  it('take their deliveries with them', async () => {
    receiver.answer(withStatus(500));
    const { id } = await endpoint();
    await makeEvent(service);
    await receiver.atLeast(1);
    const [delivery] = await deliveriesOf(service, id);
    const { body } = await changeEndpoint(service, 'deleteWebhookEndpoint', id);
    expect(body.data.it).toMatchObject({ endpointId: id });
    const { prisma } = service.service.services;
    expect(await prisma.webhookDelivery.count({ where: { endpointId: id } })).toBe(0);
    const again = await replay(service, delivery?.deliveryId ?? '');
    expect(again.body.errors[0].extensions).toMatchObject({ code: 'not_found' });
  });
});

describe('WIRE 12: a replay', () => {
  it('sends what was delivered again under the same id, and what has failed with all its attempts before it', async () => {
    const { id } = await endpoint();
    await makeEvent(service);
    const [first] = await settledDeliveries(service, id, 1);
    await replay(service, first?.deliveryId ?? '');
    const [one, two] = await receiver.atLeast(2);
    expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
    expect(two?.body).toBe(one?.body);
    const [settled] = await settledDeliveries(service, id, 1);
    expect(settled).toMatchObject({ status: 'delivered', attemptCount: 1 });
    expect(settled?.attempts).toHaveLength(2);
  });

  it('sends at once what waits for its next attempt', async () => {
    const slow = await startService({}, { webhooks: { ...PACE, retriesMs: [3_600_000] } });
    receiver.answer(withStatus(500));
    const one = await makeEndpoint(slow, receiver.url);
    await makeEvent(slow);
    await receiver.atLeast(1);
    receiver.answer(withStatus(200));
    const waiting = async () => (await deliveriesOf(slow, one.id)).find(({ attemptCount }) => attemptCount === 1);
    let delivery = await waiting();
    while (!delivery) delivery = await waiting();
    expect(delivery).toMatchObject({ status: 'pending', responseStatus: 500, lastError: 'The address answered 500.' });
    await replay(slow, delivery.deliveryId);
    await receiver.atLeast(2);
    expect(await settledDeliveries(slow, one.id, 1)).toMatchObject([{ status: 'delivered', lastError: null }]);
    await slow.close();
  });

  it.each(['0', '1', '99999999999999999999', 'x', '-1', ''])(
    'of a delivery that is not there (%s) is 404',
    async (id) => {
      const { body } = await replay(service, id);
      expect(body.errors[0].extensions).toMatchObject({ code: 'not_found', param: 'id' });
    },
  );
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';
import { changeEndpoint, makeEndpoint, makeEvent, sendTest, settledDeliveries } from '../support/webhooks.ts';

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService({}, { webhooks: { retriesMs: [], timeoutMs: 2_000, pollMs: 20 } });
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

const INSPECT = `query ($id: ID!) { webhookEndpoint(id: $id) { deliveries(first: 100) { nodes {
  messageId payload attempts { startedAt durationMs responseStatus requestHeaders { name value }
    response { headers { name value } body isBodyTruncated } } } } } }`;

async function inspect(id: string, key?: string) {
  const { body } = await service.graphql(INSPECT, { id }, { ...(key && { key }) });
  return body.data.webhookEndpoint.deliveries.nodes;
}

/** The only attempt of the only delivery. */
async function attemptOf(id: string) {
  await settledDeliveries(service, id, 1);
  return (await inspect(id))[0].attempts[0];
}

const namesOf = (headers: readonly { readonly name: string }[]) => headers.map(({ name }) => name);

describe('the payload of a delivery', () => {
  it.each([
    ['an event', () => makeEvent(service, { z: 1, a: ['é', { b: null }] })],
    ['a test', async (id: string) => sendTest(service, id)],
  ])('of %s is exactly what was sent and signed', async (_what, send) => {
    const id = await endpoint();
    await send(id);
    const [received] = await receiver.waitForCount(1);
    await settledDeliveries(service, id, 1);
    const [delivery] = await inspect(id);
    expect(delivery.payload).toBe(received?.body);
    const { requestHeaders } = delivery.attempts[0];
    for (const { name, value } of requestHeaders) expect(received?.headers[name]).toBe(value);
    expect(namesOf(requestHeaders)).toEqual(['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp']);
  });

  it('of a lifecycle event is only shown with the scope conversations:read', async () => {
    const id = await endpoint({ eventTypes: ['RUN_COMPLETED'] });
    await service.agentTurn('Hello');
    await settledDeliveries(service, id, 1);
    expect((await inspect(id))[0].payload).toContain('"run.completed"');
    const key = await makeKey(service, { scopes: ['webhooks:manage'] });
    expect((await inspect(id, key))[0].payload).toBeNull();
  });
});

describe('the response of an attempt', () => {
  it('is stored with its headers but without cookies, encrypted', async () => {
    receiver.respondWith((response) => {
      response.writeHead(500, { 'content-type': 'text/plain', 'set-cookie': 'session=1', 'x-trace': 'abc' });
      response.end('the password is hunter2');
    });
    const id = await endpoint();
    await makeEvent(service);
    const { response, responseStatus } = await attemptOf(id);
    expect([responseStatus, response.body, response.isBodyTruncated]).toEqual([500, 'the password is hunter2', false]);
    expect(response.headers).toContainEqual({ name: 'x-trace', value: 'abc' });
    expect(namesOf(response.headers)).not.toContain('set-cookie');
    const [stored] = await prisma().webhookAttempt.findMany({ where: { endpointId: id } });
    expect(Buffer.from(stored?.sealedResponse ?? []).toString('latin1')).not.toContain('hunter2');
  });

  it.each([
    [LIMITS.webhookResponseBytes, false],
    [LIMITS.webhookResponseBytes + 1, true],
    [5_000_000, true],
  ])('of %i bytes is cut off: %s', async (bytes, isCut) => {
    receiver.respondWith((response) => void response.writeHead(200).end('x'.repeat(bytes)));
    const id = await endpoint();
    await makeEvent(service);
    const { response } = await attemptOf(id);
    expect([response.body.length, response.isBodyTruncated]).toEqual([
      Math.min(bytes, LIMITS.webhookResponseBytes),
      isCut,
    ]);
  });

  it('is decoded safely: no split character, and other bytes are replaced', async () => {
    receiver.respondWith((response) => void response.writeHead(200).end(`x${'é'.repeat(LIMITS.webhookResponseBytes)}`));
    const id = await endpoint();
    await makeEvent(service);
    const { response } = await attemptOf(id);
    expect(response.body).toBe(`x${'é'.repeat(LIMITS.webhookResponseBytes / 2 - 1)}`);
    const other = await endpoint();
    receiver.respondWith((answer) => void answer.writeHead(200).end(Buffer.of(65, 0, 255, 66)));
    await sendTest(service, other);
    expect((await attemptOf(other)).response.body).toBe('A\0\ufffdB');
  });

  it('that never ends does not delay the delivery or count as a failure', async () => {
    receiver.respondWith((response) => void response.writeHead(200).write('begun'));
    const id = await endpoint();
    await makeEvent(service);
    const [delivery] = await settledDeliveries(service, id, 1);
    expect(delivery).toMatchObject({ status: 'DELIVERED', responseStatus: 200 });
    const { response, durationMs } = await attemptOf(id);
    expect([response.body, response.isBodyTruncated]).toEqual(['begun', true]);
    // The time until the status, without the wait for the body.
    expect(durationMs).toBeLessThan(450);
  });

  it(`has at most ${LIMITS.webhookResponseHeaders} headers, cut off after ${LIMITS.webhookResponseHeaderLength} characters`, async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`x-${index}`, 'v']));
    receiver.respondWith((response) => void response.writeHead(200, { 'a-long': 'v'.repeat(600), ...many }).end());
    const id = await endpoint();
    await makeEvent(service);
    const { headers } = (await attemptOf(id)).response;
    expect(headers).toHaveLength(LIMITS.webhookResponseHeaders);
    expect(headers[0].value).toHaveLength(LIMITS.webhookResponseHeaderLength);
  });

  it('is null without a response, or without its key', async () => {
    const id = await endpoint({}, 'http://127.0.0.1:9/');
    await makeEvent(service);
    expect((await attemptOf(id)).response).toBeNull();
    const other = await endpoint();
    await sendTest(service, other);
    await settledDeliveries(service, other, 1);
    await prisma().webhookAttempt.updateMany({
      where: { endpointId: other },
      data: { sealedResponse: Buffer.of(1, 2) },
    });
    expect((await attemptOf(other)).response).toBeNull();
  });
});

describe('the health of an endpoint', () => {
  const HEALTH = `query ($id: ID!) { webhookEndpoint(id: $id) { health { attemptCount deliveredCount medianDurationMs
    lastFailure { at responseStatus error } } } }`;
  const healthOf = async (id: string) => (await service.graphql(HEALTH, { id })).body.data.webhookEndpoint.health;

  /** Stores attempts with these outcomes. */
  async function plant(id: string, attempts: readonly { status: number | null; ms: number; hoursAgo: number }[]) {
    await sendTest(service, id);
    await settledDeliveries(service, id, 1);
    await prisma().webhookAttempt.deleteMany({ where: { endpointId: id } });
    const { id: deliveryId, environmentId } = await prisma().webhookDelivery.findFirstOrThrow({
      where: { endpointId: id },
    });
    await prisma().webhookAttempt.createMany({
      data: attempts.map(({ status, ms, hoursAgo }) => ({
        environmentId,
        deliveryId,
        endpointId: id,
        responseStatus: status,
        error: status === 200 ? null : `Failed ${hoursAgo}`,
        durationMs: ms,
        startedAt: new Date(Date.now() - hoursAgo * 3_600_000),
      })),
    });
  }

  it('counts the attempts of the last 24 hours, with the median of those with a response', async () => {
    const id = await endpoint();
    expect(await healthOf(id)).toEqual({
      attemptCount: 0,
      deliveredCount: 0,
      medianDurationMs: null,
      lastFailure: null,
    });
    await plant(id, [
      { status: 200, ms: 10, hoursAgo: 1 },
      { status: 200, ms: 30, hoursAgo: 2 },
      { status: 503, ms: 50, hoursAgo: 3 },
      { status: null, ms: 9_000, hoursAgo: 4 },
      { status: 500, ms: 1, hoursAgo: 25 },
    ]);
    expect(await healthOf(id)).toEqual({
      attemptCount: 4,
      deliveredCount: 2,
      medianDurationMs: 30,
      lastFailure: { at: expect.any(String), responseStatus: 503, error: 'Failed 3' },
    });
  });

  it(`counts at most the latest ${LIMITS.webhookHealthAttempts} attempts`, async () => {
    const id = await endpoint();
    const many = Array.from({ length: LIMITS.webhookHealthAttempts }, () => ({ status: 200, ms: 1, hoursAgo: 1 }));
    await plant(id, [...many, { status: 500, ms: 1, hoursAgo: 2 }]);
    expect(await healthOf(id)).toMatchObject({
      attemptCount: LIMITS.webhookHealthAttempts,
      deliveredCount: LIMITS.webhookHealthAttempts,
      lastFailure: null,
    });
  });
});

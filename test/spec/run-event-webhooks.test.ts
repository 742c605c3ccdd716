import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recoverDeadRuns } from '../../src/domain/agent/recovery/dead-runs.ts';
import { storeOrphanedMessages } from '../../src/domain/agent/recovery/orphaned-messages.ts';
import { CAPABLE, lookup, resume } from '../support/agent-turns.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { busyMs } from '../support/event-loop.ts';
import { makeLegacyRun } from '../support/legacy-run.ts';
import { lifecycleOf } from '../support/lifecycle.ts';
import { type Receiver, signedHeaders, startReceiver } from '../support/receiver.ts';
import { mutationOf, resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';
import { changeEndpoint, createEndpoint, makeEndpoint, makeEvent, readEndpoint } from '../support/webhooks.ts';

/** Without polling, only published events wake the dispatcher. */
const PACE = { retriesMs: [40], timeoutMs: 10_000, pollMs: 600_000 };

let service: TestService;
let receiver: Receiver;
const created: string[] = [];
beforeAll(async () => {
  service = await startService({}, { webhooks: PACE });
});
afterAll(() => service.close());
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const id of created.splice(0)) await changeEndpoint(service, 'deleteWebhookEndpoint', id);
  await receiver.close();
});

async function endpoint(fields: object = {}) {
  const one = await makeEndpoint(service, receiver.url, fields);
  created.push(one.id);
  return one;
}

const act = (field: string, conversationId: string) =>
  service.graphql(mutationOf(field, '{ __typename }'), { input: { conversationId } });

describe('messages of lifecycle events', () => {
  it('reach an endpoint that names their types, at once, signed, with the stored payload', async () => {
    const { secret } = await endpoint({ eventTypes: ['RUN_STARTED', 'RUN_COMPLETED'] });
    await makeEvent(service);
    const { body } = await service.agentTurn('Hello');
    const messages = await receiver.waitForCount(2);
    const stored = await lifecycleOf(service, body.conversation_id);
    expect(messages.map(({ message }) => message)).toEqual(
      stored.map(({ id, type, resource_id, payload, occurred_at }) => ({
        id,
        type,
        timestamp: new Date(occurred_at).toISOString(),
        data: { resource_id, ...payload },
      })),
    );
    for (const one of messages) {
      expect(new Webhook(secret).verify(one.body, signedHeaders(one))).toEqual(one.message);
    }
  });

  it.each([
    ['a pause', 'RUN_WAITING', async () => {}],
    ['a cancellation', 'RUN_FAILED', (id: string) => act('cancelRun', id)],
    ['a stop', 'RUN_INTERRUPTED', (id: string) => act('stopTurn', id)],
    ['a deletion', 'RUN_FAILED', (id: string) => act('deleteConversation', id)],
  ] as const)('are published after %s', async (_what, type, change) => {
    await endpoint({ eventTypes: [type] });
    const { conversation_id: id } = (await service.agentTurn(lookup('c1'), CAPABLE)).body;
    await change(id);
    const [one] = await receiver.waitForCount(1);
    expect(one?.message.data.conversation_id).toBe(id);
  });

  it('are published after an expiry and by recovery', async () => {
    await endpoint({ eventTypes: ['RUN_FAILED'] });
    const legacy = await makeLegacyRun(service, new Date(Date.now() - 1));
    await resume(service, legacy, {});
    await receiver.waitForCount(1);
    const { prisma } = service.service.services.stores;
    const run = await prisma.run.findFirstOrThrow({ where: { conversationId: legacy.conversationId, agent: false } });
    const lost = { leaseOwner: randomUUID(), leaseExpiresAt: new Date(0) };
    await prisma.run.updateMany({ where: { id: run.id }, data: { status: 'running', ...lost } });
    await recoverDeadRuns(service.service.services, [run]);
    await receiver.waitForCount(2);
    const runId = randomUUID();
    const { environmentId, conversationId } = run;
    await prisma.$executeRaw`
      INSERT INTO queued_turn (run_id, environment_id, conversation_id, content, agent, workflow_version, model,
                               request_id, lease_owner, lease_expires_at, created_at)
      VALUES (${runId}::uuid, ${environmentId}::uuid, ${conversationId}::uuid, '[]', true, 1, 'demo', 'r',
              ${randomUUID()}::uuid, ${new Date(0)}, now())`;
    await storeOrphanedMessages(service.service.services, [{ environmentId, id: runId }]);
    const messages = await receiver.waitForCount(3);
    expect(messages.map(({ message }) => message.data.run_id)).toEqual([run.id, run.id, runId]);
  });

  it('do not reach an endpoint without types, which gets all changes of resources as before', async () => {
    await endpoint();
    await service.agentTurn('Hello');
    const id = await makeEvent(service);
    await service.agentTurn('Hello');
    const last = await makeEvent(service);
    const messages = await receiver.waitForCount(2);
    expect(messages.map(({ message }) => [message.type, message.data.resource_id])).toEqual([
      ['resource.created', id],
      ['resource.created', last],
    ]);
  });

  it('arrive at once, without polling', async () => {
    await endpoint({ eventTypes: ['RUN_COMPLETED'] });
    await service.agentTurn('Warm up');
    await receiver.waitForCount(1);
    for (let count = 2; count <= 12; count += 1) {
      await service.agentTurn('Hello');
      await receiver.waitForCount(count);
    }
    const delays = receiver.received.slice(1).map(({ at, message }) => at - Date.parse(message.timestamp));
    expect(delays.sort((a, b) => a - b)[5]).toBeLessThanOrEqual(busyMs(1_000));
  });
});

describe('an endpoint for lifecycle events', () => {
  const FACTS = { facts: { required_scope: 'conversations:read' } };
  const UPDATE = `mutation ($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) {
    __typename ... on UpdateWebhookEndpointPayload { endpoint { eventTypes } } ... on Error { code message path } } }`;

  it('needs conversations:read to be created or changed', async () => {
    const key = await makeKey(service, { scopes: ['webhooks:manage'] });
    const eventTypes = ['RUN_FAILED'];
    expectGraphqlError(await createEndpoint(service, { url: receiver.url, eventTypes }, { key }), 'forbidden', FACTS);
    const { id } = await endpoint({ eventTypes });
    const update = (input: object) => service.graphql(UPDATE, { input: { id, ...input } }, { key });
    expectGraphqlError(await update({ url: `${receiver.url}/other` }), 'forbidden', FACTS);
    expectGraphqlError(await update({ eventTypes: ['TRIGGER_USED'] }), 'forbidden', FACTS);
    const { eventTypes: stored, url } = (await readEndpoint(service, id)).body.data.it;
    expect([stored, url]).toEqual([eventTypes, receiver.url]);
    expect(resultOf(await update({ eventTypes: null })).eventTypes).toBeNull();
  });
});

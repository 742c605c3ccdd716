import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enumNameOf } from '../../src/contract/enum-names.ts';
import { EVENT_TYPES } from '../../src/contract/statuses.ts';
import { expireHandling } from '../../src/domain/agent/handling/expired-handling.ts';
import { connect } from '../support/actions.ts';
import { textContent } from '../support/agent-apis.ts';
import { CAPABLE, lookup } from '../support/agent-turns.ts';
import { DOCUMENT, webhookProblems } from '../support/openapi.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { mutationOf } from '../support/results.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { createTrigger } from '../support/triggers.ts';
import { makeEndpoint, sendTest } from '../support/webhooks.ts';

const TYPES = [...EVENT_TYPES, 'webhook.test'];

describe('the webhooks of openapi.json', () => {
  let service: TestService;
  let receiver: Receiver;
  beforeAll(async () => {
    service = await startService();
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.close();
    await service.close();
  });

  it('are the types of messages that an endpoint receives', () => {
    expect(Object.keys(DOCUMENT.webhooks).sort()).toEqual([...TYPES].sort());
  });

  it('describe the headers and the body of each message', async () => {
    const endpoint = await makeEndpoint(service, receiver.url, { eventTypes: EVENT_TYPES.map(enumNameOf) });
    const { data } = (
      await service.send('POST', '/v1/resources', { body: { type: 'contact', fields: { name: 'Ada', age: 36 } } })
    ).body;
    await service.send('PATCH', `/v1/resources/${data.id}`, {
      body: { fields: { name: 'Augusta Ada', city: 'London' } },
    });
    await service.send('DELETE', `/v1/resources/${data.id}`);
    const id = await connect(service, { kind: 'http', name: 'orders', url: 'http://127.0.0.1:9' });
    await service.graphql(
      'mutation ($id: ID!) { disconnectIntegration(input: { id: $id }) { __typename ... on DisconnectIntegrationPayload { integration { __typename } } ... on Error { code message path } } }',
      { id },
    );
    await sendTest(service, endpoint.id);
    await endRuns(service);
    await handOver(service);
    await reachBudget(service);

    // Five runs start, and three of them are completed.
    const received = await receiver.waitForCount(TYPES.length + 7);
    expect([...new Set(received.map(({ message }) => message.type))].sort()).toEqual([...TYPES].sort());
    for (const { message, headers } of received) {
      expect([message.type, webhookProblems(message)]).toEqual([message.type, []]);
      for (const name of requiredHeaders(message.type)) expect(headers).toHaveProperty(name);
    }
  });
});

/** Four runs, which write every type of lifecycle event. */
async function endRuns(service: TestService): Promise<void> {
  await service.agentTurn('/fail');
  const { body } = await service.agentTurn(lookup('c1'), CAPABLE);
  const variables = { input: { conversationId: body.conversation_id } };
  await service.graphql(mutationOf('stopTurn', '{ __typename }'), variables);
  await service.agentTurn('/complete\n/say bye');
  const { id } = (await createTrigger(service, {})).body;
  await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { body: { trigger_id: id } });
}

/** A person takes a conversation over, its user writes, and it waits for another person. */
async function handOver(service: TestService): Promise<void> {
  const { conversation_id: id } = (await service.agentTurn('Hello')).body;
  const take = () => service.send('POST', `/v1/conversations/${id}/takeover`, { body: {} });
  await take();
  await service.agentTurn('Are you there?', { conversation_id: id });
  await service.service.services.stores.prisma.conversation.updateMany({
    where: { id },
    data: { handlingUntil: new Date(0) },
  });
  await expireHandling(service.service.services);
  await take();
  await service.send('POST', `/v1/conversations/${id}/handback`, { body: { answer: false } });
}

/** A budget that warns with a turn, and then has no room for another one. */
async function reachBudget(service: TestService): Promise<void> {
  const send = () => service.send('POST', `/v1/runner/${DEMO_CHAT_ID}`, { body: { content: textContent('Hello') } });
  const budget = { deployment_id: DEMO_CHAT_ID, period: 'total', tokens: 6_000, warn_at: 0.001 };
  await service.send('PUT', '/v1/budgets', { body: budget });
  await send();
  await service.send('PUT', '/v1/budgets', { body: { ...budget, tokens: 1, warn_at: null } });
  await send();
}

function requiredHeaders(type: string): string[] {
  const { parameters = [] } = (DOCUMENT.webhooks[type]?.post ?? {}) as { parameters?: readonly Header[] };
  return parameters.filter(({ required }) => required).map(({ name }) => name);
}

interface Header {
  readonly name: string;
  readonly required: boolean;
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lookup, pauseTurn, resume } from '../support/agent-turns.ts';
import { graphText } from '../support/graph-content.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { createTrigger, expireTrigger } from '../support/triggers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const send = async (name: string, input: object, error: string, options: object = {}) => {
  const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input`;
  const document = `mutation ($input: ${type}!) { it: ${name}(input: $input) { __typename ... on ${error} } }`;
  const { body } = await service.graphql(document, { input }, options);
  expect(body.errors).toBeUndefined();
  return body.data.it;
};

describe('an error carries its facts', () => {
  it('FileTooLarge: the size and the limit', async () => {
    const sizes = 'FileTooLarge { sizeBytes maxBytes maxTotalBytes }';
    const strict = await makeDeployment(service, {}, { maxFileBytes: 1_000 });
    const file = { name: 'a.txt', mimeType: 'text/plain' };
    const input = { ...file, sizeBytes: 1_001, deploymentId: strict.id };
    expect(await send('createUpload', input, sizes)).toEqual({
      __typename: 'FileTooLarge',
      sizeBytes: 1_001,
      maxBytes: 1_000,
      maxTotalBytes: null,
    });
    await service.service.services.stores.prisma.environment.updateMany({ data: { fileMegabytes: 3 } });
    expect(await send('createUpload', { ...file, sizeBytes: 4_000_000 }, sizes)).toEqual({
      __typename: 'FileTooLarge',
      sizeBytes: 4_000_000,
      maxBytes: null,
      maxTotalBytes: 3 * 1024 * 1024,
    });
  });

  it('ConversationCompleted: the conversation, and when', async () => {
    const { conversation_id: conversationId } = (await service.agentTurn('Hello')).body;
    const completedAt = new Date('2026-01-31T09:30:00.000Z');
    const { prisma } = service.service.services.stores;
    await prisma.conversation.updateMany({ where: { id: conversationId }, data: { status: 'completed', completedAt } });
    const facts = 'ConversationCompleted { conversationId completedAt conversation { status } }';
    const expected = { __typename: 'ConversationCompleted', conversationId, completedAt: completedAt.toISOString() };
    const conversation = { status: 'COMPLETED' };
    const message = { deploymentId: DEMO_AGENT_ID, conversationId, content: graphText('Hello') };
    expect(await send('runAgentTurn', message, facts)).toEqual({ ...expected, conversation });
    const results = { deploymentId: DEMO_AGENT_ID, conversationId, toolResults: [{ callId: 'call_x', output: {} }] };
    expect(await send('resumeAgentTurn', results, facts)).toEqual({ ...expected, conversation });
    const { body } = await service.agentTurn('Hello', { conversation_id: conversationId });
    expect(body.error).toMatchObject({ conversation_id: conversationId, completed_at: completedAt.toISOString() });
  });

  it('ActionResultConflict: the calls with the accepted results', async () => {
    const { body } = await service.agentTurn('Hello');
    const call = await pauseTurn(service, body.conversation_id, lookup('c1'));
    const output = { customer: { id: 'c1' } };
    await resume(service, call, output);
    const input = {
      deploymentId: DEMO_AGENT_ID,
      conversationId: call.conversationId,
      toolResults: [{ callId: call.callId, output: { customer: { id: 'c2' } } }],
    };
    const facts = 'ActionResultConflict { callIds calls { callId status output conversation { conversationId } } }';
    expect(await send('resumeAgentTurn', input, facts)).toEqual({
      __typename: 'ActionResultConflict',
      callIds: [call.callId],
      calls: [
        {
          callId: call.callId,
          status: 'COMPLETED',
          output,
          conversation: { conversationId: call.conversationId },
        },
      ],
    });
  });

  it('TriggerExpired: the trigger, and when', async () => {
    const { id: triggerId } = (await createTrigger(service, {}, DEMO_AGENT_ID)).body;
    await expireTrigger(service, triggerId);
    const { expiresAt } = await service.service.services.stores.prisma.trigger.findFirstOrThrow({
      where: { id: triggerId },
    });
    const facts = 'TriggerExpired { triggerId expiresAt trigger { triggerId expired } }';
    const message = { deploymentId: DEMO_AGENT_ID, triggerId, content: graphText('Hello') };
    expect(await send('runAgentTurn', message, facts)).toEqual({
      __typename: 'TriggerExpired',
      triggerId,
      expiresAt: expiresAt?.toISOString(),
      trigger: { triggerId, expired: true },
    });
  });

  it('shows callers without credentials no conversation and no calls', async () => {
    const { id } = await makeDeployment(service, {}, { kind: 'agent', authRequired: false });
    const path = `/v2/runner/${id}/conversation`;
    const options = { key: null, body: { content: [{ type: 'text', text: 'Hello' }] } };
    const { conversation_id: conversationId } = (await service.send('POST', path, options)).body;
    const { prisma } = service.service.services.stores;
    const data = { status: 'completed', completedAt: new Date() } as const;
    await prisma.conversation.updateMany({ where: { id: conversationId }, data });
    const message = { deploymentId: id, conversationId, content: graphText('Hello') };
    const facts = 'ConversationCompleted { conversationId conversation { name } }';
    expect(await send('runAgentTurn', message, facts, { key: null })).toEqual({
      __typename: 'ConversationCompleted',
      conversationId,
      conversation: null,
    });
  });
});

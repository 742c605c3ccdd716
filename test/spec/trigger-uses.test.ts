import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { graphText } from '../support/graph-content.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { createTrigger, expireTrigger, readTrigger } from '../support/triggers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const start = (body: object, path: string) => service.send('POST', path, { body });

const read = (id: string, deploymentId?: string) => readTrigger(service, id, deploymentId);

async function createdId(fields: object = {}, deploymentId?: string): Promise<string> {
  return (await createTrigger(service, fields, deploymentId)).body.id;
}

const FIRST_USES: readonly [string, string, object][] = [
  ['v1', `/v1/runner/${DEMO_CHAT_ID}/conversation`, {}],
  ['v2', `/v2/runner/${DEMO_CHAT_ID}/conversation`, {}],
  ['the stream', `/v1/runner/${DEMO_CHAT_ID}/conversation/stream`, { accept: 'text/plain' }],
];

describe.each(FIRST_USES)('first use through %s', (_name, path, headers) => {
  const use = (body: object) => service.send('POST', path, { body, headers: { ...headers } });
  const idOf = (response: Awaited<ReturnType<typeof use>>): string =>
    response.body.conversation_id ?? response.headers.get('x-conversation-id');

  it('starts with the stored content, and links the conversation and its log entry', async () => {
    const trigger = await createdId({
      content: textContent('/instructions'),
      variables: { NAME: 'Ann', extra: { a: 1 } },
    });
    const first = await use({ trigger_id: trigger, content: [] });
    expect(first.status).toBe(200);
    const id = idOf(first);
    const messages = await service.send('GET', `/v1/runner/conversation/${id}/messages`);
    const text = messages.body.items.map((item: { content: { text: string }[] }) => item.content[0]?.text);
    expect(text).toEqual(['/instructions', expect.stringContaining('called Ann.')]);
    const linked = (await read(trigger)).body;
    expect(linked).toMatchObject({ conversation_id: id, workflow_log_id: expect.any(Number) });
    const { prisma } = service.service.services.stores;
    const line = await prisma.workflowLog.findFirstOrThrow({ where: { id: linked.workflow_log_id } });
    expect(line).toMatchObject({ conversationId: id, triggerId: trigger });
    const conversation = await prisma.conversation.findFirstOrThrow({ where: { id } });
    expect(conversation.variables).toEqual({ NAME: 'Ann', extra: '{"a":1}' });
  });

  it('lets explicit content and variables override the stored ones, name by name', async () => {
    const trigger = await createdId({ variables: { NAME: 'Ann', OTHER: 'kept' } });
    const first = await use({ trigger_id: trigger, content: textContent('/instructions'), variables: { NAME: 'Bob' } });
    const { prisma } = service.service.services.stores;
    const conversation = await prisma.conversation.findFirstOrThrow({
      where: { id: idOf(first) },
      include: { items: { orderBy: { id: 'asc' } } },
    });
    expect(conversation.variables).toEqual({ NAME: 'Bob', OTHER: 'kept' });
    expect(conversation.items[0]?.content).toEqual(textContent('/instructions'));
  });

  it('is rejected if it was used, has expired, is unknown or belongs to another deployment', async () => {
    const trigger = await createdId();
    const conversation_id = idOf(await use({ trigger_id: trigger }));
    const facts = { conversation_id };
    expectError(await use({ trigger_id: trigger }), 'trigger_already_used', { param: 'trigger_id', facts });
    const late = await createdId();
    await expireTrigger(service, late);
    const expired = { trigger_id: late, expires_at: expect.any(String) };
    expectError(await use({ trigger_id: late }), 'trigger_expired', { param: 'trigger_id', facts: expired });
    expectError(await use({ trigger_id: 'unknown1' }), 'not_found', { param: 'trigger_id' });
    const foreign = await createdId({}, DEMO_AGENT_ID);
    expectError(await use({ trigger_id: foreign }), 'not_found', { param: 'trigger_id' });
  });

  it('may be sent with its own conversation, but with no other', async () => {
    const trigger = await createdId();
    const conversation_id = idOf(await use({ trigger_id: trigger }));
    const content = textContent('More');
    expect((await use({ trigger_id: trigger, conversation_id, content })).status).toBe(200);
    expectError(await use({ trigger_id: trigger, conversation_id }), 'invalid_request', { param: 'content' });
    const mismatch = { param: 'trigger_id' };
    const other = await createdId();
    expectError(await use({ trigger_id: other, conversation_id, content }), 'trigger_conversation_mismatch', mismatch);
  });

  it('validates the body before it looks up the trigger', async () => {
    expectError(await use({ trigger_id: 'unknown1', meta: [] }), 'invalid_request', { param: 'meta' });
    expectError(await use({ trigger_id: 7 }), 'invalid_request', { param: 'trigger_id' });
  });
});

const EMPTY = { content: textContent('Hello'), trigger_id: '' };

describe('an empty trigger_id', () => {
  it.each([
    [`/v1/runner/${DEMO_CHAT_ID}/conversation`, EMPTY],
    [`/v2/runner/${DEMO_AGENT_ID}/conversation`, EMPTY],
    [`/v2/runner/${DEMO_AGENT_ID}/conversation`, { conversation_id: DEMO_CHAT_ID, tool_results: [], trigger_id: '' }],
    [`/v1/runner/${DEMO_CHAT_ID}/conversation/stream`, EMPTY],
    [`/v1/runner/${DEMO_CHAT_ID}`, EMPTY],
    [`/v2/runner/${DEMO_CHAT_ID}`, EMPTY],
    [`/v1/runner/${DEMO_CHAT_ID}/stream`, EMPTY],
  ])('returns 400 from %s', async (path, body) => {
    expectError(await start(body, path), 'invalid_request', { param: 'trigger_id' });
  });

  it.each([
    ['mutation', 'sendMessage', 'SendMessageInput', '{ ... on Error { code message path } }'],
    ['mutation', 'runAgentTurn', 'RunAgentTurnInput', '{ ... on Error { code message path } }'],
    ['mutation', 'runOnce', 'RunOnceInput', '{ ... on Error { code message path } }'],
    ['subscription', 'replyStream', 'SendMessageInput', '{ __typename }'],
    ['subscription', 'oneShotStream', 'RunOnceInput', '{ __typename }'],
  ])('returns 400 from the %s %s', async (kind, field, type, selection) => {
    const document = `${kind} ($input: ${type}!) { ${field}(input: $input) ${selection} }`;
    const variables = { input: { deploymentId: DEMO_AGENT_ID, content: graphText('Hello'), triggerId: '' } };
    if (kind === 'mutation') {
      const response = await service.graphql(document, variables);
      return expectGraphqlError(response, 'invalid_request', { param: 'triggerId' });
    }
    const headers = { accept: 'text/event-stream' };
    const { body } = await service.graphql(document, variables, { headers });
    expect(body).toContain('"code":"INVALID_REQUEST"');
    expect(body).toContain('"param":"triggerId"');
  });
});

describe('the trigger of a resume', () => {
  it('must be the one that started the conversation', async () => {
    const trigger = await createdId({ content: textContent('/ask') }, DEMO_AGENT_ID);
    const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
    const paused = await start({ trigger_id: trigger, client_capabilities: ['ask_user'] }, path);
    expect(paused.body.run_status).toBe('waiting_for_client_action');
    expect((await read(trigger, DEMO_AGENT_ID)).body.workflow_log_id).toEqual(expect.any(Number));
    const { conversation_id } = paused.body;
    const other = await createdId({}, DEMO_AGENT_ID);
    const resume = { conversation_id, tool_results: [{ call_id: 'call_x', output: {} }] };
    expectError(await start({ ...resume, trigger_id: other }, path), 'trigger_conversation_mismatch');
    const facts = { call_ids: ['call_x'] };
    expectError(await start({ ...resume, trigger_id: trigger }, path), 'unknown_call_id', { facts });
  });
});

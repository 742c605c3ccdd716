import { randomUUID } from 'node:crypto';
import { lastAssistantMessageIsCompleteWithToolCalls } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RATE_LIMITS } from '../../src/domain/access/rate-limits.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment, makeKey } from '../support/tenants.ts';
import { callsIn, chatOf, chunksOf, stopChat, textIn, uiPath, userMessage, whenChat } from '../support/ui-chat.ts';
import { errorIn, requestsOf, textOf, type UiRequests } from '../support/ui-requests.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let other: string;
beforeAll(async () => {
  service = await startService({ trustProxy: 1 });
  ({ deploymentId: other } = await publishedWorkflow(workflowsOf(service), {}));
});
afterAll(() => service.close());

const post: UiRequests['post'] = (...args) => requestsOf(service).post(...args);
const say: UiRequests['say'] = (...args) => requestsOf(service).say(...args);
const reconnect: UiRequests['reconnect'] = (...args) => requestsOf(service).reconnect(...args);

describe('a start of a chat', () => {
  it('cannot use a trigger, and is not possible if the workflow requires one', async () => {
    const flows = workflowsOf(service);
    const { deploymentId, workflowId } = await publishedWorkflow(flows, {});
    const trigger = await service.send('POST', `/v1/runner/${deploymentId}/trigger`, {
      body: { content: [{ type: 'text', text: 'Hi' }] },
    });
    const id = randomUUID();
    const start = (fields: object = {}) =>
      post({ id, messages: [userMessage('Hello')], trigger: 'submit-message', ...fields }, { deploymentId });
    const withTrigger = { status: 400, code: 'trigger_conversation_mismatch', param: 'trigger_id' };
    expect(await errorIn(await start({ trigger_id: trigger.body.id }))).toEqual(withTrigger);
    await service.send('POST', `/v1/workflow/${workflowId}/trigger-settings`, { body: { trigger_required: true } });
    expect(await errorIn(await start())).toMatchObject({ code: 'trigger_required', param: 'trigger_id' });
    const started = await service.send('POST', `/v2/runner/${deploymentId}/conversation`, {
      body: { trigger_id: trigger.body.id, content: [{ type: 'text', text: 'Hello' }] },
    });
    expect(started.status).toBe(200);
    // The chat of a page can continue it.
    const continued = await start({ id: started.body.conversation_id });
    expect(textOf(await chunksOf(continued))).toBe('You said: Hello');
  });

  it('ignores labels and variables of the results that continue it', async () => {
    const chat = chatOf(
      service,
      { body: { client_capabilities: ['lookup_customer'], meta: { tier: 'gold' }, variables: { NAME: 'Ann' } } },
      { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls },
    );
    await chat.sendMessage({ text: '/call lookup_customer {"customer_id":"c_7"}\n/say Thank you.' });
    const [call] = callsIn(chat.lastMessage);
    await chat.addToolOutput({
      ...{ state: 'output-error', tool: 'lookup_customer', errorText: 'No access' },
      toolCallId: call?.toolCallId ?? '',
    });
    await whenChat(chat, ({ lastMessage, status }) => status === 'ready' && textIn(lastMessage) === 'Thank you.');
    const { body } = await service.send('GET', `/v2/runner/${DEMO_AGENT_ID}/conversation/${chat.id}/history`);
    expect(body.items.find(({ call_id }: { call_id: string }) => call_id === call?.toolCallId)).toMatchObject({
      output: { error: 'No access' },
    });
  });
});

describe('rejected requests', () => {
  it.each([
    { name: 'a chat ID that is not a UUID', body: { id: 'chat-1' }, param: 'id' },
    {
      name: 'a regeneration without a message of the user',
      body: { trigger: 'regenerate-message', messages: [{ role: 'assistant', parts: [] }] },
      param: 'messages',
    },
    { name: 'no messages', body: { messages: [] }, param: 'messages' },
    { name: 'a message without parts', body: { messages: [{ role: 'user' }] }, param: 'messages' },
    { name: 'messages of another type', body: { messages: 'Hello' }, param: 'messages' },
    {
      name: 'a file without an address',
      body: { messages: [{ role: 'user', parts: [{ type: 'file', mediaType: 'text/plain' }] }] },
      param: 'content[0]',
    },
    {
      name: 'an unknown part',
      body: { messages: [{ role: 'user', parts: [{ type: 'data-x' }] }] },
      param: 'content[0]',
    },
    { name: 'a message without outputs', body: { messages: [{ role: 'assistant', parts: [] }] }, param: 'messages' },
    { name: 'an empty message', body: { messages: [{ role: 'user', parts: [] }] }, param: 'content' },
  ])('gets 400 for $name', async ({ body, param }) => {
    const valid = { id: randomUUID(), messages: [userMessage('Hello')], trigger: 'submit-message' };
    expect(await errorIn(await post({ ...valid, ...body }))).toEqual({ status: 400, code: 'invalid_request', param });
  });

  it('gets 405 for other methods, and 400 for a body that is no object', async () => {
    for (const path of ['', `/${randomUUID()}/stream`, `/${randomUUID()}/stop`]) {
      const { status, headers } = await fetch(`${service.url}${uiPath()}${path}`, { method: 'PUT' });
      expect([status, headers.get('allow')]).toEqual([405, expect.stringContaining('OPTIONS')]);
    }
    const headers = { accept: 'application/json' };
    const list = await service.send('POST', uiPath(), { raw: '[]', headers });
    expect([list.status, list.body.error.code]).toEqual([400, 'invalid_request']);
  });

  it('needs the scopes of its REST paths', async () => {
    const reader = await makeKey(service, { scopes: ['conversations:read'] });
    expect(await errorIn(await say('Hello', { key: reader }))).toMatchObject({ status: 403, code: 'forbidden' });
    const writer = await makeKey(service, { scopes: ['conversations:write'] });
    expect(await errorIn(await reconnect(randomUUID(), { key: writer }))).toMatchObject({ status: 403 });
    // The turn has not run.
    const id = randomUUID();
    expect(await errorIn(await say('Hello', { id, key: writer }))).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await stopChat(service, id)).status).toBe(404);
    expect(await errorIn(await say('Hello', { key: null }))).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  it('hides the conversations of other deployments and environments', async () => {
    const id = randomUUID();
    await chunksOf(await say('Hello', { id }));
    const notFound = { status: 404, code: 'not_found' };
    expect(await errorIn(await say('Hello', { id, deploymentId: other }))).toMatchObject(notFound);
    expect(await errorIn(await say('Hello', { id, key: service.keys.test }))).toMatchObject(notFound);
    expect((await reconnect(id, { deploymentId: other })).status).toBe(204);
    expect(await errorIn(await stopChat(service, id, other))).toMatchObject(notFound);
  });

  it('counts chats that callers without credentials start', async () => {
    const { id: open } = await makeDeployment(service, {}, { kind: 'agent', authRequired: false });
    const headers = { 'x-forwarded-for': '2001:db8:77::1' };
    const start = () => say('Hello', { key: null, deploymentId: open, headers });
    const all = Array.from({ length: RATE_LIMITS.anonymousStarts.points + 1 }, start);
    const rejected = (await Promise.all(all)).filter(({ status }) => status !== 200);
    expect(rejected).toHaveLength(1);
    for (const one of rejected) expect(await errorIn(one)).toMatchObject({ status: 429, code: 'rate_limited' });
  });
});

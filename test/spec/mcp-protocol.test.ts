import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { textContent } from '../support/agent-apis.ts';
import { dictate } from '../support/dictation.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let provided: ProviderService;
let chat: string;
beforeAll(async () => {
  provided = await startProviderService();
  chat = (await makeDeployment(provided.service, {}, { kind: 'chat', onReaderGone: 'continue' })).id;
});
afterAll(() => provided.close());

const key = () => provided.service.keys.live;
const prisma = () => provided.service.service.services.stores.prisma;
const newestRun = () => prisma().run.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
const ask = () => ({ name: 'ask_deployment', arguments: { deployment_id: chat, content: textContent('Hello') } });

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const ACCEPT = { accept: 'application/json, text/event-stream' };
const post = (body: unknown, headers: Record<string, string> = {}, signal: AbortSignal | null = null) =>
  fetch(`${provided.service.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key()}`, 'content-type': 'application/json', ...ACCEPT, ...headers },
    body: JSON.stringify(body),
    signal,
  });

describe('a request to the MCP server', () => {
  it('needs credentials', async () => {
    const response = await post(LIST, { authorization: '' });
    expect([response.status, (await response.json()).error.code]).toEqual([401, 'unauthorized']);
  });

  it.each([
    ['a batch', [LIST, LIST], {}, 400],
    ['another version of the protocol', LIST, { 'mcp-protocol-version': '1999-01-01' }, 400],
    ['no JSON-RPC', { hello: 'world' }, {}, 400],
    ['null', null, {}, 400],
    ['a body that is not JSON', LIST, { 'content-type': 'text/plain' }, 415],
    ['an accepted type that the server does not have', LIST, { accept: 'text/html' }, 406],
  ])('is rejected with %s', async (_case, body, headers, status) => {
    expect((await post(body, headers as Record<string, string>)).status).toBe(status);
  });

  it.each([
    ['id', (text: string) => ({ ...LIST, id: text })],
    ['params.name', (name: string) => ({ ...LIST, method: 'tools/call', params: { name } })],
    ['params._meta.progressToken', (progressToken: string) => ({ ...LIST, params: { _meta: { progressToken } } })],
  ])('has a limit on the length of %s, which the service repeats', async (param, message) => {
    expect((await post(message('x'.repeat(LIMITS.mcpNameLength)))).status).toBe(200);
    const response = await post(message('x'.repeat(LIMITS.mcpNameLength + 1)));
    expect([response.status, (await response.json()).error.data.param]).toEqual([400, param]);
  });

  it.each(['GET', 'DELETE', 'PUT'])('cannot use the method %s', async (method) => {
    const { status, headers } = await fetch(`${provided.service.url}/mcp`, { method });
    expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  it('can be taken by any process: a call needs no earlier request', async () => {
    const response = await post({ ...LIST, method: 'tools/call', params: { name: 'list_resources', arguments: {} } });
    expect(await response.text()).toContain('"structuredContent":{"data":[]');
  });

  it('gets JSON if it accepts no other type', async () => {
    const initialize = {
      ...{ jsonrpc: '2.0', id: 'a', method: 'initialize' },
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    };
    const call = { ...LIST, method: 'tools/call', params: { ...ask(), _meta: { progressToken: 1 } } };
    provided.provider.reply({ kind: 'answer', deltas: ['Good', ' morning'] });
    const json = { accept: 'application/json' };
    for (const [message, expected] of [
      [initialize, { id: 'a', result: { protocolVersion: '2025-11-25' } }],
      [LIST, { id: 1, result: { tools: expect.any(Array) } }],
      [call, { id: 1, result: { structuredContent: { content: 'Good morning' } } }],
      [
        { ...LIST, method: 'unknown' },
        { id: 1, error: { code: -32601 } },
      ],
    ] as const) {
      const response = await post(message, json);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await response.json()).toMatchObject(expected);
    }
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, json)).status).toBe(202);
  });

  it('for JSON runs to its end if the client disconnects', async () => {
    const dictation = dictate(provided.provider);
    const leave = new AbortController();
    const call = { ...LIST, method: 'tools/call', params: ask() };
    const before = await prisma().run.count();
    const gone = post(call, { accept: 'application/json' }, leave.signal);
    await until(async () => (await prisma().run.count()) > before);
    leave.abort();
    await expect(gone).rejects.toThrow();
    dictation.say('To the end');
    dictation.end();
    await until(async () => (await newestRun()).status !== 'running');
    expect(await newestRun()).toMatchObject({ status: 'completed', finishReason: 'stop' });
  });

  it('names an unknown tool in an error of the protocol', async () => {
    const response = await post({ ...LIST, method: 'tools/call', params: { name: 'drop_tables', arguments: {} } });
    expect(await response.text()).toMatch(/"code":-32602.*There is no tool drop_tables/);
  });

  it('writes no argument and no result to the log', async () => {
    await post({ ...LIST, method: 'tools/call', params: { name: 'list_resources', arguments: { type: 'a-secret' } } });
    expect(provided.service.logLines.join('')).not.toContain('a-secret');
  });
});

/** A new client that asks. Resolves when the beginning of the reply has arrived. */
async function begin() {
  const client = await connectMcp(provided.service.url, { key: key() });
  const dictation = dictate(provided.provider);
  const cancel = new AbortController();
  let began = () => {};
  const beginning = new Promise<void>((resolve) => {
    began = resolve;
  });
  const reply = client.callTool(ask(), undefined, { signal: cancel.signal, onprogress: () => began() });
  reply.catch(() => {});
  dictation.say('The beginning');
  await beginning;
  return { client, dictation, cancel, reply };
}

describe('a call that its client cancels', () => {
  it('stops the turn, and the conversation keeps the text so far', async () => {
    const { client, cancel, reply } = await begin();
    cancel.abort('enough');
    await expect(reply).rejects.toThrow('enough');
    await until(async () => (await newestRun()).status !== 'running');
    const { status, finishReason, conversationId } = await newestRun();
    expect([status, finishReason]).toEqual(['interrupted', 'stopped']);
    const read = await callTool(client, 'read_conversation', { conversation_id: conversationId });
    expect(read.items.at(-1).content[0].text).toBe('The beginning');
    await client.close();
  });

  it('does not stop the call of another client with the same key and number', async () => {
    const first = await begin();
    const second = await begin();
    second.cancel.abort('enough');
    await expect(second.reply).rejects.toThrow('enough');
    // Both calls are the second request of their client.
    await until(async () => (await prisma().run.count({ where: { status: 'running' } })) < 2);
    first.dictation.say(' and the end');
    first.dictation.end();
    expect((await first.reply).structuredContent).toMatchObject({ content: 'The beginning and the end' });
    await Promise.all([first.client.close(), second.client.close()]);
  });
});

describe('a call whose client disconnects', () => {
  it.each(['stop', 'continue'] as const)('runs to its end, even if the deployment says %s', async (onReaderGone) => {
    chat = (await makeDeployment(provided.service, {}, { kind: 'chat', onReaderGone })).id;
    const { client, dictation, reply } = await begin();
    await client.close();
    await expect(reply).rejects.toThrow('Connection closed');
    dictation.say(' and the end');
    dictation.end();
    await until(async () => (await newestRun()).status === 'completed');
  });
});

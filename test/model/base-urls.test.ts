import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../src/domain/agent/model-port.ts';
import { createModels } from '../../src/model/models.ts';

const CHAT_REPLY = [
  { choices: [{ index: 0, delta: { content: 'Hi' } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
];

const MESSAGES_REPLY = [
  { type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
];

describe('the base URL of a provider', () => {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request.resume());
    const events: readonly object[] = request.url?.includes('/messages') ? MESSAGES_REPLY : CHAT_REPLY;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.map((data) => `data: ${JSON.stringify(data)}\n\n`).join(''));
  });
  let origin: string;
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  /** Sends a prompt, and returns the request that the provider received. */
  async function requestOf(model: string, base: string): Promise<IncomingMessage | undefined> {
    const provider = { apiKey: 'the-key', baseUrl: origin + base };
    const messages: ModelRequest['messages'] = [{ role: 'user', content: 'Hello' }];
    const request = { model, instructions: '', messages, tools: [], timeoutMs: 30_000 };
    const models = createModels({ openai: provider, anthropic: provider });
    expect(await models.step({ ...request, signal: new AbortController().signal })).toMatchObject({ text: 'Hi' });
    return requests.at(-1);
  }

  it.each([
    ['openai:x', '/v1', '/v1/chat/completions'],
    ['openai:x', '/v1/?a=b&a=c', '/v1/chat/completions?a=b&a=c'],
    ['openai:x', '?a=%20b', '/chat/completions?a=%20b'],
    ['openai-compatible:x', '/deep/path?a=b', '/deep/path/chat/completions?a=b'],
    ['openai-compatible:x', '/v1?', '/v1/chat/completions'],
    ['anthropic:x', '/v1?a=b', '/v1/messages?a=b'],
  ])('of %s keeps its path and query: %s', async (model, base, path) => {
    const request = await requestOf(model, base);
    expect(request?.url).toBe(path);
    expect(request?.headers).not.toHaveProperty('api-key');
  });

  it.each(['openai:x', 'openai-compatible:x'])('of Azure gets the key of %s in its own header too', async (model) => {
    const request = await requestOf(model, '/openai/deployments/x?api-version=2024-10-21');
    expect(request?.url).toBe('/openai/deployments/x/chat/completions?api-version=2024-10-21');
    expect(request?.headers).toMatchObject({ 'api-key': 'the-key', authorization: 'Bearer the-key' });
  });
});

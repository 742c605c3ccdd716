import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { type FakeMcp, type McpRequest, startMcp, textResult } from '../support/mcp-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
const servers: FakeMcp[] = [];
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
afterEach(() => Promise.all(servers.splice(0).map((one) => one.close())));

async function connected(server: FakeMcp) {
  servers.push(server);
  await connect(service, { kind: 'mcp', name: server.url, url: server.url });
  const scripted = await publishScripted(service, workflowsOf(service), {
    mcpServers: [{ name: 'ext', integration: server.url, timeoutSeconds: 5, approval: { mode: 'NEVER' } }],
  });
  return { server, ...scripted };
}

describe('a changed list of tools', () => {
  it('is read again if a call has announced it', async () => {
    const tools: Parameters<typeof startMcp>[0] = {
      a: {
        call:
          (_, { message }) =>
          (response) => {
            response.writeHead(200, { 'content-type': 'text/event-stream' });
            const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
            const result = { jsonrpc: '2.0', id: message?.id, result: { content: [] } };
            response.end([changed, result].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''));
          },
      },
    };
    const growing = { ...tools };
    const { call } = await connected(await startMcp(growing));
    await call('/call ext_a');
    growing.b = { call: () => textResult('b') };
    expect((await call('/call ext_b')).outputs).toEqual([{ content: 'b' }]);
  });

  it.each([
    ['is kept for as long as the server says', 300_000, 1],
    ['is kept for at most five minutes', 10 ** 9, 1],
    ['is kept for some seconds if the server says 0', 0, 1],
  ])('%s', async (_description, ttlMs, lists) => {
    const odd = (result: object) => ({ ...result, ttlMs });
    const { server, call } = await connected(
      await startMcp({ a: { call: () => textResult('a') } }, { isModern: true, odd }),
    );
    await call('/call ext_a');
    await call('/call ext_a');
    expect(server.methods().filter((method) => method === 'tools/list')).toHaveLength(lists);
  });
});

/** Sends the beginning of a stream, and the result when the client asks for the rest. */
function resumable(rest: (message: McpRequest['message']) => string) {
  let message: McpRequest['message'];
  const resumptions: unknown[] = [];
  return {
    resumptions,
    tools: {
      a: {
        call: (_: unknown, request: McpRequest) => {
          message = request.message;
          return (response: ServerResponse) => {
            response.writeHead(200, { 'content-type': 'text/event-stream' });
            response.write('id: 1\nretry: 10\ndata:\n\n', () => response.destroy());
          };
        },
      },
    },
    onGet: ({ headers }: McpRequest) => {
      resumptions.push(headers['last-event-id']);
      return (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(rest(message));
      };
    },
  };
}

describe('the stream of a result', () => {
  it('is resumed after its last event if the connection is lost', async () => {
    const { tools, resumptions, onGet } = resumable((message) => {
      return `id: 2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: message?.id, result: { content: [{ type: 'text', text: 'rest' }] } })}\n\n`;
    });
    const { call } = await connected(await startMcp(tools, { onGet }));
    expect((await call('/call ext_a')).outputs).toEqual([{ content: 'rest' }]);
    expect(resumptions).toEqual(['1']);
  });

  it('is resumed only a few times, and then the call fails', async () => {
    const { tools, resumptions, onGet } = resumable(() => 'id: 2\ndata:\n\n');
    const { call } = await connected(await startMcp(tools, { onGet }));
    expect((await call('/call ext_a')).outputs).toEqual([{ error: expect.stringContaining('could not be reached') }]);
    expect(resumptions).toHaveLength(5);
  });

  it('fails at once if it ends without a result', async () => {
    const tools = {
      a: {
        call: () => (response: ServerResponse) =>
          void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n'),
      },
    };
    const { call } = await connected(await startMcp(tools));
    const startedAt = Date.now();
    expect((await call('/call ext_a')).outputs).toEqual([{ error: expect.stringContaining('could not be reached') }]);
    expect(Date.now() - startedAt).toBeLessThan(5_000);
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { connect, publishScripted } from '../support/actions.ts';
import { leastBlockMs, MOST_BLOCK_MS } from '../support/event-loop.ts';
import { DEEP, type FakeMcp, type FakeTool, jsonOf, startMcp, textResult } from '../support/mcp-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { workflowsOf } from '../support/workflows.ts';

const SECRET = 'Basic dXNlcjpwYXNzd29yZC0x';

let service: TestService;
const servers: FakeMcp[] = [];
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
afterEach(() => Promise.all(servers.splice(0).map((one) => one.close())));

interface Settings {
  readonly options?: Parameters<typeof startMcp>[1];
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

async function connected(tools: Readonly<Record<string, FakeTool>>, { options, headers = [] }: Settings = {}) {
  const server = await startMcp(tools, options);
  servers.push(server);
  await connect(service, { kind: 'mcp', name: server.url, url: server.url, headers });
  const scripted = await publishScripted(service, workflowsOf(service), {
    mcpServers: [{ name: 'ext', integration: server.url, timeoutSeconds: 5, approval: { mode: 'NEVER' } }],
  });
  return { server, ...scripted };
}

const tool = (fields: Omit<FakeTool, 'call'> = {}): FakeTool => ({ ...fields, call: () => textResult('ok') });
/** The text of the result is made before the measurement, because the server shares the process of the service. */
const returning = (fields: object): FakeTool => {
  const result = jsonOf({ content: [], ...fields });
  return {
    call:
      (_input, { message }) =>
      (response) => {
        const body = `{"jsonrpc":"2.0","id":${message?.id},"result":${result}}`;
        response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      },
  };
};

const TOO_MANY_PARTS = 'The response has too many parts or events.';
const TOO_MANY_KEYS = 'The response has too many different keys.';

const TOO_MUCH = 'The response has more than 524,288 bytes without its long texts.';

const parts = (count: number, part: object) => Array(count).fill(part);
const keys = (count: number, prefix = 'k') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 1]));
const objects = (count: number) => Array.from({ length: count }, (_, index) => keys(10, `${index}-`));

/** Responds to a call with events. */
const writing = (text: string): FakeTool => ({
  call: () => (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
  },
});

/** Calls a tool of a server with 20 secrets. */
async function measured(big: FakeTool): Promise<{ readonly error?: string; readonly longestMs: number }> {
  const headers = Array.from({ length: 20 }, (_, index) => ({
    name: `x-secret-${index}`,
    value: `Basic ${Buffer.from(`user-${index}:password-${index}`).toString('base64')}`,
  }));
  const { call, turn } = await connected({ big }, { headers });
  await turn('/say warm');
  let error: string | undefined;
  const longestMs = await leastBlockMs(async () => {
    error = (await call('/call ext_big')).outputs.at(-1).error;
    await pause(1);
  });
  return { longestMs, ...(error !== undefined && { error }) };
}

describe('the tools of a hostile MCP server', () => {
  it.each(['a\0b', 'a\ud800b'])('are not offered under the name %j, which cannot be stored', async (name) => {
    const { call } = await connected({ [name]: tool(), good: tool() });
    expect((await call('/call ext_a_b')).outputs[0].error).toBe('There is no tool ext_a_b. Offered: ext_good.');
  });

  it.each<[string, Omit<FakeTool, 'call'>]>([
    ['NUL characters in its description', { description: 'x\0' }],
    ['a description that is cut within a character', { description: `${'x'.repeat(1_999)}😀` }],
    [
      'unstorable texts in its schema',
      { inputSchema: { type: 'object', properties: { 'a\0': { description: '\ud800' } } } },
    ],
  ])('can be called with %s', async (_description, fields) => {
    const { call } = await connected({ odd: tool(fields) });
    expect((await call('/call ext_odd')).outputs).toEqual([{ content: 'ok' }]);
  });

  it('are not offered with a schema that is too deep to be written, and the process continues', async () => {
    // Node.js would end the process of the service.
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const { call } = await connected({ deep: tool({ inputSchema: { type: 'object', not: DEEP } }), good: tool() });
    expect((await call('/call ext_good')).outputs).toEqual([{ content: 'ok' }]);
    expect((await call('/call ext_deep')).outputs[0].error).toContain('Offered: ext_good.');
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
  });

  it('are listed until a limit of pages, if the pages have no end', async () => {
    const { turn, server } = await connected({ a: tool() }, { options: { isEndless: true } });
    expect(await turn('/say on')).toMatchObject({ status: 200, body: { content: 'on' } });
    expect(server.methods().filter((method) => method === 'tools/list')).toHaveLength(LIMITS.mcpListPages);
  });
});

describe('the results of a hostile MCP server', () => {
  it('make the service answer few requests of the server', async () => {
    const pings = Array.from({ length: 900 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    const events = pings.map((ping) => `data: ${JSON.stringify(ping)}\n\n`).join('');
    const noisy: FakeTool = {
      call:
        (_input, { message }) =>
        (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' }).write(events);
          const result = { jsonrpc: '2.0', id: message?.id, ...textResult('ok') };
          setTimeout(() => response.end(`data: ${JSON.stringify(result)}\n\n`), 500);
        },
    };
    const { call, server } = await connected({ noisy });
    expect((await call('/call ext_noisy')).outputs).toEqual([{ content: 'ok' }]);
    const answers = server.requests.filter(({ message }) => message && !('method' in message));
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.length).toBeLessThanOrEqual(10);
  });

  it('can be too deep to be written', async () => {
    const { call } = await connected({ deep: returning({ structuredContent: { a: DEEP } }) });
    expect(JSON.stringify((await call('/call ext_deep')).outputs)).toContain('nested too deeply');
  });

  it('can have characters that cannot be stored', async () => {
    const { call } = await connected({ odd: { call: () => textResult('a\0b\ud800') } });
    expect((await call('/call ext_odd')).outputs).toEqual([{ content: 'ab\ufffd' }]);
  });

  it.each<[string, object]>([
    ['1,000 parts', { content: parts(1_000, { type: 'text', text: '' }) }],
    ['1,000 parts of no type', { content: parts(1_000, { type: 'x' }) }],
    ['250,000 numbers', { structuredContent: { list: Array(250_000).fill(0) } }],
    ['55,000 texts', { structuredContent: { list: Array(55_000).fill('abcdef') } }],
    ['a long text', { content: [{ type: 'text', text: 'abcdef '.repeat(140_000) }] }],
    ['7 MB of base64', { content: [{ type: 'image', data: 'iVBORw0KGgo='.padStart(7_000_000, 'A') }] }],
    ['7 MB of a long text', { content: [{ type: 'text', text: 'abcdef '.repeat(1_000_000) }] }],
    ['10,000 keys', { structuredContent: keys(9_900) }],
    ['40,000 values of 10 keys', { structuredContent: { list: Array(4_000).fill(keys(10)) } }],
  ])('do not block the event loop with %s and 20 secrets', async (_description, result) => {
    const { error, longestMs } = await measured(returning(result));
    expect(error).toBeUndefined();
    expect(longestMs).toBeLessThan(MOST_BLOCK_MS);
  });

  it.each<[string, object]>([
    ['250,000 numbers', { structuredContent: { list: Array(250_000).fill(0) } }],
    [
      '40,000 values of 10 keys and null as its metadata',
      { structuredContent: { list: Array(4_000).fill(keys(10)) }, _meta: null },
    ],
  ])('do not block the event loop with %s in an event', async (_description, result) => {
    const message = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result: { content: [], ...result } });
    const { error, longestMs } = await measured({
      call:
        (_, { message: request }) =>
        (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${message(request?.id)}\n\n`);
        },
    });
    expect(error).toBeUndefined();
    expect(longestMs).toBeLessThan(MOST_BLOCK_MS);
  });

  it.each<[string, FakeTool, string]>([
    ['40,000 parts', returning({ content: parts(38_000, { type: 'text', text: '' }) }), TOO_MANY_PARTS],
    ['40,000 parts of no type', returning({ content: parts(40_000, { type: 'x' }) }), TOO_MANY_PARTS],
    ['90,000 keys', returning({ structuredContent: keys(90_000) }), TOO_MANY_KEYS],
    ['90,000 keys next to its content', returning(keys(90_000)), TOO_MANY_KEYS],
    ['90,000 keys in 9,000 objects', returning({ structuredContent: { list: objects(9_000) } }), TOO_MANY_KEYS],
    ['1,000,000 numbers', returning({ structuredContent: { list: Array(1_000_000).fill(0) } }), TOO_MUCH],
    ['1,000,000 short texts', returning({ structuredContent: { list: Array(1_000_000).fill('a') } }), TOO_MUCH],
    ['3,000,000 escapes', returning({ content: [{ type: 'text', text: '\n'.repeat(3_000_000) }] }), TOO_MUCH],
    ['100,000 events that are no JSON', writing('data: x\n\n'.repeat(100_000)), TOO_MANY_PARTS],
    ['25,000 messages', writing('data: {"jsonrpc":"2.0","method":"x"}\r\n\r\n'.repeat(25_000)), TOO_MANY_PARTS],
    ['a quote in a comment, and 40,000 messages', writing(`: "\ndata: [${'[],'.repeat(40_000)}1]\n\n`), TOO_MANY_PARTS],
    ['levels before 40,000 messages', writing(`data: [[[[\r\rdata: [${'0,'.repeat(40_000)}1]\r\r`), TOO_MANY_PARTS],
  ])('are refused with %s, without blocking the event loop', async (_description, tool, reason) => {
    const { error, longestMs } = await measured(tool);
    expect(error).toContain(reason);
    expect(longestMs).toBeLessThan(MOST_BLOCK_MS);
  });

  it('never reveal the rest of a secret that begins with another one', async () => {
    const headers = [
      { name: 'x-first', value: 'first-secret' },
      { name: 'x-second', value: 'first-secret-and-more' },
    ];
    const { call } = await connected({ both: { call: () => textResult('first-secret-and-more') } }, { headers });
    expect((await call('/call ext_both')).outputs).toEqual([{ content: '[secret]' }]);
  });

  it('never reveal a secret across the place where a long text is cut', async () => {
    const text = `${'x'.repeat(31_990)}${SECRET}${'y'.repeat(40_000)}`;
    const headers = [{ name: 'x-secret', value: SECRET }];
    const { call } = await connected({ long: { call: () => textResult(text) } }, { headers });
    const [{ content }] = (await call('/call ext_long')).outputs;
    expect(content.slice(-20)).toBe('xxxxxxxxxx[secret]yy');
  });
});

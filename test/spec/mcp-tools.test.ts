import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { busyMs } from '../support/event-loop.ts';
import { closeConnection, type FakeMcp, type FakeTool, startMcp, textResult } from '../support/mcp-server.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { workflowsOf } from '../support/workflows.ts';

const SECRET = 'mcp-secret-value-1';

const CITY = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { city: { type: 'string', pattern: '^[A-Z]' } },
  required: ['city'],
};

const TOOLS: Readonly<Record<string, FakeTool>> = {
  weather: { description: 'Says the weather.', inputSchema: CITY, call: ({ city }) => textResult(`Sunny in ${city}`) },
  'with.dots': { call: () => ({ result: { content: [], structuredContent: { rows: [1, 2] } } }) },
  'large.ids': {
    call: () => {
      const rows = { rows: [{ id: 2 ** 61 }] };
      const text = '{"rows":[{"id":2305843009213693953}]}';
      return { result: { content: [{ type: 'text', text }], structuredContent: rows } };
    },
  },
  echo: { call: (_, { headers }) => textResult(`You sent ${headers['x-token']}`) },
  fails: { call: () => textResult('City not found. Try another spelling.', true) },
  refuses: { call: () => ({ error: { code: -32602, message: 'No such city' } }) },
  breaks: { call: () => ({ error: { code: -32603, message: 'The database is down' } }) },
  hangs: { call: () => () => {} },
  cuts: { call: () => closeConnection },
  huge: { call: () => textResult('x'.repeat(8 * 1024 * 1024)) },
  long: { call: () => textResult('y'.repeat(40_000)) },
  picture: {
    call: () => ({ result: { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] } }),
  },
  'too long a name for a provider, which takes sixty-four characters': { call: () => textResult('long') },
  'a.b': { call: () => textResult('a.b') },
  'a:b': { call: () => textResult('a:b') },
  a_b: { call: () => textResult('a_b') },
  ['n'.repeat(129)]: { call: () => textResult('never') },
};

let service: TestService;
let server: FakeMcp;
const servers: FakeMcp[] = [];
let count = 0;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
afterEach(() => Promise.all(servers.splice(0).map((one) => one.close())));

/** A new server, connected under a unique name, and a workflow that uses it. */
async function startConnected(
  tools: readonly string[] | null = null,
  { timeoutSeconds = 30, ...options }: Parameters<typeof startMcp>[1] & { readonly timeoutSeconds?: number } = {},
) {
  server = await startMcp(TOOLS, options);
  servers.push(server);
  count += 1;
  const name = `Server ${count}`;
  await connect(service, { kind: 'mcp', name, url: server.url, headers: [{ name: 'X-Token', value: SECRET }] });
  return publishScripted(service, workflowsOf(service), {
    mcpServers: [{ name: 'ext', integration: name, tools, timeoutSeconds, approval: { mode: 'NEVER' } }],
  });
}

const outputOf = async (tool: string, input: object = {}, options: Parameters<typeof startConnected>[1] = {}) => {
  const { call } = await startConnected(null, options);
  const { outputs, items } = await call(`/call ext_${tool} ${JSON.stringify(input)}`);
  return { output: outputs[0], item: items[0] };
};

describe('the tools of an MCP server', () => {
  it('work with a server of the official SDK: the one of this service', async () => {
    const headers = [{ name: 'Authorization', value: `Bearer ${service.keys.live}` }];
    await connect(service, { kind: 'mcp', name: 'Itself', url: `${service.url}/mcp`, headers });
    const { call } = await publishScripted(service, workflowsOf(service), {
      mcpServers: [
        {
          name: 'own',
          integration: 'Itself',
          tools: ['create_resource'],
          timeoutSeconds: 10,
          approval: { mode: 'NEVER' },
        },
      ],
    });
    const { outputs } = await call('/call own_create_resource {"type":"made_by_agent","fields":{"open":true}}');
    const { body } = await service.send('GET', '/v1/resources?type=made_by_agent');
    expect(JSON.stringify(outputs[0])).toContain(body.data[0].id);
  });

  it('are offered under its name, and called in a session with the headers of its integration', async () => {
    const { output, item } = await outputOf('weather', { city: 'Oslo' });
    expect(output).toEqual({ content: 'Sunny in Oslo' });
    expect(item).toMatchObject({ type: 'action', name: 'ext_weather', status: 'completed' });
    const listing = ['initialize', 'notifications/initialized', 'tools/list', 'DELETE'];
    expect(server.methods()).toEqual(['server/discover', ...listing, ...listing.with(2, 'tools/call')]);
    for (const { headers } of server.requests) expect(headers['x-token']).toBe(SECRET);
  });

  it('work with a server that responds with event streams and leaves them open', async () => {
    const { call } = await startConnected(null, { events: true });
    expect((await call('/call ext_weather {"city":"Oslo"}')).outputs).toEqual([{ content: 'Sunny in Oslo' }]);
  });

  it('are listed page by page, once a minute', async () => {
    const { call } = await startConnected(null, { pageSize: 3 });
    expect((await call('/call ext_long')).outputs[0].note).toContain('first 32,000 of 40,000');
    await call('/call ext_picture');
    expect(server.methods().filter((method) => method === 'tools/list')).toHaveLength(6);
  });

  it('are offered only if the workflow names them', async () => {
    const { call } = await startConnected(['echo']);
    const { outputs } = await call('/call ext_weather {"city":"Oslo"}');
    expect(outputs[0].error).toBe('There is no tool ext_weather. Offered: ext_echo.');
    expect(server.methods()).not.toContain('tools/call');
  });

  it('return the text of a result whose numbers are not exact', async () => {
    expect((await outputOf('large_ids')).output).toEqual({ content: '{"rows":[{"id":2305843009213693953}]}' });
  });

  it('get a name that every provider accepts, and of which no other tool has the same one', async () => {
    expect((await outputOf('with_dots')).output).toEqual({ content: { rows: [1, 2] } });
    const { error } = (await outputOf('nothing')).output;
    const called = (pattern: RegExp) => error.match(pattern)?.map((name: string) => name.replace('ext_', '')) ?? [];
    const names = called(/ext_a_b\w*/g);
    const outputs = [];
    for (const name of [...names, ...called(/ext_too_long[\w-]+/g)])
      outputs.push((await outputOf(name)).output.content);
    // By name.
    expect(outputs).toEqual(['a_b', 'a.b', 'a:b', 'long']);
    expect(error).not.toContain('nnn');
    expect(service.logLines.join('')).toContain('"left_out":1');
  });

  it('are not called with arguments that fail their schema', async () => {
    const { output } = await outputOf('weather', { town: 'Oslo' });
    expect(output.error).toContain('must have the property city');
    expect(server.methods()).not.toContain('tools/call');
  });

  it('are not called with arguments that fail a pattern of their schema', async () => {
    const { output } = await outputOf('weather', { city: 'oslo' });
    expect(output.error).toContain('/city must match the pattern ^[A-Z]');
    expect(server.methods()).not.toContain('tools/call');
  });

  it.each([
    ['fails', { error: 'The tool failed.', content: 'City not found. Try another spelling.' }],
    ['refuses', { error: expect.stringContaining('arguments are not valid'), content: 'No such city' }],
    ['breaks', { error: 'The MCP server returned an error.', content: 'The database is down' }],
    ['cuts', { error: expect.stringContaining('could not be reached') }],
    ['hangs', { error: 'The address did not respond within 1 s.' }],
    ['huge', { error: 'The response is larger than 8,388,608 bytes.' }],
  ])('report to the model that a call %s, and log nothing of its text', async (tool, results) => {
    const { output, item } = await outputOf(tool, {}, tool === 'hangs' ? { timeoutSeconds: 1 } : {});
    expect(output).toEqual(results);
    expect(service.logLines.join('')).not.toMatch(/No such city|database is down/);
    expect(item?.status).toBe('failed');
  });

  it('describe non-text parts with a note', async () => {
    expect((await outputOf('picture')).output).toEqual({
      content: '[image omitted: image/png, because no model takes its content]',
    });
  });

  it('never reveal a secret that the server repeats', async () => {
    const { output } = await outputOf('echo');
    expect(output).toEqual({ content: 'You sent [secret]' });
    expect(service.logLines.join('')).not.toContain(SECRET);
  });

  it('fail without failing the turn if the server no longer accepts the credentials', async () => {
    const { call } = await startConnected();
    await call('/call ext_echo');
    server.respondWith((response) => response.writeHead(401).end('who are you? internal detail'));
    const { outputs, items } = await call('/call ext_echo');
    expect(outputs).toEqual([{ error: 'The MCP server responded with 401: it rejected the credentials.' }]);
    expect(items[0]?.status).toBe('failed');
  });

  it.each([
    ['answers 401', () => server.respondWith((response) => response.writeHead(401).end())],
    ['answers nonsense', () => server.respondWith((response) => response.writeHead(200).end('<html>'))],
    [
      'redirects to a private address',
      () => server.respondWith((response) => response.writeHead(307, { location: 'http://10.0.0.1/' }).end()),
    ],
    ['is down', async () => void (await servers.pop()?.close())],
    ['hangs', () => server.respondWith(() => {})],
  ])('are not offered while the server %s, and the turn continues without them', async (_description, breakServer) => {
    const { turn } = await startConnected(null, { timeoutSeconds: 1 });
    await breakServer();
    const startedAt = Date.now();
    const { status, body } = await turn('/call ext_weather {"city":"Oslo"}\n/say without');
    expect({ status, content: body.content }).toEqual({ status: 200, content: 'without' });
    expect(Date.now() - startedAt).toBeLessThan(busyMs(8_000));
    expect(service.logLines.join('')).toContain('the tools of an MCP server are not offered');
    // The list is retried only later, so the next turn does not wait.
    const repeated = Date.now();
    expect(await turn('/say at once')).toMatchObject({ status: 200 });
    expect(Date.now() - repeated).toBeLessThan(busyMs(3_000));
  });

  it('are not offered in an environment without a connected integration of that name', async () => {
    const { call } = await startConnected();
    const { outputs } = await call('/call ext_echo', { key: service.keys.test });
    expect(outputs[0].error).toBe('There is no tool ext_echo. No tools are offered.');
    expect(server.requests).toEqual([]);
  });

  it('are no longer called by a resumed run once the workflow has removed them', async () => {
    const flows = workflowsOf(service);
    const { turn, workflowId, deploymentId } = await startConnected();
    const capable = { client_capabilities: ['ask_user'] };
    const publish = async (draft: object) => {
      resultOf(await flows.updateWorkflow({ id: workflowId, input: { draft } }));
      resultOf(await flows.publish({ id: workflowId, deployments: [deploymentId] }));
    };
    await publish({ clientTools: [{ name: 'ask_user', availability: 'ALWAYS' }] });
    const { body } = await turn(
      '/call ask_user {"questions":[{"id":"a","question":"A?","input_type":"text"}]}\n/call ext_echo',
      capable,
    );
    await publish({ mcpServers: [] });
    const [{ call_id }] = body.client_tool_calls;
    const answer = { answers: [{ id: 'a', value: 'yes' }] };
    const resumed = await service.send('POST', `/v2/runner/${deploymentId}/conversation`, {
      body: { conversation_id: body.conversation_id, tool_results: [{ call_id, output: answer }] },
    });
    expect(JSON.parse(resumed.body.content)).toEqual([
      { name: 'ask_user', output: answer },
      { name: 'ext_echo', output: { error: 'This tool is no longer available.' } },
    ]);
    expect(server.methods()).not.toContain('tools/call');
  });
});

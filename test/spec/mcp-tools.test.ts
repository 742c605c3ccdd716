import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect, scripted } from '../support/actions.ts';
import { cut, type FakeMcp, type FakeTool, said, startMcp } from '../support/mcp-server.ts';
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
  weather: { description: 'Says the weather.', inputSchema: CITY, call: ({ city }) => said(`Sunny in ${city}`) },
  'with.dots': { call: () => ({ result: { content: [], structuredContent: { rows: [1, 2] } } }) },
  echo: { call: (_, { headers }) => said(`You sent ${headers['x-token']}`) },
  fails: { call: () => said('City not found. Try another spelling.', true) },
  refuses: { call: () => ({ error: { code: -32602, message: 'internal detail' } }) },
  breaks: { call: () => ({ error: { code: -32603, message: 'internal detail' } }) },
  hangs: { call: () => () => {} },
  cuts: { call: () => cut },
  huge: { call: () => said('x'.repeat(1024 * 1024)) },
  long: { call: () => said('y'.repeat(40_000)) },
  picture: {
    call: () => ({ result: { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] } }),
  },
  'far too long a name for a provider, which takes sixty-four characters': { call: () => said('never') },
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

/** A server of a test's own, connected under a name of its own, and a workflow that uses it. */
async function using(tools: readonly string[] | null = null, options: Parameters<typeof startMcp>[1] = {}) {
  server = await startMcp(TOOLS, options);
  servers.push(server);
  count += 1;
  const name = `Server ${count}`;
  await connect(service, { kind: 'mcp', name, url: server.url, headers: [{ name: 'X-Token', value: SECRET }] });
  return scripted(service, workflowsOf(service), {
    mcpServers: [{ name: 'ext', integration: name, tools, timeoutSeconds: 1 }],
  });
}

const outputOf = async (tool: string, given: object = {}) => {
  const { call } = await using();
  const { outputs, items } = await call(`/call ext_${tool} ${JSON.stringify(given)}`);
  return { output: outputs[0], item: items[0] };
};

describe('tools of an MCP server', () => {
  it('are offered under its name, and called in a session with the headers of its integration', async () => {
    const { output, item } = await outputOf('weather', { city: 'oslo' });
    expect(output).toEqual({ content: 'Sunny in oslo' });
    expect(item).toMatchObject({ type: 'action', name: 'ext_weather', status: 'completed' });
    const listing = ['initialize', 'notifications/initialized', 'tools/list', 'DELETE'];
    expect(server.methods()).toEqual([...listing, ...listing.with(2, 'tools/call')]);
    for (const { headers } of server.asked) expect(headers['x-token']).toBe(SECRET);
  });

  it('work with a server that answers by event streams, and leaves them open', async () => {
    const { call } = await using(null, { events: true });
    expect((await call('/call ext_weather {"city":"Oslo"}')).outputs).toEqual([{ content: 'Sunny in Oslo' }]);
  });

  it('are listed page by page, once a minute', async () => {
    const { call } = await using(null, { pageSize: 3 });
    expect((await call('/call ext_long')).outputs[0].note).toContain('first 32,000 of 40,000');
    await call('/call ext_picture');
    expect(server.methods().filter((method) => method === 'tools/list')).toHaveLength(4);
  });

  it('are offered as far as the workflow names them', async () => {
    const { call } = await using(['echo']);
    const { outputs } = await call('/call ext_weather {"city":"Oslo"}');
    expect(outputs[0].error).toBe('There is no tool ext_weather. Offered: ext_echo.');
    expect(server.methods()).not.toContain('tools/call');
  });

  it('get a name that every provider takes; one that would be too long is left out', async () => {
    expect((await outputOf('with_dots')).output).toEqual({ content: { rows: [1, 2] } });
    expect((await outputOf('nothing')).output.error).not.toContain('far_too_long');
    expect(service.logged.join('')).toContain('"left_out":1');
  });

  it('are not called with arguments that their schema does not take', async () => {
    const { output } = await outputOf('weather', { town: 'Oslo' });
    expect(output.error).toContain("must have required property 'city'");
    expect(server.methods()).not.toContain('tools/call');
  });

  it.each([
    ['fails', { error: 'The tool failed.', content: 'City not found. Try another spelling.' }],
    ['refuses', { error: expect.stringContaining('does not take these arguments') }],
    ['breaks', { error: 'The MCP server answered with an error.' }],
    ['cuts', { error: expect.stringContaining('could not be reached') }],
    ['hangs', { error: 'The address did not answer within 1 s.' }],
    ['huge', { error: 'The answer is larger than 1,048,576 bytes.' }],
  ])('tell the model that a call %s, and nothing internal', async (tool, told) => {
    const { output, item } = await outputOf(tool);
    expect(output).toEqual(told);
    expect(JSON.stringify(output)).not.toContain('internal detail');
    expect(item?.status).toBe('failed');
  });

  it('tell of parts that are no text by a note', async () => {
    expect((await outputOf('picture')).output).toEqual({ content: '[image, left out]' });
  });

  it('never tell a secret that the server repeats', async () => {
    const { output } = await outputOf('echo');
    expect(output).toEqual({ content: 'You sent [secret]' });
    expect(service.logged.join('')).not.toContain(SECRET);
  });

  it('fail, and the turn goes on, where the server no longer takes the credentials', async () => {
    const { call } = await using();
    await call('/call ext_echo');
    server.treat((response) => response.writeHead(401).end('who are you? internal detail'));
    const { outputs, items } = await call('/call ext_echo');
    expect(outputs).toEqual([{ error: 'The MCP server answered 401: it does not take the credentials.' }]);
    expect(items[0]?.status).toBe('failed');
  });

  it.each([
    ['answers 401', () => server.treat((response) => response.writeHead(401).end())],
    ['answers nonsense', () => server.treat((response) => response.writeHead(200).end('<html>'))],
    [
      'redirects to a private address',
      () => server.treat((response) => response.writeHead(307, { location: 'http://10.0.0.1/' }).end()),
    ],
    ['is down', async () => void (await servers.pop()?.close())],
    ['hangs', () => server.treat(() => {})],
  ])('are not offered while the server %s, and the turn goes on without them', async (_what, happen) => {
    const { turn } = await using();
    await happen();
    const startedAt = Date.now();
    const { status, body } = await turn('/call ext_weather {"city":"Oslo"}\n/say without');
    expect({ status, content: body.content }).toEqual({ status: 200, content: 'without' });
    expect(Date.now() - startedAt).toBeLessThan(8_000);
    expect(service.logged.join('')).toContain('the tools of an MCP server are not offered');
    // Asked for again only after a while: the next turn does not wait.
    const again = Date.now();
    expect(await turn('/say at once')).toMatchObject({ status: 200 });
    expect(Date.now() - again).toBeLessThan(3_000);
  });

  it('are not offered in an environment where no such integration is connected', async () => {
    const { call } = await using();
    const { outputs } = await call('/call ext_echo', { key: service.keys.test });
    expect(outputs[0].error).toBe('There is no tool ext_echo. No tools are offered.');
    expect(server.asked).toEqual([]);
  });

  it('are no longer called by a resumed run once the workflow has them no more', async () => {
    const flows = workflowsOf(service);
    const { turn, workflowId, deploymentId } = await using();
    const capable = { client_capabilities: ['ask_user'] };
    await flows.updateWorkflow({
      id: workflowId,
      input: { draft: { clientTools: [{ name: 'ask_user', availability: 'always' }] } },
    });
    await flows.publish({ id: workflowId, deployments: [deploymentId] });
    const { body } = await turn(
      '/call ask_user {"questions":[{"id":"a","question":"A?","input_type":"text"}]}\n/call ext_echo',
      capable,
    );
    await flows.updateWorkflow({ id: workflowId, input: { draft: { mcpServers: [] } } });
    await flows.publish({ id: workflowId, deployments: [deploymentId] });
    const [{ call_id }] = body.client_tool_calls;
    const resumed = await service.send('POST', `/v2/runner/${deploymentId}/conversation`, {
      body: {
        conversation_id: body.conversation_id,
        tool_results: [{ call_id, output: { answers: [{ id: 'a', value: 'yes' }] } }],
      },
    });
    expect(resumed.body.content).toContain('This tool is no longer offered.');
    expect(server.methods()).not.toContain('tools/call');
  });
});

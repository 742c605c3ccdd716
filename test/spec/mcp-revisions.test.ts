import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { type FakeMcp, type McpRequest, startMcp, textResult } from '../support/mcp-server.ts';
import { type OfficialServer, startModernServer, startOldServer } from '../support/official-mcp-servers.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
const servers: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
afterEach(() => Promise.all(servers.splice(0).map((one) => one.close())));

async function connected<Server extends OfficialServer | FakeMcp>(server: Server, draft: object = {}) {
  servers.push(server);
  await connect(service, { kind: 'mcp', name: server.url, url: server.url });
  const scripted = await publishScripted(service, workflowsOf(service), {
    mcpServers: [{ name: 'ext', integration: server.url, timeoutSeconds: 5, approval: { mode: 'NEVER' } }],
    ...draft,
  });
  return { server, ...scripted };
}

const WEATHER = '/call ext_weather {"city":"Oslo"}';
const SUNNY = { content: { sky: 'clear', city: 'Oslo' } };

describe('a server of the revision 2026-07-28', () => {
  it('gets one question for its revision, and no handshake for a call', async () => {
    const { server, call } = await connected(await startModernServer());
    expect((await call(`${WEATHER}\n${WEATHER}`)).outputs).toEqual([SUNNY, SUNNY]);
    expect((await call(WEATHER)).outputs).toEqual([SUNNY]);
    expect(server.requests).toEqual(['server/discover', 'tools/list', ...Array(3).fill('tools/call')]);
  });

  it('gets another question after it was replaced by a server of an earlier revision', async () => {
    const tools = { a: { call: () => textResult('a') } };
    const state = { isModern: true };
    const { server, call } = await connected(await startMcp(tools, state));
    expect((await call('/call ext_a')).outputs).toEqual([{ content: 'a' }]);
    state.isModern = false;
    expect((await call('/call ext_a')).outputs).toEqual([{ content: 'a' }]);
    expect(server.methods().slice(3)).toEqual([
      ...['tools/call', 'server/discover', 'initialize', 'notifications/initialized', 'tools/call', 'DELETE'],
    ]);
  });
});

describe('a tool of the revision 2026-07-28 that has no result yet', () => {
  const asking = (rounds: number, fields: object) => {
    const states: unknown[] = [];
    const call = (_: unknown, { message }: McpRequest) => {
      states.push(message?.params?.requestState);
      return states.length > rounds ? textResult('done') : { result: { resultType: 'input_required', ...fields } };
    };
    return { states, tools: { a: { call } } };
  };

  it('is called again with its state', async () => {
    const { states, tools } = asking(2, { requestState: 'so far' });
    const { call } = await connected(await startMcp(tools, { isModern: true }));
    expect((await call('/call ext_a')).outputs).toEqual([{ content: 'done' }]);
    expect(states).toEqual([undefined, 'so far', 'so far']);
  });

  it('is called only a few times', async () => {
    const { states, tools } = asking(100, { requestState: 'so far' });
    const { call } = await connected(await startMcp(tools, { isModern: true }));
    expect((await call('/call ext_a')).outputs).toEqual([{ error: expect.any(String) }]);
    expect(states.length).toBeLessThanOrEqual(5);
  });

  it('fails if it asks its user', async () => {
    const schema = { type: 'object', properties: { sure: { type: 'boolean' } } };
    const params = { mode: 'form', message: 'Sure?', requestedSchema: schema };
    const { tools } = asking(1, { inputRequests: { sure: { method: 'elicitation/create', params } } });
    const { call } = await connected(await startMcp(tools, { isModern: true }));
    expect((await call('/call ext_a')).outputs).toEqual([
      { error: 'The tool asks its user for input, which the service does not support.' },
    ]);
  });
});

describe('a server of an earlier revision', () => {
  it('gets one question for its revision, and a session for each call', async () => {
    const { server, call } = await connected(await startOldServer());
    expect((await call(`${WEATHER}\n${WEATHER}`)).outputs).toEqual([SUNNY, SUNNY]);
    const session = (method: string) => ['initialize', 'notifications/initialized', method, 'DELETE'];
    expect(server.requests.toSorted()).toEqual(
      ['server/discover', ...session('tools/list'), ...session('tools/call'), ...session('tools/call')].toSorted(),
    );
  });

  it('gets another question after it was replaced by a server of the revision 2026-07-28', async () => {
    const state = { isModern: false };
    const statusOf = ({ message }: McpRequest) =>
      state.isModern && message?.method === 'initialize' ? 400 : undefined;
    const { call } = await connected(
      await startMcp({ a: { call: () => textResult('a') } }, Object.assign(state, { statusOf })),
    );
    expect((await call('/call ext_a')).outputs).toEqual([{ content: 'a' }]);
    state.isModern = true;
    expect((await call('/call ext_a')).outputs).toEqual([{ content: 'a' }]);
  });

  it.each<[string, (request: McpRequest) => number | undefined]>([
    [
      'fails at the question for its revision',
      ({ message }) => (message?.method === 'server/discover' ? 500 : undefined),
    ],
    [
      'has a wrong response to the question',
      ({ message }) => (message?.method === 'server/discover' ? 200 : undefined),
    ],
  ])('is called if it %s', async (_description, statusOf) => {
    const { call } = await connected(await startMcp({ a: { call: () => textResult('a') } }, { statusOf }));
    expect((await call('/call ext_a')).outputs).toEqual([{ content: 'a' }]);
  });

  it('is called again once if it has lost the session', async () => {
    let calls = 0;
    const statusOf = ({ message }: McpRequest) => {
      if (message?.method === 'tools/call') calls += 1;
      return message?.method === 'tools/call' && calls === 1 ? 404 : undefined;
    };
    const { call } = await connected(await startMcp({ a: { call: () => textResult('a') } }, { statusOf }));
    expect((await call('/call ext_a')).outputs).toEqual([{ content: 'a' }]);
    expect(calls).toBe(2);
  });

  it.each([400, 500])('is not called again if it responds to a call with %d', async (status) => {
    const statusOf = ({ message }: McpRequest) => (message?.method === 'tools/call' ? status : undefined);
    const { server, call } = await connected(await startMcp({ a: { call: () => textResult('a') } }, { statusOf }));
    expect((await call('/call ext_a')).outputs).toEqual([{ error: `The MCP server responded with ${status}.` }]);
    expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  it('is not called a third time if it loses the session again', async () => {
    const statusOf = ({ message }: McpRequest) => (message?.method === 'tools/call' ? 404 : undefined);
    const { server, call } = await connected(await startMcp({ a: { call: () => textResult('a') } }, { statusOf }));
    expect((await call('/call ext_a')).outputs).toEqual([{ error: 'The MCP server responded with 404.' }]);
    expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(2);
  });
});

describe.each([
  ['2026-07-28', false, startModernServer],
  ['2025-11-25', true, startOldServer],
] as const)('a call of a server of the revision %s', (_revision, isOld, start) => {
  it('is cancelled at the server if its turn stops', async () => {
    const { server, turn, deploymentId } = await connected(await start());
    const stopped = turn('/call ext_wait');
    await until(async () => server.waiting.begun === 1);
    const { data } = (
      await service.graphql(
        'query ($id: ID!) { conversations(first: 1, filter: { deploymentId: $id }) { nodes { conversationId } } }',
        { id: deploymentId },
      )
    ).body;
    const [{ conversationId }] = data.conversations.nodes;
    await service.graphql('mutation ($id: ID!) { stopTurn(input: { conversationId: $id }) { __typename } }', {
      id: conversationId,
    });
    await stopped;
    await until(async () => server.waiting.cancelled === 1);
    expect(server.requests.includes('notifications/cancelled')).toBe(isOld);
  });

  it('is cancelled at the server if it takes too long', async () => {
    const server = await start();
    const { call } = await connected(server, {
      mcpServers: [{ name: 'ext', integration: server.url, timeoutSeconds: 1, approval: { mode: 'NEVER' } }],
    });
    expect((await call('/call ext_wait')).outputs).toEqual([{ error: 'The address did not respond within 1 s.' }]);
    await until(async () => server.waiting.cancelled === 1);
  });
});

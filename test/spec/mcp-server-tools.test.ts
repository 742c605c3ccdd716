import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { connect, publishScripted } from '../support/actions.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { type FakeMcp, type FakeTool, startMcp, textResult } from '../support/mcp-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
const servers: FakeMcp[] = [];
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
afterEach(() => Promise.all(servers.splice(0).map((one) => one.close())));

async function connected(tools: Readonly<Record<string, FakeTool>>, options: Parameters<typeof startMcp>[1] = {}) {
  const server = await startMcp(tools, options);
  servers.push(server);
  const id = await connect(service, { kind: 'mcp', name: server.url, url: server.url });
  return { server, id };
}

const QUERY = `query ($id: ID!) { integration(id: $id) {
  mcpTools { tools { name readOnly } leftOutTools { name reason } problem } lastError lastErrorAt } }`;
const read = async (id: string) => (await service.graphql(QUERY, { id })).body.data.integration;

const tool = (fields: object = {}): FakeTool => ({ fields, call: () => textResult('ok') });

describe('the tools of an integration', () => {
  it('are those that workflows can use, and the others with the reason', async () => {
    const long = 'n'.repeat(LIMITS.mcpToolNameLength + 1);
    const { id } = await connected({
      look: tool({ annotations: { readOnlyHint: true } }),
      'a.b': tool(),
      nameless: tool({ name: null }),
      twice: tool({ name: 'look' }),
      [long]: tool(),
      'a\0b': tool(),
      large: tool({ inputSchema: { description: 'x'.repeat(LIMITS.schemaBytes) } }),
    });
    expect(await read(id)).toEqual({
      mcpTools: {
        tools: [
          { name: 'look', readOnly: true },
          { name: 'a.b', readOnly: false },
        ],
        leftOutTools: [
          { name: '#3', reason: 'It has no name.' },
          { name: 'look', reason: 'An earlier tool has the same name.' },
          { name: long.slice(1), reason: 'Its name has more than 128 characters.' },
          { name: 'ab', reason: 'Its name has characters that cannot be stored.' },
          { name: 'large', reason: expect.stringMatching(/^Its input schema must .*\.$/) },
        ],
        problem: null,
      },
      lastError: null,
      lastErrorAt: null,
    });
  });

  it('name a schema that demands headers which the protocol does not allow', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } };
    const { id } = await connected({ odd: tool({ inputSchema }) }, { isModern: true });
    const [{ reason }] = (await read(id)).mcpTools.leftOutTools;
    expect(reason).toContain('headers that the protocol does not allow');
  });

  it('say that the list has no end', async () => {
    const { id } = await connected({ a: tool() }, { isEndless: true });
    expect((await read(id)).mcpTools.problem).toBe('The server has more tools than the service reads.');
  });

  it('are null for an HTTP API and after a disconnection', async () => {
    const api = await connect(service, { kind: 'http', name: 'API', url: 'http://127.0.0.1:9' });
    expect((await read(api)).mcpTools).toBeNull();
    const { id, server } = await connected({ a: tool() });
    await service.graphql('mutation ($id: ID!) { disconnectIntegration(input: { id: $id }) { __typename } }', { id });
    expect((await read(id)).mcpTools).toBeNull();
    expect(server.requests).toEqual([]);
  });

  it('need the scope integrations:manage', async () => {
    const { id } = await connected({ a: tool() });
    const key = await makeKey(service, { scopes: ['resources:read'] });
    const response = await service.graphql(QUERY, { id }, { key });
    expectGraphqlError(response, 'forbidden', { facts: { required_scope: 'integrations:manage' } });
  });

  it('cannot be read for every integration at once, because each is a request to another server', async () => {
    const page = '{ integrations(first: 100) { nodes { mcpTools { problem } } } }';
    expectGraphqlError(await service.graphql(page), 'invalid_request');
  });
});

describe('the last error of an integration', () => {
  it('is that of a list, without the text of the server', async () => {
    const { id, server } = await connected({ a: tool() });
    server.respondWith((response) => response.writeHead(503).end('internal detail'));
    const before = Date.now();
    const { mcpTools } = await read(id);
    const { lastError, lastErrorAt } = await read(id);
    expect([mcpTools.problem, lastError]).toEqual(Array(2).fill('The MCP server responded with 503.'));
    expect(Date.parse(lastErrorAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(lastErrorAt)).toBeLessThanOrEqual(Date.now());
  });

  it('is that of a call', async () => {
    const failing: FakeTool = { call: () => ({ error: { code: -32603, message: 'internal detail' } }) };
    const { id, server } = await connected({ failing });
    const { call } = await publishScripted(service, workflowsOf(service), {
      mcpServers: [{ name: 'ext', integration: server.url, approval: { mode: 'NEVER' } }],
    });
    await call('/call ext_failing');
    expect((await read(id)).lastError).toBe('The MCP server returned an error.');
  });

  it('is written at most once a minute while it repeats', async () => {
    const { id, server } = await connected({ a: tool() });
    server.respondWith((response) => response.writeHead(503).end());
    await read(id);
    const { lastErrorAt } = await read(id);
    expect((await read(id)).lastErrorAt).toBe(lastErrorAt);
  });
});

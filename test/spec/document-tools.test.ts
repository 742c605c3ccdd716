import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/scopes.ts';
import { MCP_TOOLS } from '../../src/contract/tool-names.ts';
import { publish, unpublish } from '../support/documents.ts';
import { endUserToken } from '../support/end-users.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';

const TRIGGER = `mutation ($input: CreateTriggerInput!) {
  createTrigger(input: $input) { ... on CreateTriggerPayload { trigger { triggerId } } } }`;

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await publish(
    service,
    'notes_of_type',
    '"Counts the notes." query ($type: String!, $pageSize: Int = 5) @rest(get: "/v1/x/notes_of_type/{type}") { resources(first: $pageSize, filter: { type: $type }) { totalCount } }',
  );
  await publish(
    service,
    'add_note',
    `mutation ($input: CreateResourceInput!) @tool(title: "Add", destructive: false) {
    createResource(input: $input) { ... on CreateResourcePayload { resource { type } } } }`,
  );
  await publish(
    service,
    'drop_note',
    'mutation ($id: ID!) @rest(delete: "/v1/x/drop_note/{id}", status: 204) { deleteResource(input: { id: $id }) { __typename } }',
  );
});
afterAll(() => service.close());

const tools = async (key: string) => {
  const client = await connectMcp(service.url, { key });
  return new Map((await client.listTools()).tools.map((tool) => [tool.name, tool]));
};

describe('the tools of published documents', () => {
  it('have the schemas, annotations and description of the document', async () => {
    const all = await tools(service.keys.live);
    expect(all.get('notes_of_type')).toMatchObject({
      title: 'Notes of type',
      description: 'Counts the notes.',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      inputSchema: {
        properties: { type: { type: 'string' }, pageSize: { type: 'integer', default: 5 } },
        required: ['type'],
      },
      outputSchema: { properties: { resources: { properties: { totalCount: { type: 'integer' } } } } },
    });
    const hints = { readOnlyHint: false, idempotentHint: false, openWorldHint: false };
    expect(all.get('add_note')?.annotations).toEqual({ ...hints, destructiveHint: false });
    expect(all.get('drop_note')?.annotations).toEqual({ ...hints, destructiveHint: true, idempotentHint: true });
  });

  it('are called with the variables of the document', async () => {
    const client = await connectMcp(service.url, { key: service.keys.live });
    const added = await callTool(client, 'add_note', { input: { type: 'memo', fields: {} } });
    expect(added).toEqual({ createResource: { resource: { type: 'memo' } } });
    expect(await callTool(client, 'notes_of_type', { type: 'memo', pageSize: 1 })).toEqual({
      resources: { totalCount: 1 },
    });
    const unknown = await callTool(client, 'notes_of_type', { type: 'memo', other: 1 });
    expect(unknown.error).toMatchObject({ code: 'invalid_request', param: 'other' });
    const { body } = await service.send('POST', '/v1/resources', { body: { type: 'memo', fields: {} } });
    expect(await callTool(client, 'drop_note', { id: body.data.id })).toEqual({});
    expect((await callTool(client, 'drop_note', { id: body.data.id })).error).toMatchObject({ code: 'not_found' });
  });

  it('replay the response to an idempotency key', async () => {
    const client = await connectMcp(service.url, { key: service.keys.live });
    const args = { input: { type: 'once', fields: {} }, idempotency_key: 'the-key-of-this-test' };
    await callTool(client, 'add_note', args);
    await callTool(client, 'add_note', args);
    expect(await callTool(client, 'notes_of_type', { type: 'once' })).toEqual({ resources: { totalCount: 1 } });
  });

  it('are listed only for callers with their scopes, and unknown in other environments', async () => {
    const reader = await makeKey(service, { scopes: ['resources:read'] });
    const visible = await tools(reader);
    expect([visible.has('notes_of_type'), visible.has('add_note')]).toEqual([true, false]);
    const client = await connectMcp(service.url, { key: reader });
    const refused = await callTool(client, 'add_note', { input: { type: 'Not valid', fields: {} } });
    expect(refused.error).toMatchObject({ code: 'forbidden', required_scope: 'resources:write' });
    expect((await tools(service.keys.test)).has('notes_of_type')).toBe(false);
    const other = await connectMcp(service.url, { key: service.keys.test });
    await expect(callTool(other, 'notes_of_type', { type: 'memo' })).rejects.toThrow('There is no tool');
  });

  it('are listed for a bound key and an end user only if they can use every root field', async () => {
    const published = [
      await publish(service, 'chats_count', '{ conversations { totalCount } }'),
      await publish(service, 'chats_and_resources', '{ conversations { totalCount } resources { totalCount } }'),
      await publish(service, 'chat_trigger', TRIGGER),
    ];
    const names = published.map(({ name }) => name);
    const listed = async (key: string) => {
      const all = await tools(key);
      return [...names, ...MCP_TOOLS].filter((name) => all.has(name));
    };
    const deploymentIds = [DEMO_AGENT_ID];
    const bound = await makeKey(service, { scopes: SCOPES, deploymentIds });
    const endUser = await endUserToken(service, DEMO_AGENT_ID, 'ann');
    const ofConversations = ['ask_deployment', 'read_conversation', 'resume_conversation', 'search_conversations'];
    expect(await listed(bound)).toEqual(['chats_count', 'chat_trigger', ...ofConversations]);
    expect(await listed(endUser)).toEqual(['chats_count', ...ofConversations]);
    expect(await listed(service.keys.live)).toEqual([...names, ...MCP_TOOLS]);
    const client = await connectMcp(service.url, { key: bound });
    expect(await callTool(client, 'chats_count', {})).toEqual({ conversations: { totalCount: 0 } });
    expect((await callTool(client, 'chats_and_resources', {})).error).toMatchObject({ code: 'forbidden' });
    for (const { documentId } of published) await unpublish(service, documentId);
  });

  it('are unknown after the document is unpublished', async () => {
    const { documentId } = await publish(service, 'passing', '{ resources { totalCount } }');
    expect((await tools(service.keys.live)).has('passing')).toBe(true);
    await unpublish(service, documentId);
    expect((await tools(service.keys.live)).has('passing')).toBe(false);
  });

  it('are listed in pages if their schemas are long', async () => {
    const field = (name: string) =>
      `${name}: resources { nodes { id resourceId type createdAt updatedAt environment { id kind } } }`;
    const text = `{ ${Array.from({ length: 60 }, (_, index) => field(`a${index}`)).join(' ')} }`;
    const names = Array.from({ length: 6 }, (_, index) => `long_${String.fromCharCode(97 + index)}`);
    const published = [];
    for (const name of names) published.push(await publish(service, name, text));
    const listed: string[] = [];
    let pages = 0;
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const result = await service.send('POST', '/mcp', {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params },
        headers: { accept: 'application/json, text/event-stream' },
      });
      const page = JSON.parse(/^data: (.*)$/m.exec(String(result.body))?.[1] ?? '{}').result;
      listed.push(...page.tools.map(({ name }: { readonly name: string }) => name));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(pages).toBeGreaterThan(1);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toEqual(expect.arrayContaining([...names, 'add_note', ...MCP_TOOLS]));
    for (const { documentId } of published) await unpublish(service, documentId);
  });

  it('cannot have the name of a tool of the service', async () => {
    // This environment has no documents.
    expect([...(await tools(service.keys.test)).keys()].sort()).toEqual(MCP_TOOLS);
  });
});

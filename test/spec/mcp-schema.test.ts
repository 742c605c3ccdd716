import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { publicSchema } from '../../src/graphql/schema/schema.ts';
import { leastBlockMs, MOST_BLOCK_MS } from '../support/event-loop.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';

const OWN_TOOLS = ['search_schema', 'read_type', 'check_document', 'run_query'];

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await connectMcp(service.url, { key: service.keys.live });
});
afterAll(async () => {
  await client.close();
  await service.close();
});

const coordinates = async (words: string) =>
  (await callTool(client, 'search_schema', { words })).members.map(
    ({ coordinate }: { coordinate: string }) => coordinate,
  ) as string[];

const createResource = async (fields: object, key = service.keys.live) => {
  const { body } = await service.send('POST', '/v1/resources', { key, body: { type: 'ticket', fields } });
  return body.data.id as string;
};

describe('search_schema', () => {
  it.each([
    ['list conversations', 'Query.conversations'],
    ['delete workflows', 'Mutation.deleteWorkflow'],
    ['resource etag', 'Resource.etag'],
    ['ConversationStatus', 'ConversationStatus'],
  ])('finds by the words %j the member %s', async (words, coordinate) => {
    expect((await coordinates(words)).slice(0, 8)).toContain(coordinate);
  });

  it('returns one short line for each member, and the number of all', async () => {
    const { members, total } = await callTool(client, 'search_schema', { words: 'conversation' });
    expect(members).toHaveLength(LIMITS.schemaSearchResults);
    expect(total).toBeGreaterThan(members.length);
    for (const { line } of members) expect(line.length).toBeLessThan(250);
    expect(JSON.stringify(members).length).toBeLessThan(6_000);
  });

  it('shows nothing of the internal schema', async () => {
    // Only REST uses this field.
    expect(await coordinates('conversationPage')).not.toContain('Query.conversationPage');
    expect(await callTool(client, 'search_schema', { words: 'zzzz' })).toEqual({ members: [], total: 0 });
  });
});

describe('read_type', () => {
  it('returns the SDL of a type with the scopes of its fields', async () => {
    const { sdl, pages } = await callTool(client, 'read_type', { name: 'Resource' });
    expect(pages).toBe(1);
    expect(sdl).toContain('type Resource implements Node');
    expect(parse(sdl).definitions).toHaveLength(1);
    const { sdl: query } = await callTool(client, 'read_type', { name: 'Query' });
    expect(query).toContain('@requiresScopes(scopes: [');
  });

  it('splits a large type into pages that have all its fields', async () => {
    const fields: string[] = [];
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const text = await callTool(client, 'read_type', { name: 'Mutation', page });
      ({ pages } = text);
      expect(text.sdl.length).toBeLessThan(2 * LIMITS.schemaPageLength);
      const [type] = parse(text.sdl).definitions;
      fields.push(...((type as { fields?: { name: { value: string } }[] }).fields ?? []).map(({ name }) => name.value));
    }
    expect(fields).toEqual(Object.keys(publicSchema.getMutationType()?.getFields() ?? {}));
  });

  it.each([
    [{ name: 'Nothing' }, 'name'],
    [{ name: 'Query', page: 100 }, 'page'],
  ])('has no text for %j', async (args, param) => {
    const { error } = await callTool(client, 'read_type', args);
    expect([error.code, error.param]).toEqual(['not_found', param]);
  });
});

describe('check_document', () => {
  it('returns the root fields, the scopes and the cost of a valid document', async () => {
    const document =
      'query ($first: Int) { resources(first: $first) { nodes { resourceId } } deployments { totalCount } }';
    expect(await callTool(client, 'check_document', { document })).toEqual({
      ...{ problems: [], kind: 'query', root_fields: ['resources', 'deployments'] },
      scopes: ['resources:read', 'workflows:read'],
      max_cost: expect.any(Number),
      cost_limit: 20_000,
    });
  });

  it.each([
    ['{ resources { nodes { nothing } } }', 1, 23],
    ['{\n  unknown\n}', 2, 3],
    ['{ a', 1, 4],
    ['subscription { auditFollowed { action } }', 1, 1],
  ])('returns the problems of %j with their places', async (document, line, column) => {
    const { problems } = await callTool(client, 'check_document', { document });
    expect(problems[0]).toMatchObject({ message: expect.any(String), line, column });
  });

  it('counts with the other checks of the environment', async () => {
    const own = await startService();
    const checking = await connectMcp(own.url, { key: own.keys.live });
    const codes = [];
    for (let calls = 0; calls < 125; calls += 1) {
      codes.push((await callTool(checking, 'check_document', { document: '{ a' })).error?.code);
    }
    expect(codes.filter((code) => code === undefined)).toHaveLength(120);
    expect(codes.at(-1)).toBe('rate_limited');
    await checking.close();
    await own.close();
  });
});

describe('run_query', () => {
  it('returns the data of a query with variables', async () => {
    const id = await createResource({ open: true });
    const query = 'query ($id: ID!) { resource(id: $id) { resourceId fields } }';
    expect(await callTool(client, 'run_query', { query, variables: { id } })).toEqual({
      data: { resource: { resourceId: id, fields: { open: true } } },
    });
  });

  it('sees only the environment of the key', async () => {
    const id = await createResource({}, service.keys.test);
    const query = 'query ($id: ID!) { resource(id: $id) { resourceId } }';
    expect(await callTool(client, 'run_query', { query, variables: { id } })).toEqual({ data: { resource: null } });
  });

  it('needs the scopes of its fields', async () => {
    const own = await connectMcp(service.url, { key: await makeKey(service, { scopes: ['documents:read'] }) });
    const { error } = await callTool(own, 'run_query', { query: '{ resources { totalCount } }' });
    expect(error.code).toBe('forbidden');
    await own.close();
  });

  it.each([
    ['mutation { deleteResource(input: { id: "a" }) { __typename } }', {}, 'query', /only queries/],
    ['subscription { auditFollowed { action } }', {}, 'query', /subscription/],
    ['{ resources { nodes { nothing } } }', {}, 'query', /line 1, column 23/],
    ['{ __schema { types { name } } }', {}, 'query', /introspection/],
    ['{ resources(first: 1000) { totalCount } }', {}, 'first', /100/],
    ['{ resources { totalCount } }', [], 'variables', /object/],
    ['x'.repeat(LIMITS.documentLength + 1), {}, 'query', /characters/],
  ])('rejects %.40j with an error', async (query, variables, param, message) => {
    const { error } = await callTool(client, 'run_query', { query, variables });
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) });
    if (param !== 'first') expect(error.param).toBe(param);
  });

  it('has the limit of costs of /graphql', async () => {
    const query = '{ conversations(first: 100) { nodes { history(first: 100) { nodes { __typename } } } } }';
    const { error } = await callTool(client, 'run_query', {
      query: query.replaceAll('nodes', 'edges { node').replaceAll('} } } }', '} } } } } }'),
    });
    expect(error.message).toMatch(/cost/);
  });
});

describe('the tools for the schema', () => {
  it('are listed only for keys with the scope documents:read, and refused for others', async () => {
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names.slice(-OWN_TOOLS.length)).toEqual(OWN_TOOLS);
    const own = await connectMcp(service.url, { key: await makeKey(service, { scopes: ['resources:read'] }) });
    expect((await own.listTools()).tools.map(({ name }) => name)).not.toEqual(expect.arrayContaining(OWN_TOOLS));
    for (const [name, args] of [
      ['search_schema', { words: 'a' }],
      ['read_type', { name: 'Query' }],
      ['check_document', { document: '{ a }' }],
      ['run_query', { query: '{ resources { totalCount } }' }],
    ] as const) {
      expect((await callTool(own, name, args)).error.code).toBe('forbidden');
    }
    await own.close();
  });

  it.each([
    ['search_schema', {}, 'words'],
    ['search_schema', { words: '' }, 'words'],
    ['search_schema', { words: 'x'.repeat(LIMITS.schemaSearchLength + 1) }, 'words'],
    ['search_schema', { words: 'a', surprise: 1 }, 'surprise'],
    ['read_type', { name: 5 }, 'name'],
    ['read_type', { name: 'Query', page: 0 }, 'page'],
    ['read_type', { name: 'Query', page: 1.5 }, 'page'],
    ['check_document', { document: null }, 'document'],
  ])('%s with %.60j has an error that names the argument', async (name, args, param) => {
    const { error } = await callTool(client, name, args);
    expect([error.code, error.param]).toEqual(['invalid_request', param]);
  });

  it('do not hold up other requests, however large their input is', async () => {
    const words = 'a '.repeat(LIMITS.schemaSearchLength / 2);
    const deepest = (length: number) => `{ ${'a '.repeat(length / 2 - 4)}}`;
    for (const [name, args] of [
      ['search_schema', () => ({ words })],
      ['read_type', () => ({ name: 'Mutation', page: 2 })],
      ['check_document', (at: number) => ({ document: deepest(LIMITS.documentTokens + at) })],
      ['run_query', (at: number) => ({ query: `${deepest(4_000)}#${'x'.repeat(LIMITS.documentLength - 4_010 - at)}` })],
    ] as const) {
      expect(await leastBlockMs((at) => callTool(client, name, args(at)))).toBeLessThan(MOST_BLOCK_MS);
    }
  });

  it.each([
    [{ introspection: false }, ['run_query']],
    [{ trustedDocuments: 'only' as const }, ['search_schema', 'read_type', 'check_document']],
  ])('follow the settings of the service: %j', async (settings, expected) => {
    const own = await startService(settings);
    const connected = await connectMcp(own.url, { key: own.keys.live });
    const names = (await connected.listTools()).tools.map(({ name }) => name);
    expect(names.filter((name) => OWN_TOOLS.includes(name))).toEqual(expected);
    await connected.close();
    await own.close();
  });
});

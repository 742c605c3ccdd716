import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/contract/scopes.ts';
import { textContent } from '../support/agent-apis.ts';
import { dictate } from '../support/dictation.ts';
import { readDocument } from '../support/document-blocks.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { makeDeployment, makeKey } from '../support/tenants.ts';

let provided: ProviderService;
let client: Client;
let chat: string;
beforeAll(async () => {
  provided = await startProviderService();
  client = await connect();
  chat = (await makeDeployment(provided.service, {}, { kind: 'chat' })).id;
});
afterAll(async () => {
  await client.close();
  await provided.close();
});

const connect = (key = provided.service.keys.live) => connectMcp(provided.service.url, { key });
const prisma = () => provided.service.service.services.stores.prisma;
const answer = (text: string) => provided.provider.reply({ kind: 'answer', deltas: [text] });
const ask = (fields: object = {}) => ({ deployment_id: chat, content: textContent('Hello'), ...fields });

describe('the MCP server', () => {
  it('speaks the present version of the protocol, and says what it is for', () => {
    expect(client.transport).toMatchObject({ protocolVersion: LATEST_PROTOCOL_VERSION });
    expect(client.getServerVersion()).toMatchObject({ name: 'parley', title: 'Parley' });
    expect(client.getInstructions()).toContain('ask_deployment');
  });

  it.each<[Scope[], string[]]>([
    [['resources:read'], ['list_resources', 'read_resource']],
    [
      ['conversations:read', 'resources:write'],
      ['search_conversations', 'read_conversation', 'create_resource', 'update_resource'],
    ],
    [['conversations:write'], ['ask_deployment', 'resume_conversation']],
    [['workflows:read'], ['list_deployments']],
    [['documents:read'], ['search_schema', 'read_type', 'check_document', 'run_query']],
    [['events:read'], []],
  ])('lists the tools of a key with the scopes %j', async (scopes, names) => {
    const own = await connect(await makeKey(provided.service, { scopes }));
    expect((await own.listTools()).tools.map(({ name }) => name)).toEqual(names);
    await own.close();
  });

  it('says which tools only read, and which can replace data', async () => {
    const { tools } = await client.listTools();
    const hints = tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint]);
    expect(hints).toEqual([
      // The agent can run the tools of its workflow.
      ['ask_deployment', false, true],
      ['resume_conversation', false, true],
      ['search_conversations', true, false],
      ['read_conversation', true, false],
      ['list_deployments', true, false],
      ['list_resources', true, false],
      ['read_resource', true, false],
      ['create_resource', false, false],
      ['update_resource', false, true],
      ['search_schema', true, false],
      ['read_type', true, false],
      ['check_document', true, false],
      ['run_query', true, false],
    ]);
  });

  it('has a guide that names every tool', async () => {
    const guide = readDocument('docs/mcp.md');
    for (const { name } of (await client.listTools()).tools) expect(guide).toContain(`\`${name}\``);
  });

  it('lists its tools in less than 18 kB, because clients put them into every prompt', async () => {
    const { tools } = await client.listTools();
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(18_000);
    for (const { name, inputSchema, outputSchema } of tools) {
      for (const [argument, schema] of Object.entries(inputSchema.properties ?? {})) {
        expect({ name, argument, ...schema }).toMatchObject({
          type: expect.anything(),
          description: expect.any(String),
        });
      }
      expect(Object.keys(outputSchema?.properties ?? {}).length).toBeGreaterThan(0);
    }
    const ask = tools.find(({ name }) => name === 'ask_deployment');
    expect(ask?.inputSchema.properties).not.toHaveProperty('prefer');
  });

  it('has schemas that stand alone, without keywords at the top that model providers reject', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { inputSchema, outputSchema, description } of (await client.listTools()).tools) {
      ajv.compile(inputSchema);
      ajv.compile(outputSchema ?? {});
      expect(Object.keys(inputSchema)).toEqual(expect.not.arrayContaining(['anyOf', 'oneOf', 'allOf', 'not']));
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(description).toMatch(/\.$/);
    }
  });
});

describe('the tools for resources', () => {
  it('create, read, change and list', async () => {
    const made = await callTool(client, 'create_resource', { type: 'ticket', fields: { open: true } });
    const { id } = made.data;
    expect(await callTool(client, 'read_resource', { id })).toEqual(made);
    const changed = await callTool(client, 'update_resource', { id, fields: { open: false }, if_match: made.etag });
    expect(changed).toMatchObject({ data: { id, fields: { open: false } } });
    const { error } = await callTool(client, 'update_resource', { id, fields: { open: true }, if_match: made.etag });
    expect([error.code, error.param]).toEqual(['precondition_failed', 'if_match']);
    const listed = await callTool(client, 'list_resources', { type: 'ticket', limit: 1 });
    expect(listed).toMatchObject({ data: [{ id }], meta: { hasMore: false } });
  });

  it('create once with an idempotency key', async () => {
    const args = { type: 'once', fields: {}, idempotency_key: 'the-same' };
    const first = await callTool(client, 'create_resource', args);
    expect(await callTool(client, 'create_resource', args)).toEqual(first);
    expect(await prisma().resource.count({ where: { type: 'once' } })).toBe(1);
    const { error } = await callTool(client, 'create_resource', { ...args, fields: { other: 1 } });
    expect([error.code, error.param]).toEqual(['idempotency_key_reused', 'idempotency_key']);
  });

  it.each([
    ['list_resources', { limit: 'many' }, 'limit'],
    ['list_resources', { limit: 1_000 }, 'limit'],
    ['list_resources', { surprise: 1 }, 'surprise'],
    ['create_resource', { fields: {} }, 'type'],
    ['create_resource', { type: 'a', fields: {}, surprise: 1 }, 'surprise'],
    ['read_resource', {}, 'id'],
    ['search_conversations', { meta: { tier: 1 } }, 'meta'],
    ['search_conversations', { status: 'lost' }, 'status'],
  ])('%s with the arguments %j has an error that names the argument', async (name, args, param) => {
    const { error } = await callTool(client, name, args);
    expect([error.code, error.param]).toEqual(['invalid_request', param]);
  });
});

describe('the tools for conversations', () => {
  it('ask, with the text of the reply as progress, continue, search and read', async () => {
    const dictation = dictate(provided.provider);
    const progress: { progress: number; message?: string | undefined }[] = [];
    const reply = client.callTool({ name: 'ask_deployment', arguments: ask() }, undefined, {
      onprogress(update) {
        progress.push(update);
        // The reply ends only after its beginning was reported.
        dictation.end();
      },
    });
    dictation.say('Good ');
    dictation.say('morning');
    const { structuredContent } = await reply;
    const { conversation_id: id, content } = structuredContent as { conversation_id: string; content: string };
    expect(content).toBe('Good morning');
    expect(progress.map(({ message }) => message).join('')).toBe('Good morning');
    expect(progress.at(-1)?.progress).toBe('Good morning'.length);
    answer('Again');
    const continued = await callTool(client, 'ask_deployment', ask({ conversation_id: id }));
    expect(continued).toMatchObject({ conversation_id: id, content: 'Again' });
    const found = await callTool(client, 'search_conversations', { text: 'morning', limit: 5 });
    expect(found.data.map(({ conversation_id }: { conversation_id: string }) => conversation_id)).toEqual([id]);
    const read = await callTool(client, 'read_conversation', { conversation_id: id, page_size: 3 });
    expect(read).toMatchObject({ total: 4, has_more: true, conversation_status: 'active' });
  });

  it('filter by labels', async () => {
    answer('Labelled');
    const { conversation_id: id } = await callTool(client, 'ask_deployment', ask({ meta: { tier: 'gold' } }));
    const found = await callTool(client, 'search_conversations', { meta: { tier: 'gold' } });
    expect(found.data.map(({ conversation_id }: { conversation_id: string }) => conversation_id)).toEqual([id]);
    expect((await callTool(client, 'search_conversations', { meta: { tier: 'silver' } })).data).toEqual([]);
  });

  it('report the error of the model provider', async () => {
    provided.provider.reply({ kind: 'status', status: 400, body: '{"error":{"message":"no such model"}}' });
    const { error } = await callTool(client, 'ask_deployment', ask());
    expect(error.code).toBe('model_error');
  });

  it('see only the environment of the key', async () => {
    answer('Live');
    const { conversation_id } = await callTool(client, 'ask_deployment', ask());
    const test = await connect(provided.service.keys.test);
    expect((await callTool(test, 'read_conversation', { conversation_id })).error.code).toBe('not_found');
    expect((await callTool(test, 'search_conversations', { id: conversation_id })).data).toEqual([]);
    await test.close();
  });

  it('are refused without their scope, even if they are not listed', async () => {
    const own = await connect(await makeKey(provided.service, { scopes: ['resources:read'] }));
    for (const [name, args] of [
      ['ask_deployment', ask()],
      ['search_conversations', {}],
      ['create_resource', { type: 'a', fields: {} }],
    ] as const) {
      expect((await callTool(own, name, args)).error.code).toBe('forbidden');
    }
    await own.close();
  });
});

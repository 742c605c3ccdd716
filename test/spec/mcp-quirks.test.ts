import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { connect, publishScripted } from '../support/actions.ts';
import { type FakeMcp, type FakeTool, startMcp, textResult } from '../support/mcp-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
const servers: FakeMcp[] = [];
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
afterEach(() => Promise.all(servers.splice(0).map((one) => one.close())));

type Options = NonNullable<Parameters<typeof startMcp>[1]>;

async function connected(tools: Readonly<Record<string, FakeTool>>, options: Options = {}) {
  const server = await startMcp(tools, options);
  servers.push(server);
  await connect(service, { kind: 'mcp', name: server.url, url: server.url });
  const scripted = await publishScripted(service, workflowsOf(service), {
    mcpServers: [{ name: 'ext', integration: server.url, timeoutSeconds: 5, approval: { mode: 'NEVER' } }],
  });
  const lists = () => server.methods().filter((method) => method === 'tools/list').length;
  return { server, lists, ...scripted };
}

const tool = (fields: object = {}): FakeTool => ({ fields, call: () => textResult('ok') });

/** The names that the model gets. */
async function offered({ call }: Awaited<ReturnType<typeof connected>>): Promise<string> {
  return (await call('/call ext_nothing')).outputs[0].error;
}

const ERAS: [string, Options][] = [
  ['2025-11-25', {}],
  ['2026-07-28', { isModern: true }],
];

describe.each(ERAS)('a list of tools of the revision %s', (_era, options) => {
  it.each<[string, object]>([
    ['no input schema', { inputSchema: undefined }],
    ['an empty input schema', { inputSchema: {} }],
    ['null as its input schema', { inputSchema: null }],
    ['an input schema without a type', { inputSchema: { properties: { a: { type: 'string' } } } }],
    ['null as its description', { description: null }],
    ['null as its title', { title: null }],
    ['null as its annotations', { annotations: null }],
    ['a wrong type of its annotations', { annotations: { readOnlyHint: 'yes' } }],
    ['null as its output schema', { outputSchema: null }],
    ['an output schema of another type', { outputSchema: { type: 'array' } }],
    ['null as its icons', { icons: null }],
    ['null as its metadata', { _meta: null }],
    ['an unknown field', { vendor: { a: 1 } }],
  ])('offers a tool with %s', async (_quirk, fields) => {
    const { call } = await connected({ odd: tool(fields), good: tool() }, options);
    expect((await call('/call ext_odd\n/call ext_good')).outputs).toEqual([{ content: 'ok' }, { content: 'ok' }]);
  });

  it.each<[string, object]>([
    ['no name', { name: undefined }],
    ['null as its name', { name: null }],
    ['a number as its name', { name: 7 }],
    ['an empty name', { name: '' }],
    ['the name of an earlier tool', { name: 'good' }],
    ['an input schema that is too large', { inputSchema: { description: 'x'.repeat(LIMITS.schemaBytes) } }],
  ])('leaves out only the tool with %s', async (_quirk, fields) => {
    const server = await connected({ good: tool(), odd: tool(fields), other: tool() }, options);
    expect(await offered(server)).toContain('Offered: ext_good, ext_other.');
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'tool'],
    ['a list', []],
  ])('leaves out an entry that is %s', async (_quirk, entry) => {
    const odd = (result: object) => ({ ...result, tools: [entry, ...(result as { tools: object[] }).tools] });
    expect(await offered(await connected({ good: tool() }, { ...options, odd }))).toContain('Offered: ext_good.');
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['empty', ''],
    ['a number', 5],
    ['always the same', '0'],
  ])('ends with a cursor that is %s', async (_quirk, nextCursor) => {
    const server = await connected({ good: tool() }, { ...options, odd: (result) => ({ ...result, nextCursor }) });
    expect(await offered(server)).toContain('Offered: ext_good.');
    expect(server.lists()).toBe(nextCursor === '0' ? 2 : 1);
  });

  it('has the tools of the pages before one that fails', async () => {
    const odd = (result: object, cursor: unknown) => (cursor === undefined ? result : { tools: 'none' });
    const server = await connected({ a: tool(), b: tool(), c: tool() }, { ...options, pageSize: 2, odd });
    expect(await offered(server)).toContain('Offered: ext_a, ext_b.');
  });

  it('has the tools of the pages that arrive in time, if there is always another page', async () => {
    const odd = (result: object, cursor: unknown) => ({ ...result, nextCursor: String(Number(cursor ?? 0) + 1) });
    const server = await connected({ a: tool(), b: tool() }, { ...options, pageSize: 1, odd, delayMs: 300 });
    expect(await offered(server)).toContain('Offered: ext_a, ext_b.');
  });

  it('is complete if the streams of its pages end later than their results', async () => {
    const tools = { a: tool(), b: tool(), c: tool() };
    const server = await connected(tools, { ...options, pageSize: 1, events: 'ended', delayMs: 20 });
    expect(await offered(server)).toContain('Offered: ext_a, ext_b, ext_c.');
  });

  it('gives names that are the same after cleaning a suffix, and each calls its own tool', async () => {
    const named = (name: string): FakeTool => ({ call: () => textResult(name) });
    const server = await connected({ 'a.b': named('a.b'), 'a:b': named('a:b') }, options);
    const names = (await offered(server)).match(/ext_a_b_\w{6}/g) ?? [];
    expect(names).toHaveLength(2);
    const { outputs } = await server.call(names.map((name) => `/call ${name}`).join('\n'));
    expect(outputs.map(({ content }) => content).sort()).toEqual(['a.b', 'a:b']);
  });
});

describe.each(ERAS)('the messages of a server of the revision %s', (_era, options) => {
  it.each<[string, Options]>([
    ['an error that is null', { members: { error: null } }],
    ['an unknown member', { members: { vendor: { a: 1 } } }],
    ['an error that is null, as events', { members: { error: null }, events: true }],
    ['an unknown member, as events', { members: { vendor: [] }, events: true }],
  ])('are read with %s', async (_quirk, quirk) => {
    const { call } = await connected({ a: tool() }, { ...options, ...quirk });
    expect((await call('/call ext_a')).outputs).toEqual([{ content: 'ok' }]);
  });

  it.each([true, false])('are read with null as the metadata of their results, as events: %s', async (events) => {
    const a: FakeTool = { call: () => ({ result: { content: [{ type: 'text', text: 'ok' }], _meta: null } }) };
    const odd = (result: object) => ({ ...result, _meta: null });
    const { call } = await connected({ a }, { ...options, events, odd });
    expect((await call('/call ext_a')).outputs).toEqual([{ content: 'ok' }]);
  });

  it('are read if they have a result that is null', async () => {
    const { call } = await connected({ a: { call: () => ({ result: null as never }) } }, options);
    expect((await call('/call ext_a')).outputs[0].error).toContain('does not follow the protocol');
  });
});

const text = (words: string) => ({ type: 'text', text: words });

describe.each(ERAS)('the result of a tool of the revision %s', (_era, options) => {
  it.each<[string, object, object]>([
    [
      'audio',
      { content: [text('a'), { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' }] },
      { content: 'a\n[audio omitted: audio/wav, because no model takes its content]' },
    ],
    ['an image without data', { content: [text('a'), { type: 'image' }] }, { content: 'a\n[image omitted]' }],
    [
      'a part of an unknown type',
      { content: [{ type: 'hologram', x: 1 }, text('a')] },
      { content: '[hologram omitted]\na' },
    ],
    ['a part without a type', { content: [{}, text('a')] }, { content: '[part omitted]\na' }],
    ['a part that is null', { content: [null, text('a')] }, { content: '[part omitted]\na' }],
    ['a text that is a number', { content: [{ type: 'text', text: 5 }, text('a')] }, { content: '[text omitted]\na' }],
    ['annotations that are null', { content: [{ ...text('a'), annotations: null, _meta: null }] }, { content: 'a' }],
    [
      'a link to a resource',
      { content: [{ type: 'resource_link', uri: 'file:///a', name: 'A', description: null }] },
      { content: 'A: file:///a' },
    ],
    [
      'an embedded text',
      { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'inside' } }] },
      { content: 'inside' },
    ],
    [
      'an embedded file',
      { content: [{ type: 'resource', resource: { uri: 'a:b', blob: 'aGk=', mimeType: 'application/pdf' } }] },
      { content: '[resource omitted: application/pdf, because no model takes its content]' },
    ],
    ['null as its content', { content: null, structuredContent: { a: 1 } }, { content: { a: 1 } }],
    ['no content', { structuredContent: { a: 1 } }, { content: { a: 1 } }],
    ['null as its structured content', { content: [text('a')], structuredContent: null }, { content: 'a' }],
    ['a list as its structured content', { content: [text('a')], structuredContent: [1] }, { content: [1] }],
    ['null as isError', { content: [text('a')], isError: null }, { content: 'a' }],
    ['an error', { content: [text('Try Oslo')], isError: true }, { error: 'The tool failed.', content: 'Try Oslo' }],
    ['nothing', {}, { content: '' }],
  ])('reaches the model with %s', async (_quirk, result, output) => {
    const { call } = await connected({ odd: { call: () => ({ result }) } }, options);
    expect((await call('/call ext_odd')).outputs).toEqual([output]);
  });

  it('has at most the beginning of the text of an error', async () => {
    const message = 'x'.repeat(LIMITS.mcpErrorLength + 1);
    const { call } = await connected({ odd: { call: () => ({ error: { code: -32000, message } }) } }, options);
    expect((await call('/call ext_odd')).outputs[0].content).toHaveLength(LIMITS.mcpErrorLength);
  });

  it('does not reveal a secret that an error repeats', async () => {
    const server = await startMcp(
      { odd: { call: () => ({ error: { code: 1, message: 'not secret-value-1' } }) } },
      options,
    );
    servers.push(server);
    const headers = [{ name: 'x-key', value: 'secret-value-1' }];
    await connect(service, { kind: 'mcp', name: server.url, url: server.url, headers });
    const { call } = await publishScripted(service, workflowsOf(service), {
      mcpServers: [{ name: 'ext', integration: server.url, approval: { mode: 'NEVER' } }],
    });
    expect((await call('/call ext_odd')).outputs[0].content).toBe('not [secret]');
  });
});

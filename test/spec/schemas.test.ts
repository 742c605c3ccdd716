import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/error-bodies.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';

let provided: ProviderService;
let agent: string;
beforeAll(async () => {
  provided = await startProviderService();
  agent = await provided.agent();
});
afterAll(() => provided.close());

const capable = (input_schema: unknown) => ({ client_capabilities: [{ name: 'tool', input_schema }] });
/** Arguments are sent as text because they may be nested more deeply than calls. */
const call = (input: unknown) => ({
  name: 'tool',
  arguments: typeof input === 'string' ? input : JSON.stringify(input),
});
const times = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));

/** A turn whose model calls the tool with these arguments and then replies. */
async function callTool(schema: unknown, input: unknown) {
  provided.provider.reply({ kind: 'answer', calls: [call(input)] }, { kind: 'answer', deltas: ['done'] });
  const { status, body } = await provided.turn(agent, capable(schema));
  const result = provided.provider.requests.at(-1)?.body.messages as { role: string; content: string }[];
  const toolResult = result.find(({ role }) => role === 'tool')?.content ?? '';
  return { status, calls: body.client_tool_calls, content: body.content, toolResult };
}

const CHAIN = {
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    times(27, (at) => [`d${at}`, at < 26 ? { anyOf: times(2, () => ({ $ref: `#/$defs/d${at + 1}` })) } : {}]),
  ),
};
/** Each level of a value doubles the work. */
const DOUBLING = {
  $ref: '#/$defs/n',
  $defs: { n: { anyOf: times(2, (at) => ({ additionalProperties: { $ref: '#/$defs/n' }, required: [`k${at}`] })) } },
};

describe('an input_schema', () => {
  const sample = (name: string) =>
    JSON.parse(readFileSync(new URL(`../support/schemas/${name}.json`, import.meta.url), 'utf8'));

  it.each([
    ['of Pydantic', sample('pydantic')],
    ['of TypeBox', sample('typebox')],
    [
      'with keywords that are not evaluated',
      { type: 'object', unevaluatedProperties: false, 'x-ui': { order: ['a'] } },
    ],
    ['with a pattern', { type: 'object', properties: { a: { type: 'string', pattern: '(?=x)(a+)+$' } } }],
  ])('%s reaches the model unchanged', async (_description, schema) => {
    provided.provider.reply({ kind: 'answer', deltas: ['hello'] });
    expect((await provided.turn(agent, capable(schema))).status).toBe(200);
    expect(provided.provider.requests.at(-1)?.body.tools).toMatchObject([
      { function: { name: 'tool', parameters: schema } },
    ]);
  });

  it.each([
    ['{}', {}],
    // Providers refuse alternatives at the root. The service checks them.
    ['anyOf at the root', { anyOf: [{ required: ['a'] }, { required: ['b'] }] }],
  ])('without a type means an object, and the provider gets that type: %s', async (_description, schema) => {
    const { calls } = await callTool(schema, { a: 1 });
    expect(calls).toMatchObject([{ name: 'tool', arguments: { a: 1 } }]);
    expect(provided.provider.requests.at(-1)?.body.tools).toContainEqual({
      type: 'function',
      function: expect.objectContaining({ name: 'tool', parameters: { type: 'object', properties: {} } }),
    });
  });

  it.each([
    ['is 400 with $async', { type: 'object', $async: true }],
    ['is 400 with a reference to another document', { type: 'object', allOf: [{ $ref: 'http://example.com/a' }] }],
    ['is 400 with a chain of 26 anyOf', CHAIN],
    ['is 400 with more than 2,000 subschemas', { allOf: times(2_001, () => ({})) }],
    ['is 400 with more than 32 levels', { type: 'object', x: JSON.parse('['.repeat(40) + ']'.repeat(40)) }],
    ['is 400 with more than 64 KiB', { type: 'object', title: 'x'.repeat(66_000) }],
  ])('%s', async (_description, schema) => {
    expectError(await provided.turn(agent, capable(schema)), 'invalid_request', {
      param: 'client_capabilities[0].input_schema',
    });
  });

  it('is accepted with allOf of 400 references, and applied', async () => {
    const schema = {
      type: 'object',
      $defs: { x: { type: 'object', properties: { a: { type: 'string' } } } },
      allOf: times(400, () => ({ $ref: '#/$defs/x' })),
    };
    expect((await callTool(schema, { a: 'b' })).calls).toHaveLength(1);
    expect((await callTool(schema, { a: 1 })).toolResult).toContain('/a must be a string');
  });

  it('has its patterns applied in linear time', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    expect((await callTool(schema, { a: 'aaa' })).calls).toHaveLength(1);
    expect((await callTool(schema, { a: `${'a'.repeat(50)}!` })).toolResult).toContain('/a must match the pattern');
    expect((await callTool(schema, { a: `${'a'.repeat(1_000_000)}!` })).toolResult).toContain(
      'takes too long to check',
    );
  });

  it.each([
    [
      'take too long to check',
      DOUBLING,
      JSON.parse(`${'{"x":'.repeat(60)}1${'}'.repeat(60)}`),
      'takes too long to check',
    ],
    ['are too deep', {}, `${'{"x":'.repeat(3_000)}1${'}'.repeat(3_000)}`, 'too many values or levels'],
    ['are too many', {}, { a: times(60_000, () => 0) }, 'more than 50,000 values'],
  ])('reports to the model that arguments %s', async (_description, schema, input, problem) => {
    const { status, content, toolResult } = await callTool(schema, input);
    expect([status, content]).toEqual([200, 'done']);
    expect(toolResult).toContain(problem);
  });

  it('checks only own properties', async () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["constructor"]}',
    );
    expect((await callTool(schema, {})).toolResult).toContain('must have the property constructor');
    expect((await callTool(schema, { constructor: 1 })).calls).toMatchObject([{ arguments: { constructor: 1 } }]);
  });
});

describe('an output schema', () => {
  it('rejects a reply that takes too long to check, and accepts the next one', async () => {
    const outputSchema = { properties: { a: { uniqueItems: true } } };
    const id = await provided.agent({ outputSchema });
    const heavy = JSON.stringify({ a: times(40_000, (at) => `item ${at} ${'x'.repeat(12)}`) });
    provided.provider.reply({ kind: 'answer', deltas: [heavy] }, { kind: 'answer', deltas: ['{"a":[1]}'] });
    const { status, body } = await provided.turn(id);
    expect([status, body.content]).toEqual([200, { a: [1] }]);
    expect(JSON.stringify(provided.provider.requests.at(-1)?.body.messages)).toContain('takes too long to check');
  });
});

describe('a step with many calls', () => {
  const many = times(70, (at) => ({ name: 'tool', arguments: JSON.stringify({ at }) }));

  it('waits for 32 of them and reports an error to the model for every other one', async () => {
    provided.provider.reply({ kind: 'answer', calls: many });
    const paused = await provided.turn(agent, capable({}));
    expect(paused.body.run_status).toBe('waiting_for_client_action');
    const ids: string[] = paused.body.client_tool_calls.map(({ call_id }: { call_id: string }) => call_id);
    expect(ids).toHaveLength(32);
    provided.provider.reply({ kind: 'answer', deltas: ['all done'] });
    const { conversation_id } = paused.body;
    const tool_results = ids.map((call_id) => ({ call_id, output: { ok: true } }));
    const resumed = await provided.turn(agent, { conversation_id, tool_results });
    expect(resumed.body).toMatchObject({ run_status: 'completed', content: 'all done' });
    const messages = provided.provider.requests.at(-1)?.body.messages as { role: string; content: string }[];
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(results.filter((content) => content.includes('"ok"'))).toHaveLength(32);
    expect(results.filter((content) => content.includes('at most 32 calls'))).toHaveLength(38);
  });

  it('counts failed calls, and continues if nothing is pending', async () => {
    const unknown = times(40, () => ({ name: 'nothing', arguments: '{}' }));
    provided.provider.reply({ kind: 'answer', calls: unknown }, { kind: 'answer', deltas: ['sorry'] });
    expect((await provided.turn(agent)).body).toMatchObject({ run_status: 'completed', content: 'sorry' });
  });
});

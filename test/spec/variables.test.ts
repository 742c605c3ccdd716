import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { graphText } from '../support/graph-content.ts';
import { mutationOf, resultOf } from '../support/results.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let workflowId: number;
beforeAll(async () => {
  service = await startService();
  workflowId = (await publishedWorkflow(workflowsOf(service), { instructions: 'Hello {{NAME}}.' })).workflowId;
});
afterAll(() => service.close());

const variable = (name: string, value: unknown = 'Ann') => ({ name, value });

const CONTENT = { content: graphText('/instructions') };

/** The mutations that take variables, with the other fields of their input. */
const MUTATIONS: Readonly<Record<string, () => object>> = {
  sendMessage: () => ({ deploymentId: DEMO_CHAT_ID, ...CONTENT }),
  runAgentTurn: () => ({ deploymentId: DEMO_AGENT_ID, ...CONTENT }),
  runOnce: () => ({ deploymentId: DEMO_CHAT_ID, ...CONTENT }),
  createTrigger: () => ({ deploymentId: DEMO_CHAT_ID, ...CONTENT }),
  testDraft: () => ({ workflowId, ...CONTENT }),
};

const SELECTIONS: Readonly<Record<string, string>> = {
  sendMessage: '{ turn { conversation { variables { name value } } } }',
  runAgentTurn: '{ turn { ... on FinishedTurn { conversation { variables { name value } } } } }',
  runOnce: '{ run { content } }',
  createTrigger: '{ trigger { triggerId variables { name value } } }',
  testDraft: '{ run { content } }',
};

const send = (field: string, variables: unknown) =>
  service.graphql(mutationOf(field, SELECTIONS[field] ?? ''), { input: { ...MUTATIONS[field]?.(), variables } });

const REJECTED: readonly [what: string, variables: unknown, param: string, message: RegExp][] = [
  ['a name with a space', [variable('a b')], 'variables[0].name', /must have 1 to 64 letters, digits/],
  ['an empty name', [variable('a'), variable('')], 'variables[1].name', /must have 1 to 64 letters, digits/],
  ['a name of 65 characters', [variable('k'.repeat(65))], 'variables[0].name', /must have 1 to 64/],
  ['a name with a NUL', [variable('a\0')], 'variables[0].name', /must not contain NUL/],
  ['a name that occurs twice', [variable('a'), variable('a')], 'variables[1].name', /must be unique in the list/],
  [
    'a value that is too long',
    [variable('a', 'b'.repeat(LIMITS.variableLength + 1))],
    'variables[0].value',
    /must have at most 10,000 characters/,
  ],
  ['a value that is a number', [variable('a', 1)], 'variables[0].value', /must be a string/],
  ['a value that is null', [variable('a', null)], 'variables[0].value', /must not be null/],
  ['no value', [{ name: 'a' }], 'variables[0].value', /is required/],
  [
    'too many',
    Array.from({ length: LIMITS.variables + 1 }, (_, index) => variable(`a${index}`)),
    'variables',
    /must have at most 100 items/,
  ],
  ['the object of the REST API', { a: 'b' }, 'variables.name', /is required/],
];

describe.each(Object.keys(MUTATIONS))('the variables of %s', (field) => {
  it('are a list of names and texts', async () => {
    const list = [variable('NAME'), variable('B', ''), variable('__proto__', 'p')];
    const result = resultOf(await send(field, list));
    const sorted = [variable('B', ''), variable('NAME'), variable('__proto__', 'p')];
    if ('content' in result) expect(result.content).toContain('Ann');
    else expect((result.conversation ?? result).variables).toEqual(sorted);
  });

  it.each(REJECTED)('are rejected with %s', async (_what, variables, param, message) => {
    expectGraphqlError(await send(field, variables), 'invalid_request', { param, message });
  });

  it('can be omitted, empty or null', async () => {
    for (const variables of [undefined, [], null]) {
      const result = resultOf(await send(field, variables));
      if (!('content' in result)) expect((result.conversation ?? result).variables).toEqual([]);
    }
  });

  it('have no second form: the field of REST is unknown', async () => {
    const input = { ...MUTATIONS[field]?.(), variablesByName: {} };
    const response = await service.graphql(mutationOf(field, SELECTIONS[field] ?? ''), { input });
    expectGraphqlError(response, 'invalid_request', { param: 'variablesByName' });
  });
});

describe.each([
  ['replyStream', 'SendMessageInput', '... on ReplyDone { turn { content } }'],
  ['oneShotStream', 'RunOnceInput', '... on OneShotDone { turn: run { content } }'],
])('the variables of %s', (field, type, selection) => {
  const open = (variables: unknown) => {
    const document = `subscription ($input: ${type}!) { ${field}(input: $input) { event ${selection} } }`;
    const input = { deploymentId: DEMO_CHAT_ID, ...CONTENT, variables };
    return subscribe(service, document, { input }, service.keys.live);
  };

  it('are a list of names and texts', async () => {
    const stream = await open([variable('NAME')]);
    for (let event = await stream.next(); event; event = await stream.next()) {
      const { turn } = event.data[field];
      if (turn) expect(turn.content).toContain('Ann');
      if (turn) break;
    }
    await stream.close();
  });

  it('are rejected with a name that occurs twice', async () => {
    const stream = await open([variable('a'), variable('a')]);
    const body = stream.rejection?.body ?? (await stream.next());
    expect(body.errors[0].extensions).toMatchObject({ code: 'INVALID_REQUEST', param: 'variables[1].name' });
    await stream.close();
  });
});

describe('a variable of a trigger that REST created', () => {
  it('is text in GraphQL, as the instructions get it, and stays JSON in REST', async () => {
    const variables = { score: 7, NAME: 'Ann', tags: ['a', null] };
    const path = `/v1/runner/${DEMO_CHAT_ID}/trigger`;
    const created = await service.send('POST', path, { body: { content: [{ type: 'text', text: 'Hi' }], variables } });
    expect(created.body.variables).toEqual(variables);
    const { body } = await service.graphql(
      `query ($at: ID!, $id: ID!) { trigger(deploymentId: $at, id: $id) { variables { name value } } }`,
      { at: DEMO_CHAT_ID, id: created.body.id },
    );
    expect(body.data.trigger.variables).toEqual([
      variable('NAME'),
      variable('score', '7'),
      variable('tags', '["a",null]'),
    ]);
  });
});

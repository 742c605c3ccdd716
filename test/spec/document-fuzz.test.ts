import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentApis, type Values } from '../support/document-apis.ts';
import { SEED } from '../support/seed.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let resourceId: string;
beforeAll(async () => {
  service = await startService({ trustedDocuments: 'prefer' });
  for (const type of ['order', 'note', 'note']) {
    const { body } = await service.send('POST', '/v1/resources', { body: { type, fields: { a: [1, null, 'b'] } } });
    resourceId = body.data.id;
  }
  await service.agentTurn('Hello');
});
afterAll(() => service.close());

const CALLS = Number(process.env.FUZZ_REQUESTS ?? 60);

const TEXTS = ['', 'order', 'note', 'Not valid', 'é"\\/\u0001', '\ud800', 'a'.repeat(300), '__proto__', 'null', '1'];
const NUMBERS = [0, 1, 2, 100, 101, -1, 2 ** 31, 2 ** 53 - 1, 1.5];

/** A value that a client could send. Over REST a query parameter is text, so a document with them gets only such values. */
const ANY: readonly unknown[] = [...TEXTS, ...NUMBERS, true, false, null, [], ['order'], {}, { a: 1 }];

/** Chooses items by a seed (mulberry32). */
function picker(seed: number) {
  let state = seed;
  return <Item>(items: readonly Item[]): Item => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return items[((mixed ^ (mixed >>> 14)) >>> 0) % items.length] as Item;
  };
}

interface Case {
  readonly name: string;
  readonly text: string;
  readonly values: Readonly<Record<string, () => readonly unknown[]>>;
}

const CASES: readonly Case[] = [
  {
    name: 'fuzzed_list',
    text: `query ($type: String, $first: Int = 2, $created: OrderDirection = DESC, $filter: ResourceFilter) {
      resources(first: $first, filter: { type: $type }, orderBy: { field: CREATED_AT, direction: $created }) {
        nodes { resourceId type fields createdAt environment { kind } } totalCount pageInfo { hasNextPage endCursor } }
      filtered: resources(filter: $filter) { totalCount }
      conversations(first: $first) { nodes { name status deployment { name kind } messages(first: 3) { nodes { role content { __typename ... on TextPart { text } } } } } }
    }`,
    values: {
      type: () => TEXTS.filter((text) => text !== '\ud800'),
      first: () => [...NUMBERS, 'many'],
      created: () => ['ASC', 'DESC', 'asc', ''],
      filter: () => [
        {},
        { type: 'note' },
        { field: { name: 'a', value: 1 } },
        { unknown: 1 },
        { type: 1 },
        { field: {} },
      ],
    },
  },
  {
    name: 'fuzzed_read',
    text: 'query ONE($id: ID!) @rest(get: "/v1/x/fuzzed_read/{id}") { resource(id: $id) { id resourceId type fields etag } }',
    values: {
      id: () => [
        resourceId,
        resourceId,
        'res_unknown',
        'x',
        'é',
        '__proto__',
        Buffer.from('User:1').toString('base64'),
      ],
    },
  },
  {
    name: 'fuzzed_change',
    text: `mutation ONE($id: ID!, $fields: JSONObject!, $ifMatch: String) @rest(patch: "/v1/x/fuzzed_change") {
      updateResource(input: { id: $id, fields: $fields, ifMatch: $ifMatch }) {
        __typename ... on UpdateResourcePayload { resource { resourceId type } } ... on Error { code path } } }`,
    values: {
      id: () => [...Array.from({ length: 8 }, () => resourceId), 'res_unknown', '', 1, null, {}],
      fields: () => [...Array.from({ length: 8 }, (_, index) => ({ a: index, b: { c: [] } })), {}, ...ANY],
      ifMatch: () => [...Array.from({ length: 8 }), '*', '"old"', '', 1, false, []],
    },
  },
  {
    name: 'fuzzed_create',
    text: `mutation ONE($input: CreateResourceInput!) {
      createResource(input: $input) { __typename ... on CreateResourcePayload { resource { type fields } } ... on Error { code path } } }`,
    values: {
      input: () => [
        { type: 'note', fields: {} },
        { type: 'note', fields: { a: 1 } },
        { type: 'Not valid', fields: {} },
        { type: 'note' },
        { type: 'note', fields: {}, own: 1 },
        { type: 'note', fields: 'none' },
        ...ANY,
      ],
    },
  },
];

describe.each(CASES)('the document $name', ({ name, text, values }) => {
  it(`has the same data and errors on the four APIs, for ${CALLS} calls of the seed ${SEED}`, async () => {
    const apis = await documentApis(service, name, text);
    const pick = picker(SEED);
    const seen = new Set<string>();
    for (let call = 0; call < CALLS; call += 1) {
      const variables: Values = Object.fromEntries(
        Object.entries(values).flatMap(([variable, all]) => {
          const value = pick([...all(), undefined]);
          return value === undefined && !text.includes(`{${variable}}`) ? [] : [[variable, value ?? 'none']];
        }),
      );
      const { text: expected, ...others } = await apis.call(variables);
      for (const [api, called] of Object.entries(others)) {
        expect({ api, variables, ...called }).toEqual({ api, variables, ...expected });
      }
      seen.add(expected.code ?? 'data');
    }
    // A fuzzer that only finds one kind of response tests nothing.
    expect(seen.size).toBeGreaterThan(1);
    expect(seen).toContain('data');
  });
});

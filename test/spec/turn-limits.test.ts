import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byName } from '../support/graph-content.ts';
import { startService, type TestService } from '../support/service.ts';
import {
  GRAPHQL_TURN_OPERATIONS,
  ONE_PER_API,
  REST_TURN_OPERATIONS,
  TURN_OPERATIONS,
  textPart,
  turnWith,
} from '../support/turn-operations.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** This many keys, each with this value. */
const keys = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, value]));

const NASTY_NAMES = '{"__proto__": "a", "constructor": "b", "prototype": "c", "hasOwnProperty": "d", "toString": "e"}';

const ACCEPTED: readonly [what: string, fields: Record<string, unknown>][] = [
  ['variables without keys', { variables: {} }],
  ['100 variables', { variables: keys(100, 'a') }],
  ['a variable of 1 character', { variables: { a: 'b' } }],
  ['a variable with an empty value', { variables: { a: '' } }],
  ['a variable with a key of 64 characters', { variables: { ['k'.repeat(64)]: 'a' } }],
  ['a variable with a key of every kind of character', { variables: { 'aZ09_.-': 'a' } }],
  ['a variable of 10,000 characters', { variables: { a: 'b'.repeat(10_000) } }],
  ['variables named like parts of JavaScript', { variables: JSON.parse(NASTY_NAMES) }],
  ['meta without keys', { meta: {} }],
  ['50 meta keys', { meta: keys(50, 'a') }],
  ['a meta key of 64 characters', { meta: { ['k'.repeat(64)]: 'a' } }],
  ['a meta string of 512 characters', { meta: { a: 'b'.repeat(512) } }],
  ['an empty meta string', { meta: { a: '' } }],
  ['meta numbers', { meta: { a: 0, b: -1.5, c: 1e308, d: Number.MIN_VALUE, e: 2 ** 53 - 1 } }],
  ['meta booleans', { meta: { a: true, b: false } }],
  ['meta named like parts of JavaScript', { meta: JSON.parse(NASTY_NAMES) }],
  ['meta keys that only contain a reserved one', { meta: { pages: 1, page_size_: 1, Page: 1 } }],
  ['a history_limit of 0', { history_limit: 0 }],
  ['a history_limit of 100', { history_limit: 100 }],
  ['null for every optional field', { conversation_id: null, variables: null, meta: null, history_limit: null }],
];

const KEYS = /must have keys of 1 to 64 letters, digits, "_", "." or "-"/;
const UNSTORABLE_KEY = /must not have keys with NUL characters or unpaired surrogates/;
const UNSTORABLE = /must not contain NUL characters or unpaired surrogates/;
const RESERVED = /must not use the keys page and page_size/;
const META_VALUE = /must be a string of at most 512 characters, a finite number or a boolean/;

type RejectedFields = readonly [what: string, fields: Record<string, unknown>, param: string, message?: RegExp];

/** The cases for the keys of both variables and meta. */
const badKeys = (field: 'variables' | 'meta'): RejectedFields[] => [
  [`an empty key in ${field}`, { [field]: { '': 'a' } }, field, KEYS],
  [`a key of 65 characters in ${field}`, { [field]: { ['k'.repeat(65)]: 'a' } }, field, KEYS],
  [`a space in a key of ${field}`, { [field]: { 'a b': 'a' } }, field, KEYS],
  [`a NUL in a key of ${field}`, { [field]: { 'a\0': 'a' } }, field, UNSTORABLE_KEY],
  [`half of a surrogate pair in a key of ${field}`, { [field]: { 'a\ud800': 'a' } }, field, UNSTORABLE_KEY],
  [`a NUL in a value of ${field}`, { [field]: { a: '\0' } }, `${field}.a`, UNSTORABLE],
  [`half of a surrogate pair in a value of ${field}`, { [field]: { a: '\udc00' } }, `${field}.a`, UNSTORABLE],
  ...[[], ['a'], 'a', 1, true].map(
    (value): RejectedFields => [
      `${JSON.stringify(value)} for ${field}`,
      { [field]: value },
      field,
      /must be an object/,
    ],
  ),
];

/** Keys with characters that a key may not have. */
const MALFORMED_KEYS = (['variables', 'meta'] as const).flatMap((field) =>
  ['a/b', 'ä', 'a\n', '$a', 'a[0]', '😀'].map(
    (key): RejectedFields => [`the key ${JSON.stringify(key)} in ${field}`, { [field]: { [key]: 'a' } }, field, KEYS],
  ),
);

/** GraphQL has another form of variables: see variables.test.ts. */
const REJECTED_IN_REST: readonly RejectedFields[] = [
  ...badKeys('variables'),
  ['101 variables', { variables: keys(101, 'a') }, 'variables', /at most 100 keys/],
  ['a variable of 10,001 characters', { variables: { a: 'b'.repeat(10_001) } }, 'variables.a', /at most 10,000/],
  ...[null, 1, true, {}, ['a']].map(
    (value): RejectedFields => [
      `a variable of ${JSON.stringify(value)}`,
      { variables: { a: value } },
      'variables.a',
      /must be a string/,
    ],
  ),
  ['a wrong variable after one named __proto__', { variables: JSON.parse('{"__proto__": 1}') }, 'variables.__proto__'],
];

const REJECTED: readonly RejectedFields[] = [
  ...badKeys('meta'),
  ['51 meta keys', { meta: keys(51, 'a') }, 'meta', /at most 50 keys/],
  ['the meta key page', { meta: { page: 'a' } }, 'meta', RESERVED],
  ['the meta key page_size', { meta: { page_size: 'a' } }, 'meta', RESERVED],
  ['a meta string of 513 characters', { meta: { a: 'b'.repeat(513) } }, 'meta.a', META_VALUE],
  ...[null, {}, ['a']].map(
    (value): RejectedFields => [
      `a meta value of ${JSON.stringify(value)}`,
      { meta: { a: value } },
      'meta.a',
      META_VALUE,
    ],
  ),
  ['a history_limit of -1', { history_limit: -1 }, 'history_limit', /must be a whole number from 0 to 100/],
  ['a history_limit of 101', { history_limit: 101 }, 'history_limit', /must be a whole number from 0 to 100/],
  ...[1.5, '5', true, [5], {}, 2 ** 31, 1e300].map(
    (value): RejectedFields => [
      `a history_limit of ${JSON.stringify(value)}`,
      { history_limit: value },
      'history_limit',
      /must be a whole number/,
    ],
  ),
  ...['', 'abc', '00000000-0000-4000-8000-00000000000', '{00000000-0000-4000-8000-000000000001}', 5, true, [], {}].map(
    (value): RejectedFields => [
      `a conversation_id of ${JSON.stringify(value)}`,
      { conversation_id: value },
      'conversation_id',
      /must be a (UUID|string)/,
    ],
  ),
  ['a conversation_id with a NUL', { conversation_id: '00000000-0000-4000-8000-00000000000\0' }, 'conversation_id'],
];

for (const operation of TURN_OPERATIONS) {
  describe(`the fields of a turn through ${operation.name}`, () => {
    it.each(ACCEPTED)('accepts %s', async (_description, fields) => {
      expect(operation.conversationIdOf(await operation.send(service, turnWith(fields)))).toMatch(/^[0-9a-f-]{36}$/);
    });

    it.for(REJECTED)('rejects %s', async ([_description, fields, param, message]) => {
      operation.expectRejected(await operation.send(service, turnWith(fields)), param, message);
    });

    it('accepts a conversation_id in upper case', async () => {
      const id = operation.conversationIdOf(await operation.send(service, turnWith({})));
      const repeated = await operation.send(service, turnWith({ conversation_id: id.toUpperCase() }));
      expect(operation.conversationIdOf(repeated)).toBe(id);
    });

    it('stores variables and meta unchanged, with any names', async () => {
      const input = JSON.parse(NASTY_NAMES);
      const id = operation.conversationIdOf(await operation.send(service, turnWith({ variables: input, meta: input })));
      const read = 'query ($id: ID!) { conversation(id: $id) { variables { name value } meta } }';
      const { body } = await service.graphql(read, { id });
      const { variables } = body.data.conversation;
      expect(Object.entries(byName(variables)).sort()).toEqual(Object.entries(input).sort());
      expect(Object.entries(body.data.conversation.meta).sort()).toEqual(Object.entries(input).sort());
    });
  });
}

for (const operation of ONE_PER_API) {
  it.for(MALFORMED_KEYS.filter(([, fields]) => operation.protocol === 'REST' || 'meta' in fields))(
    `a turn through ${operation.name} is rejected with %s`,
    async ([_description, fields, param, message]) => {
      operation.expectRejected(await operation.send(service, turnWith(fields)), param, message);
    },
  );
}

for (const operation of REST_TURN_OPERATIONS) {
  it.for(REJECTED_IN_REST)(
    `a turn through ${operation.name} is rejected with %s`,
    async ([_description, fields, param, message]) => {
      operation.expectRejected(await operation.send(service, turnWith(fields)), param, message);
    },
  );

  describe(`unknown body fields through ${operation.name}`, () => {
    it('are ignored with any value', async () => {
      const unknown = {
        nope: 1,
        contents: [],
        Content: 5,
        historyLimit: 'x',
        conversationId: 'x',
        a: '\0',
        'b\ud800': 1,
      };
      const part = { ...textPart('Hello'), nope: { a: '\0' }, TEXT: 5 };
      const response = await operation.send(service, { ...unknown, content: [part] });
      expect(operation.conversationIdOf(response)).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('are ignored if they have names of JavaScript properties', async () => {
      const body = JSON.parse('{"__proto__": {"content": []}, "constructor": 1, "toString": 2}');
      const response = await operation.send(service, { ...body, content: [textPart('Hello')] });
      expect(operation.conversationIdOf(response)).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('never replace a missing field', async () => {
      const body = JSON.parse('{"__proto__": {"content": [{"type": "text", "text": "Hello"}]}}');
      operation.expectRejected(await operation.send(service, body), 'content', /is required/);
    });
  });
}

for (const operation of GRAPHQL_TURN_OPERATIONS) {
  it(`${operation.name} rejects an unknown input field`, async () => {
    const response = await operation.send(service, turnWith({ nope: 1 }));
    operation.expectRejected(response, 'nope', /is not a field of this input/);
  });
}

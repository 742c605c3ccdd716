import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import {
  GRAPHQL_TURN_DOORS,
  ONE_OF_EACH,
  REST_TURN_DOORS,
  TURN_DOORS,
  textPart,
  turnWith,
} from '../support/turn-doors.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** So many keys, each with this value. */
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
  ['meta numbers', { meta: { a: 0, b: -1.5, c: 1e308, d: Number.MIN_VALUE, e: 2 ** 53 } }],
  ['meta booleans', { meta: { a: true, b: false } }],
  ['meta named like parts of JavaScript', { meta: JSON.parse(NASTY_NAMES) }],
  ['meta keys that only contain a reserved one', { meta: { pages: 1, page_size_: 1, Page: 1 } }],
  ['a history_limit of 0', { history_limit: 0 }],
  ['a history_limit of 100', { history_limit: 100 }],
  ['null for every optional field', { conversation_id: null, variables: null, meta: null, history_limit: null }],
];

const KEYS = /must have keys of 1 to 64 letters, digits, "_", "." or "-"/;
const UNSTORABLE_KEY = /must not have keys with NUL characters or halves of surrogate pairs/;
const UNSTORABLE = /must not hold NUL characters or halves of surrogate pairs/;
const RESERVED = /must not use the keys page and page_size/;
const META_VALUE = /must be a string of at most 512 characters, a finite number or a boolean/;

type Refused = readonly [what: string, fields: Record<string, unknown>, param: string, message?: RegExp];

/** What holds for the keys of variables and meta alike. */
const badKeys = (field: 'variables' | 'meta'): Refused[] => [
  [`an empty key in ${field}`, { [field]: { '': 'a' } }, field, KEYS],
  [`a key of 65 characters in ${field}`, { [field]: { ['k'.repeat(65)]: 'a' } }, field, KEYS],
  [`a space in a key of ${field}`, { [field]: { 'a b': 'a' } }, field, KEYS],
  [`a NUL in a key of ${field}`, { [field]: { 'a\0': 'a' } }, field, UNSTORABLE_KEY],
  [`half of a surrogate pair in a key of ${field}`, { [field]: { 'a\ud800': 'a' } }, field, UNSTORABLE_KEY],
  [`a NUL in a value of ${field}`, { [field]: { a: '\0' } }, `${field}.a`, UNSTORABLE],
  [`half of a surrogate pair in a value of ${field}`, { [field]: { a: '\udc00' } }, `${field}.a`, UNSTORABLE],
  ...[[], ['a'], 'a', 1, true].map(
    (value): Refused => [`${JSON.stringify(value)} for ${field}`, { [field]: value }, field, /must be an object/],
  ),
];

/** Keys that hold other characters than a key may. */
const MISSPELT = (['variables', 'meta'] as const).flatMap((field) =>
  ['a/b', 'ä', 'a\n', '$a', 'a[0]', '😀'].map(
    (key): Refused => [`the key ${JSON.stringify(key)} in ${field}`, { [field]: { [key]: 'a' } }, field, KEYS],
  ),
);

const REFUSED: readonly Refused[] = [
  ...badKeys('variables'),
  ['101 variables', { variables: keys(101, 'a') }, 'variables', /at most 100 keys/],
  ['a variable of 10,001 characters', { variables: { a: 'b'.repeat(10_001) } }, 'variables.a', /at most 10,000/],
  ...[null, 1, true, {}, ['a']].map(
    (value): Refused => [
      `a variable of ${JSON.stringify(value)}`,
      { variables: { a: value } },
      'variables.a',
      /must be a string/,
    ],
  ),
  ['a wrong variable behind one named __proto__', { variables: JSON.parse('{"__proto__": 1}') }, 'variables.__proto__'],
  ...badKeys('meta'),
  ['51 meta keys', { meta: keys(51, 'a') }, 'meta', /at most 50 keys/],
  ['the meta key page', { meta: { page: 'a' } }, 'meta', RESERVED],
  ['the meta key page_size', { meta: { page_size: 'a' } }, 'meta', RESERVED],
  ['a meta string of 513 characters', { meta: { a: 'b'.repeat(513) } }, 'meta.a', META_VALUE],
  ...[null, {}, ['a']].map(
    (value): Refused => [`a meta value of ${JSON.stringify(value)}`, { meta: { a: value } }, 'meta.a', META_VALUE],
  ),
  ['a history_limit of -1', { history_limit: -1 }, 'history_limit', /must be from 0 to 100/],
  ['a history_limit of 101', { history_limit: 101 }, 'history_limit', /must be from 0 to 100/],
  ...[1.5, '5', true, [5], {}, 2 ** 31, 1e300].map(
    (value): Refused => [
      `a history_limit of ${JSON.stringify(value)}`,
      { history_limit: value },
      'history_limit',
      /must be a whole number/,
    ],
  ),
  ...['', 'abc', '00000000-0000-4000-8000-00000000000', '{00000000-0000-4000-8000-000000000001}', 5, true, [], {}].map(
    (value): Refused => [
      `a conversation_id of ${JSON.stringify(value)}`,
      { conversation_id: value },
      'conversation_id',
      /must be a UUID/,
    ],
  ),
  ['a conversation_id with a NUL', { conversation_id: '00000000-0000-4000-8000-00000000000\0' }, 'conversation_id'],
];

for (const door of TURN_DOORS) {
  describe(`WIRE 1: the fields of a turn by ${door.name}`, () => {
    it.each(ACCEPTED)('takes %s', async (_what, fields) => {
      expect(door.idOf(await door.take(service, turnWith(fields)))).toMatch(/^[0-9a-f-]{36}$/);
    });

    it.for(REFUSED)('refuses %s', async ([_what, fields, param, message]) => {
      door.expectRefused(await door.take(service, turnWith(fields)), param, message);
    });

    it('takes a conversation_id in upper case', async () => {
      const id = door.idOf(await door.take(service, turnWith({})));
      const again = await door.take(service, turnWith({ conversation_id: id.toUpperCase() }));
      expect(door.idOf(again)).toBe(id);
    });

    it('keeps variables and meta as they were sent, whatever their names', async () => {
      const given = JSON.parse(NASTY_NAMES);
      const id = door.idOf(await door.take(service, turnWith({ variables: given, meta: given })));
      const read = 'query ($id: UUID!) { conversation(conversationId: $id) { variables meta } }';
      const { body } = await service.graphql(read, { id });
      expect(Object.entries(body.data.conversation.variables).sort()).toEqual(Object.entries(given).sort());
      expect(Object.entries(body.data.conversation.meta).sort()).toEqual(Object.entries(given).sort());
    });
  });
}

for (const door of ONE_OF_EACH) {
  it.for(MISSPELT)(`a turn by ${door.name} is refused with %s`, async ([_what, fields, param, message]) => {
    door.expectRefused(await door.take(service, turnWith(fields)), param, message);
  });
}

for (const door of REST_TURN_DOORS) {
  describe(`WIRE 1: unknown body fields by ${door.name}`, () => {
    it('are ignored, whatever they hold', async () => {
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
      const answer = await door.take(service, { ...unknown, content: [part] });
      expect(door.idOf(answer)).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('are ignored where they are named like parts of JavaScript', async () => {
      const body = JSON.parse('{"__proto__": {"content": []}, "constructor": 1, "toString": 2}');
      const answer = await door.take(service, { ...body, content: [textPart('Hello')] });
      expect(door.idOf(answer)).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('never stand in for a field that is missing', async () => {
      const body = JSON.parse('{"__proto__": {"content": [{"type": "text", "text": "Hello"}]}}');
      door.expectRefused(await door.take(service, body), 'content', /is required/);
    });
  });
}

for (const door of GRAPHQL_TURN_DOORS) {
  it(`${door.name} tells of a field that its input does not have`, async () => {
    const answer = await door.take(service, turnWith({ nope: 1 }));
    door.expectRefused(answer, 'nope', /is not a field of this input/);
  });
}

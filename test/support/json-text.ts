import fc from 'fast-check';
import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';

/** JSON arrays nested this many levels deep. */
export function deepList(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

export function deepObject(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

/** Arrays and objects nested in alternation. */
export function nested(levels: number): string {
  const steps = Array.from({ length: levels }, (_, index) => index % 2 === 0);
  const open = steps.map((isList) => (isList ? '[' : '{"a":')).join('');
  // The innermost object must not be empty.
  const inner = levels % 2 === 0 ? '1' : '';
  return (
    open +
    inner +
    steps
      .reverse()
      .map((isList) => (isList ? ']' : '}'))
      .join('')
  );
}

const NAMES = [
  'content',
  'conversation_id',
  'conversationId',
  'variables',
  'meta',
  'history_limit',
  'type',
  'text',
  'mime_type',
  'file_uri',
  'data',
  'page',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  'a\0',
  '\ud800',
];

const key = fc
  .oneof({ weight: 5, arbitrary: fc.constantFrom(...NAMES) }, fc.string())
  .map((name) => JSON.stringify(name));

const number = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '-1',
    '1',
    '5',
    '100',
    '101',
    '1.5',
    '1e999',
    '-1e999',
    '1e-999',
    '2147483648',
    '9007199254740993',
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);

const text = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'Hello',
    'text',
    'url',
    'image',
    'data',
    'image/png',
    'https://example.com',
    'AAAA',
    'a\0',
    '\udfff',
  ),
  fc.constantFrom(DEMO_AGENT_ID, 'x'.repeat(600), 'x'.repeat(10_001), '__proto__'),
  fc.string(),
  fc.string({ unit: 'binary' }),
);

const leaf = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('null', 'true', 'false', '{}', '[]') },
  { weight: 20, arbitrary: number },
  { weight: 20, arbitrary: text.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.constantFrom(deepList(10_000), deepObject(10_000)) },
);

const object = (value: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(key, value), { maxLength: 4 })
    .map((entries) => `{${entries.map((entry) => entry.join(':')).join()}}`);

/** Any JSON, as text. It includes what JavaScript would lose: 1e999, duplicate keys, __proto__. */
export const anyJson: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
    object(tie('value')),
  ),
})).value;

const usually = (valid: fc.Arbitrary<string>) => fc.oneof({ weight: 15, arbitrary: valid }, anyJson);

const part = usually(
  fc
    .record(
      {
        type: usually(fc.constantFrom('"text"', '"url"', '"image"', '"data"')),
        text: usually(fc.constant('"Hello"')),
        mime_type: usually(fc.constant('"image/png"')),
        file_uri: usually(fc.webUrl().map((url) => JSON.stringify(url))),
        data: usually(fc.base64String().map((data) => JSON.stringify(data))),
      },
      { requiredKeys: ['type'] },
    )
    .map(toJson),
);

/** A turn in which any field may be wrong, missing or duplicated. */
export const anyTurn: fc.Arbitrary<string> = usually(
  fc
    .record(
      {
        content: usually(fc.array(part, { maxLength: 3 }).map((parts) => `[${parts.join()}]`)),
        conversation_id: usually(fc.constant('null')),
        variables: usually(fc.constantFrom('null', '{}', '{"NAME":"Ada"}')),
        meta: usually(fc.constantFrom('null', '{}', '{"a":1.5,"b":true}')),
        history_limit: usually(fc.integer({ min: 0, max: 101 }).map(String)),
      },
      { requiredKeys: ['content'] },
    )
    .chain((fields) =>
      fc
        .oneof(fc.constant('{}'), object(anyJson))
        .map((more) => `${toJson(fields).slice(0, -1)}${more === '{}' ? '' : ','}${more.slice(1)}`),
    ),
);

function toJson(fields: Partial<Record<string, string>>): string {
  return `{${Object.entries(fields)
    .map(([name, value]) => `"${name}":${value}`)
    .join()}}`;
}

const queryText = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '100',
    '101',
    '-1',
    '1.5',
    'abc',
    '%',
    '%00',
    '%zz',
    '%ED%A0%80',
    '%25',
    '+',
    '[]',
    'A'.repeat(300),
  ),
  fc.string({ unit: 'grapheme' }).map(encodeURIComponent),
);

const queryName = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      ...['limit', 'cursor', 'page', 'page_size', 'type', 'from', 'to', 'resourceId'],
      ...['limit[]', '__proto__', 'constructor', '%00'],
    ),
  },
  queryText,
);

export const anyQuery: fc.Arbitrary<string> = fc
  .array(fc.tuple(queryName, fc.constantFrom('=', '', '=='), queryText), { maxLength: 6 })
  .map((pairs) => pairs.map((pair) => pair.join('')).join('&'));

import { expect, it } from 'vitest';
import { providerSchema } from '../../src/model/tool-schema.ts';

it.each([
  [{}, { type: 'object', properties: {} }],
  [{ type: 'object' }, { type: 'object', properties: {} }],
  [
    { type: 'object', properties: { a: {} }, oneOf: [{ required: ['a'] }, { required: ['b'], properties: { b: {} } }] },
    { type: 'object', properties: { a: {}, b: {} } },
  ],
  [
    { allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, true], required: ['b'], $defs: { x: {} } },
    { type: 'object', properties: { a: { type: 'string' } }, required: ['b', 'a'], $defs: { x: {} } },
  ],
  [
    { type: ['object', 'null'], not: {}, if: {}, enum: [1] },
    { type: 'object', properties: {} },
  ],
  [
    {
      type: 'object',
      properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      additionalProperties: false,
    },
  ],
])('the schema %j is sent as %j', (schema, sent) => {
  expect(providerSchema(schema)).toEqual(sent);
});

import { describe, expect, it } from 'vitest';
import { breakingOpenApiChanges, type Document } from '../../src/rest/openapi-changes.ts';
import type { Schema } from '../../src/rest/schema-changes.ts';

/** A document with one operation. */
function posting(request: Schema, answer: Schema = {}, operation: object = {}, schemas: object = {}): Document {
  const json = (schema: Schema) => ({ 'application/json': { schema } });
  const responses = { 200: { headers: { ETag: {} }, content: json(answer) }, 404: {} };
  const post = { requestBody: { content: json(request) }, responses, ...operation };
  return { paths: { '/a': { post } }, components: { schemas } } as unknown as Document;
}

const object = (properties: Record<string, Schema>, ...required: string[]): Schema => ({
  type: 'object',
  properties,
  required,
});
const text: Schema = { type: 'string' };
const orNull: Schema = { type: ['string', 'null'] };
const ref: Schema = { $ref: '#/components/schemas/Own' };

const requests = (before: Schema, after: Schema) => breakingOpenApiChanges(posting(before), posting(after));
const answers = (before: Schema, after: Schema) => breakingOpenApiChanges(posting({}, before), posting({}, after));

describe('breaking changes of a request', () => {
  it.each<[string, Schema, Schema]>([
    ['.a is required', object({ a: text }), object({ a: text }, 'a')],
    ['.a is required', object({}), object({ a: text }, 'a')],
    ['.a was removed', object({ a: text }), object({})],
    ['.a was string or null and is string', object({ a: orNull }), object({ a: text })],
    ['.a was string and is integer', object({ a: text }), object({ a: { type: 'integer' } })],
    ['.a was of any type and is string', object({ a: {} }), object({ a: text })],
    ['[] has the maxLength 3', { type: 'array', items: text }, { type: 'array', items: { ...text, maxLength: 3 } }],
    [' has the minimum 2', { type: 'integer', minimum: 1 }, { type: 'integer', minimum: 2 }],
    [' has the pattern a', text, { ...text, pattern: 'a' }],
    [' no longer accepts b', { enum: ['a', 'b'] }, { enum: ['a'] }],
    [' is one of a', text, { ...text, enum: ['a'] }],
    ['.* is no longer accepted', object({}), { ...object({}), additionalProperties: false }],
    [' (1) was removed', { anyOf: [text, { type: 'integer' }] }, { anyOf: [text, { type: 'null' }] }],
  ])('%s', (change, before, after) => {
    expect(requests(before, after)).toContain(`POST /a: the request's body${change}`);
  });

  it.each<[string, Schema, Schema]>([
    ['an optional field', object({}), object({ a: text })],
    ['null', object({ a: text }), object({ a: { anyOf: [text, { type: 'null' }] } })],
    ['another value', { enum: ['a'] }, { enum: ['a', 'b'] }],
    ['more of it', { maxLength: 1, minItems: 2 }, { maxLength: 2 }],
    ['any number for an integer', { type: 'integer' }, { type: 'number' }],
  ])('and not that it may hold %s', (_what, before, after) => expect(requests(before, after)).toEqual([]));
});

describe('breaking changes of a response', () => {
  it.each<[string, Schema, Schema]>([
    ['.a was removed', object({ a: text }, 'a'), object({})],
    ['.a can be missing', object({ a: text }, 'a'), object({ a: text })],
    ['.a was string and is string or null', object({ a: text }), object({ a: { anyOf: [text, { type: 'null' }] } })],
    [' has the format (no value)', { ...text, format: 'uuid' }, text],
    ['.a was string and is of any type', object({ a: text }), object({ a: {} })],
  ])('%s', (change, before, after) => {
    expect(answers(before, after)).toContain(`POST /a: the response 200${change}`);
  });

  it.each<[string, Schema, Schema]>([
    ['a further field', object({}), object({ a: text }, 'a')],
    ['a further value', { enum: ['a'] }, { enum: ['a', 'b'] }],
    ['a further alternative', { oneOf: [text, { type: 'integer' }] }, { oneOf: [text, { type: 'integer' }, {}] }],
    ['less than before', object({ a: orNull }), object({ a: text }, 'a')],
  ])('and not %s', (_what, before, after) => expect(answers(before, after)).toEqual([]));

  it('are found in referenced schemas and in recursive schemas', () => {
    const own = (a: Schema) => posting({}, ref, {}, { Own: object({ a, inner: ref }) });
    expect(breakingOpenApiChanges(own(text), own(orNull))).toEqual([
      'POST /a: the response 200.a was string and is string or null',
    ]);
  });
});

describe('breaking changes of an operation', () => {
  const limit = { name: 'limit', in: 'query', schema: { type: 'integer' } };
  it.each<[string, object, object]>([
    ['POST /a: query parameter limit was removed', { parameters: [limit] }, {}],
    ['POST /a: query parameter limit is required', {}, { parameters: [{ ...limit, required: true }] }],
    [
      'POST /a: query parameter limit has the maximum 5',
      { parameters: [limit] },
      { parameters: [{ ...limit, schema: { type: 'integer', maximum: 5 } }] },
    ],
    [
      "POST /a: the request's body is required",
      {},
      { requestBody: { required: true, content: { 'application/json': {} } } },
    ],
    ["POST /a: the request's body was removed", {}, { requestBody: undefined }],
    ['POST /a: the response 200 was removed', {}, { responses: { 201: {} } }],
    ['POST /a: the header ETag of the response 200 was removed', {}, { responses: { 200: {} } }],
    ['POST /a: the content type application/json of the response 200 was removed', {}, { responses: { 200: {} } }],
    ['POST /a requires the scope a:write', {}, { 'x-required-scope': 'a:write' }],
    ['POST /a no longer accepts key', { security: [{ key: [] }, { cookie: [] }] }, { security: [{ cookie: [] }] }],
    ['POST /a no longer accepts requests without credentials', {}, { security: [{ key: [] }] }],
  ])('%s', (change, before, after) => {
    expect(breakingOpenApiChanges(posting({}, {}, before), posting({}, {}, after))).toContain(change);
  });

  it('include its removal and the removal of its path', () => {
    expect(breakingOpenApiChanges(posting({}), { paths: { '/a': {} } })).toEqual(['POST /a was removed']);
    expect(breakingOpenApiChanges(posting({}), {})).toEqual(['POST /a was removed']);
  });

  it('do not include changes of error responses', () => {
    expect(
      breakingOpenApiChanges(posting({}), posting({}, {}, { responses: posting({}).paths?.['/a']?.post?.responses })),
    ).toEqual([]);
  });
});

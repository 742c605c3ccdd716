import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { check } from '../support/documents.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

const LIST = 'resources { totalCount }';

/** Texts that cannot be published under the name `a_name`, and a part of the first problem with its place. */
const REJECTED: readonly (readonly [title: string, text: string, message: string, at?: readonly [number, number]])[] = [
  ['nothing', '', 'Unexpected <EOF>', [1, 1]],
  ['a syntax error', '{\n  resources {', 'Expected Name', [2, 14]],
  ['an unknown field', '{\n  missing }', 'Cannot query field "missing"', [2, 3]],
  ['two operations', `query A { ${LIST} } query B { ${LIST} }`, 'only one operation', [1, 38]],
  ['only a fragment', 'fragment A on Query { me { environment } }', 'needs a query or a mutation'],
  ['a type', `type A { a: Int } query { ${LIST} }`, 'one operation and its fragments'],
  ['a subscription', 'subscription { eventAppended { cursor } }', 'cannot be published'],
  ['introspection', '{ __schema { types { name } } }', 'cannot read the schema'],
  ['a root field in a fragment', `{ ... { ${LIST} } }`, 'List the root fields directly'],
  ['a root field twice', `{ ${LIST} ${LIST} }`, 'occurs twice'],
  ['a root __typename', `{ __typename ${LIST} }`, 'Remove __typename'],
  [
    'two mutations',
    'mutation { a: deleteResource(input: { id: "a" }) { __typename } b: deleteResource(input: { id: "b" }) { __typename } }',
    'exactly one root field',
  ],
  ['a reserved alias', '{ resources { __proto__: totalCount } }', 'reserved'],
  [
    'a reserved variable',
    `query ($__proto__: String) { resources(filter: { type: $__proto__ }) { totalCount } }`,
    'reserved',
  ],
  ['@skip', 'query ($a: Boolean!) { resources { totalCount @skip(if: $a) } }', '@skip is not available'],
  [
    'an argument of the built-in documents',
    `query @rest(get: "/v1/x/a_name", anyOrigin: true) { ${LIST} }`,
    'Unknown argument "anyOrigin"',
  ],
  ['`location`', `query @rest(get: "/v1/x/a_name", location: "/x") { ${LIST} }`, 'Unknown argument "location"'],
  ['another path', `query @rest(get: "/v1/resources") { ${LIST} }`, 'must start with /v1/x/a_name'],
  ['the path of another document', `query @rest(get: "/v1/x/a_name_too") { ${LIST} }`, 'must start with /v1/x/a_name'],
  ['a regular expression', `query @rest(get: "/v1/x/a_name/(.*)+") { ${LIST} }`, 'The segment'],
  ['dots', `query @rest(get: "/v1/x/a_name/../me") { ${LIST} }`, 'The segment'],
  [
    'too many segments',
    `query @rest(get: "/v1/x/a_name${'/a'.repeat(LIMITS.documentPathSegments + 1)}") { ${LIST} }`,
    'at most',
  ],
  ['an unknown path variable', `query @rest(get: "/v1/x/a_name/{id}") { ${LIST} }`, 'needs a variable $id'],
  [
    'an optional path variable',
    'query ($id: String) @rest(get: "/v1/x/a_name/{id}") { resources(filter: { type: $id }) { totalCount } }',
    'needs a variable $id',
  ],
  [
    'a path variable twice',
    'query ($id: ID!) @rest(get: "/v1/x/a_name/{id}/{id}") { resource(id: $id) { type } }',
    'twice',
  ],
  ['two methods', `query @rest(get: "/v1/x/a_name", post: "/v1/x/a_name") { ${LIST} }`, 'one path'],
  [
    'a mutation by GET',
    'mutation ($id: ID!) @rest(get: "/v1/x/a_name") { deleteResource(input: { id: $id }) { __typename } }',
    'method post, put, patch, delete',
  ],
  ['an error as the status', `query @rest(get: "/v1/x/a_name", status: 500) { ${LIST} }`, 'The status'],
  [
    'unwrap of a list',
    'query ($ids: [ID!]!) @rest(get: "/v1/x/a_name", unwrap: true) { nodes(ids: $ids) { id } }',
    'unwrap needs',
  ],
  [
    'unwrap of null',
    'query ($id: ID!) @rest(get: "/v1/x/a_name", unwrap: true) { node(id: $id) { id } }',
    'unwrap needs',
  ],
  [
    'a credential',
    `query ($a: String @header(name: "Authorization")) { resources(filter: { type: $a }) { totalCount } }`,
    'can only read the header If-Match',
  ],
  ['a cookie', 'query { resources { totalCount @header(name: "Set-Cookie") } }', 'Only one field `etag`'],
  ['an entity tag in a list', 'query { resources { nodes { etag @header(name: "ETag") } } }', 'must not be in a list'],
  ['@spread of a list', 'query { resources { nodes @spread { type } } }', '@spread needs'],
  [
    'too many variables',
    `query (${times(LIMITS.documentVariables + 1, (n) => `$a${n}: String`)}) {
      ${times(LIMITS.documentVariables + 1, (n) => `a${n}: resources(filter: { type: $a${n} }) { totalCount }`)} }`,
    'at most 50 variables',
  ],
  [
    'too many fields of one object',
    `{ resources { ${times(LIMITS.documentBreadth + 1, () => 'totalCount')} } }`,
    'breadth is 101',
  ],
  ['too many tokens', `{ ${'a '.repeat(LIMITS.documentTokens)} }`, 'tokens'],
  [
    'too many fields',
    `{ ${times(90, (n) => `a${n}: resources { nodes { ...R } }`)} }
      fragment R on Resource { id resourceId type fields createdAt updatedAt etag environment { id kind } }`,
    'number of fields',
  ],
  [
    'more than the maximum cost',
    '{ conversations(first: 100) { nodes { runs(first: 100) { nodes { history(first: 100) { nodes { id } } } } } } }',
    'cost',
  ],
];

describe('a text that cannot be published', () => {
  const cases = REJECTED.map(([title, text, message, at]) => ({ title, text, message, at }));
  it.each(cases)('has $title', async ({ text, message, at }) => {
    const { problems, route, trustedId } = await check(service, 'a_name', text);
    expect(problems[0]?.message).toContain(message);
    if (at) expect([problems[0].line, problems[0].column]).toEqual(at);
    expect([route, trustedId]).toEqual([null, null]);
  });

  it('does not include the widest object', async () => {
    const text = `{ resources { ${times(LIMITS.documentBreadth, () => 'totalCount')} } }`;
    expect((await check(service, 'a_name', text)).problems).toEqual([]);
  });

  it('has at most the highest number of problems', async () => {
    const text = `{ ${Array.from({ length: 90 }, (_, index) => `missing${index}`).join(' ')} }`;
    expect((await check(service, 'a_name', text)).problems).toHaveLength(LIMITS.documentProblems);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { buildSchema, Source } from 'graphql';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/contract/errors.ts';
import { internalSchema } from '../../src/graphql/schema/schema.ts';
import { compileDocuments } from '../../src/rest/documents.ts';
import { openApiDocument } from '../../src/rest/openapi.ts';
import { toRoute } from '../../src/rest/route.ts';
import { loadRoutes } from '../../src/rest/router.ts';
import { contractFiles } from '../../tools/schema.ts';
import { ROOT } from '../support/database.ts';
import { readDocument } from '../support/document-blocks.ts';

const routes = loadRoutes(internalSchema, ROOT);
const document = openApiDocument(internalSchema, routes, { version: '0.1.0' });

const files = await contractFiles(ROOT);

/** The cells of each row of the table below a heading of the guide. */
function rowsOf(heading: string): string[][] {
  const section = readDocument('docs/rest.md').split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.match(/^\| .* \|$/gm)?.slice(1) ?? [];
  return rows.map((row) => row.slice(2, -2).split(' | '));
}

const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate(structuredClone(document) as never)).toEqual({ valid: true });
  });

  it('contains exactly the REST routes', () => {
    const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId }]) => `${operationId}: ${method} ${path}`),
    );
    expect(documented.sort()).toEqual(routes.map(({ name, method, path }) => `${name}: ${method} ${path}`).sort());
  });

  it('has a summary for every operation', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(operations.filter(({ summary }) => !summary).map(({ operationId }) => operationId)).toEqual([]);
  });

  it('has exactly the paths of the guide, which begin with a version', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const named = rowsOf('Paths').flatMap(([paths = '']) => codeIn(paths));
    expect(named.sort(), 'Correct the table "Paths" of docs/rest.md').toEqual(operations.sort());
    expect(Object.keys(document.paths).filter((path) => !/^\/v[12]\//.test(path))).toEqual([]);
  });

  it('has exactly the filters of the guide in all three paths of the search', () => {
    const named = rowsOf('Search conversations').flatMap(([names = '']) => codeIn(names.replace('meta[key]', 'meta')));
    const others = ['cursor', 'limit', 'order', 'order_by'];
    for (const path of ['', '/totals', '/export']) {
      const parameters = document.paths[`/v1/conversations${path}`]?.get?.parameters ?? [];
      const query = parameters.flatMap((parameter) =>
        'in' in parameter && parameter.in === 'query' ? [parameter] : [],
      );
      const filters = query.map(({ name }) => name).filter((name) => !others.includes(name));
      expect(filters.sort()).toEqual([...named].sort());
    }
  });

  it('has exactly the error codes of the guide, with their statuses', () => {
    const named = rowsOf('Errors').flatMap(([statuses = '', codes = '']) => {
      const ofRow = codeIn(codes).map((code) => [code, ERROR_CODES[code as ErrorCode]?.status] as const);
      expect([...new Set(ofRow.map(([, status]) => status))].sort()).toEqual(statuses.split(', ').map(Number));
      return ofRow;
    });
    const all = Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status] as const);
    expect(named.sort()).toEqual(all.sort());
  });

  it('accepts an Idempotency-Key on every POST and on what starts a turn, and nowhere else', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { parameters = [], responses }] of Object.entries(methods)) {
        const accepts = parameters.some((parameter) => 'name' in parameter && parameter.name === 'Idempotency-Key');
        expect([method, path, accepts]).toEqual([method, path, method === 'post' || '202' in responses]);
      }
    }
  });

  it('has Location on the 201 responses that the guide names', () => {
    const created = routes.filter(({ directive }) => directive.status === 201);
    const without = created.filter(({ directive }) => !directive.location).map(({ name }) => name);
    expect(without).toEqual(['CreateEndUserToken', 'CreateUpload']);
  });

  it('says that IDs can exceed 32 bits, in schemas and examples', () => {
    const text = JSON.stringify(document);
    expect(text).toContain('"workflow_log_id":{"type":["integer","null"],"format":"int64"');
    expect(text).toMatch(/"workflow_log_id":\d{15}\b/);
  });

  it.each(files)('equals the committed file: $path', ({ path, text }) => {
    expect(readFileSync(join(ROOT, path), 'utf8'), `${path}: run npm run schema`).toBe(text);
  });

  it('and the other generated files are marked in .gitattributes', () => {
    const marks = readFileSync(join(ROOT, '.gitattributes'), 'utf8');
    const unmarked = files.filter(
      ({ path }) => !marks.includes(`\n${path.replace(/(documents\/).*/, '$1*')} linguist-generated`),
    );
    expect(unmarked.map(({ path }) => path)).toEqual([]);
  });
});

/** The OpenAPI document of one example with its own schema. */
function describing(types: string, operation: string) {
  const example = buildSchema(types);
  const documents = compileDocuments(example, [new Source(operation, 'schema/rest/pets.graphql')]);
  return openApiDocument(
    example,
    documents.map((one) => toRoute(example, one)),
    { version: '1.2.3' },
  );
}

const PETS = `
  enum Size { small large }
  interface Pet { name: String! }
  type Cat implements Pet { name: String! lives: Int! }
  type Dog implements Pet { name: String! tricks: [String]! owner: Owner }
  type Owner { id: ID! size: Size }
  union Found = Cat | Dog
  input Wish { ofSize: Size = small, nearTo: [ID!]!, or: Wish }
  type Query {
    "Finds a pet. Slowly."
    find("Where to look." place: String, size: Size, wish: Wish!): Found
    pets(size: Size): [Pet!]
  }
`;

describe('the OpenAPI document of a GraphQL document', () => {
  const find = (selection: string, directive = 'post: "/v1/{place}", body: "wish"') =>
    describing(
      PETS,
      `query Find($place: String!, $size: Size! = large, $wish: Wish!) @rest(${directive}) {
      find(place: $place, size: $size, wish: $wish) { ${selection} }
    }`,
    );
  const answerOf = (path: string, method: string, described: ReturnType<typeof find>) =>
    described.paths[path]?.[method]?.responses[200]?.content?.['application/json']?.schema;

  it('has oneOf for types of a union that exclude each other', () => {
    const selection = '__typename ... on Cat { lives } ... on Dog { tricks owner @spread { owner_id: id size } }';
    expect(answerOf('/v1/{place}', 'post', find(selection))?.properties?.find).toMatchObject({
      oneOf: [
        { title: 'Cat', required: ['__typename', 'lives'], properties: { lives: { type: 'integer' } } },
        {
          title: 'Dog',
          required: ['__typename', 'tricks', 'owner_id', 'size'],
          properties: {
            tricks: { type: 'array', items: { type: ['string', 'null'] } },
            owner_id: { type: ['string', 'null'] },
            size: { anyOf: [{ $ref: '#/components/schemas/Size' }, { type: 'null' }] },
          },
        },
      ],
    });
  });

  it('has anyOf for types that overlap, and merges equal types', () => {
    const list = (selection: string) =>
      describing(
        PETS,
        `query List($size: Size) @rest(get: "/v1/pets", unwrap: true) { pets(size: $size) { ${selection} } }`,
      );
    expect(answerOf('/v1/pets', 'get', list('name ... on Cat { lives }'))).toMatchObject({
      items: { anyOf: [{ title: 'Cat' }, { title: 'Dog' }] },
    });
    expect(answerOf('/v1/pets', 'get', list('name'))).toEqual({
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
  });

  it('has REST names in inputs', () => {
    const { paths, components } = find('__typename');
    expect(paths['/v1/{place}']?.post).toMatchObject({
      summary: 'Finds a pet',
      description: 'Slowly.',
      tags: ['pets'],
      security: [],
      parameters: [
        { name: 'place', in: 'path', required: true, description: 'Where to look.', schema: { type: 'string' } },
        { name: 'size', in: 'query', required: false, schema: { $ref: '#/components/schemas/Size', default: 'large' } },
        { name: 'Idempotency-Key', in: 'header', required: false },
      ],
      requestBody: { required: true },
    });
    expect(components.schemas.Wish).toEqual({
      type: 'object',
      required: ['near_to'],
      properties: {
        of_size: { anyOf: [{ $ref: '#/components/schemas/Size' }, { type: 'null' }], default: 'small' },
        near_to: { type: 'array', items: { type: 'string' } },
        or: { anyOf: [{ $ref: '#/components/schemas/Wish' }, { type: 'null' }] },
      },
    });
  });

  it('has no body for 204', () => {
    const { paths } = find('__typename', 'post: "/v1/{place}", body: "wish", status: 204');
    expect(paths['/v1/{place}']?.post?.responses[204]).not.toHaveProperty('content');
  });

  it('has request and response headers, with 304 for them', () => {
    const { paths } = describing(
      'type Pet { name: String! "Its version." tag: String! } type Query { pet(seen: String): Pet }',
      `query Pet($seen: String @header(name: "If-Match")) @rest(get: "/v1/pet", unwrap: true) {
        pet(seen: $seen) { name tag @header(name: "ETag") }
      }`,
    );
    const operation = paths['/v1/pet']?.get;
    expect(operation?.parameters).toMatchObject([
      { name: 'If-Match', in: 'header', required: false, schema: { type: 'string' } },
      { name: 'If-None-Match', in: 'header', required: false },
    ]);
    const headers = { ETag: { description: 'Its version.', schema: { type: 'string' } } };
    expect(operation?.responses).toMatchObject({
      200: { headers },
      304: { headers },
    });
    expect(operation?.responses[200]?.content?.['application/json']?.schema.properties).toEqual({
      name: { type: 'string' },
    });
  });

  it('repeats a query parameter for each item of a list', () => {
    const { paths } = describing(
      'type Query { pets(kinds: [String!]): [String!] }',
      'query Pets($kind: [String!]) @rest(get: "/v1/pets") { pets(kinds: $kind) }',
    );
    expect(paths['/v1/pets']?.get?.parameters).toMatchObject([
      { name: 'kind', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
    ]);
  });

  it('cannot be computed for a scalar without a schema, a duplicate name or a spread list', () => {
    const query = (type: string, selection: string, rest = '') =>
      describing(
        `scalar Mass enum Size { big } type Thing { mass: Mass size: Size things: [Thing!] thing: Thing! } type Query { of: ${type} }`,
        `query Q @rest(get: "/v1/q") { of ${selection} } ${rest}`,
      );
    expect(() => query('Thing', '{ mass }')).toThrow('The scalar Mass has no JSON Schema');
    expect(() => query('Thing', '{ thing { ...Size } size }', 'fragment Size on Thing { size }')).toThrow(
      'Two schemas of the OpenAPI document are called Size.',
    );
    expect(() => query('Thing', '{ things @spread { size } }')).toThrow(
      '@spread needs a field with one object. The type is [Thing!].',
    );
  });
});

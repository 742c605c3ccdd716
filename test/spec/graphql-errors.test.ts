import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/contract/errors.ts';
import type { SendOptions } from '../support/client.ts';
import { expectError, expectGraphqlError, expectRejection } from '../support/error-bodies.ts';
import { errorOf } from '../support/results.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const post = (body: unknown, headers: Record<string, string> = {}): [string, string, SendOptions] => [
  'POST',
  '/graphql',
  { body, headers },
];
const get = (query: string, headers: Record<string, string> = {}): [string, string, SendOptions] => [
  'GET',
  `/graphql?${query}`,
  { headers },
];
const MUTATION = encodeURIComponent(
  'mutation { signOut { __typename ... on SignOutPayload { deletedId } ... on Error { code message path } } }',
);
const VARIABLE = 'query ($first: Int!) { conversations(first: $first) { totalCount } }';

/** The fault, and its status for clients that accept JSON. With GraphQL's media type the status is the error's own. */
const REFUSED: readonly [what: string, request: [string, string, SendOptions], code: ErrorCode, json: number][] = [
  ['no document', post({}), 'invalid_request', 400],
  ['a document that is no text', post({ query: 5 }), 'invalid_request', 400],
  ['a document that cannot be parsed', post({ query: '{' }), 'invalid_request', 200],
  ['an unknown field', post({ query: '{ nope }' }), 'invalid_request', 200],
  ['an unknown operation', post({ query: 'query A { __typename }', operationName: 'B' }), 'invalid_request', 400],
  ['variables that are a string', post({ query: '{ __typename }', variables: 'a' }), 'invalid_request', 400],
  ['extensions that are a list', post({ query: '{ __typename }', extensions: [] }), 'invalid_request', 400],
  ['a variable of another type', post({ query: VARIABLE, variables: { first: 'x' } }), 'invalid_request', 200],
  ['a mutation by GET', get(`query=${MUTATION}`), 'method_not_allowed', 405],
  ['no document by GET', get('a=b'), 'invalid_request', 200],
  ['variables by GET that are no JSON', get('query={__typename}&variables={'), 'invalid_json', 400],
  ['extensions by GET that are no JSON', get('query={__typename}&extensions=a'), 'invalid_json', 400],
  ['variables by GET that are no object', get('query={__typename}&variables=5'), 'invalid_request', 400],
  ['another method', ['PUT', '/graphql', {}], 'method_not_allowed', 405],
  [
    'another content type',
    ['POST', '/graphql', { raw: 'a', headers: { 'content-type': 'text/plain' } }],
    'unsupported_media_type',
    415,
  ],
];

describe("GraphQL's own errors have the codes of this service", () => {
  it.each(REFUSED)('%s', async (_description, [method, path, options], code, json) => {
    for (const [accept, status] of [
      ['application/graphql-response+json', ERROR_CODES[code].status],
      ['application/json', json],
    ] as const) {
      const response = await service.send(method, path, { ...options, headers: { ...options.headers, accept } });
      expectGraphqlError(response, code);
      expect(response.body).not.toHaveProperty('data');
      expect(response.status).toBe(status);
    }
  });

  it('names the allowed methods of a mutation and of the endpoint', async () => {
    expect((await service.send('GET', `/graphql?query=${MUTATION}`)).headers.get('allow')).toBe('POST');
    expect((await service.send('PUT', '/graphql')).headers.get('allow')).toBe('GET, POST');
  });

  it('rejects an Accept header without a supported media type', async () => {
    const response = await service.send(...post({ query: '{ __typename }' }, { accept: 'image/png' }));
    expectRejection('/graphql', response, 'not_acceptable', { message: 'application/json' });
  });

  it('names the location of the fault in the document', async () => {
    const { body } = await service.graphql('{\n  nope\n}');
    expect(body.errors[0].locations).toEqual([{ line: 2, column: 3 }]);
  });

  it('ignores parameters that it does not know', async () => {
    const { body } = await service.send(...post({ query: '{ __typename }', newer: true }));
    expect(body).toEqual({ data: { __typename: 'Query' } });
    expect((await service.send(...get('query={__typename}&newer=true'))).body).toEqual(body);
  });

  it('requires credentials before it rejects an invalid global ID', async () => {
    for (const document of [
      '{ node(id: "nope") { id } }',
      '{ nodes(ids: ["nope"]) { id } }',
      '{ ...F } fragment F on Query { it: node(id: "bm9wZTox") { id } }',
    ]) {
      const response = await service.graphql(document, {}, { key: null });
      expectGraphqlError(response, 'unauthorized');
      expect(response.status).toBe(401);
      expectGraphqlError(await service.graphql(document), 'invalid_request', {
        param: /nodes/.test(document) ? 'ids' : 'id',
      });
    }
  });
});

describe('INTROSPECTION=off', () => {
  let closed: TestService;
  beforeAll(async () => {
    closed = await startService({ introspection: false });
  });
  afterAll(() => closed.close());

  it.each(['{ __schema { queryType { name } } }', '{ __type(name: "Query") { name } }'])(
    'rejects %s',
    async (document) => {
      expect(errorOf(await service.graphql(document))).toBeUndefined();
      expectGraphqlError(await closed.graphql(document), 'invalid_request', { message: 'introspection' });
      const path = `/graphql?query=${encodeURIComponent(document)}`;
      expectGraphqlError(await closed.send('GET', path), 'invalid_request', { message: 'introspection' });
    },
  );

  it('suggests no names', async () => {
    for (const document of [
      '{ conversatons { totalCount } }',
      '{ conversations(frist: 1) { totalCount } }',
      '{ conversations { ... on ConversationConection { totalCount } } }',
      '{ conversations(filter: { status: activ }) { totalCount } }',
      '{ conversations(filter: { statuss: active }) { totalCount } }',
    ]) {
      expect((await service.graphql(document)).body.errors[0].message).toMatch(/Did you mean/);
      expect((await closed.graphql(document)).body.errors[0].message).not.toMatch(/Did you mean/);
    }
  });

  it('still returns the __typename of a selected type', async () => {
    expect((await closed.graphql('{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
  });
});

describe('a read that exceeds the time limit', () => {
  it('times out on both APIs with unavailable', async () => {
    const slow = await startService({ requestTimeoutMs: 200 });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let locked = () => {};
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const holding = slow.service.services.stores.prisma.$transaction(
      async (transaction) => {
        await transaction.$executeRawUnsafe('LOCK TABLE deployment IN ACCESS EXCLUSIVE MODE');
        locked();
        await released;
      },
      { timeout: 20_000 },
    );
    await isLocked;
    const document = 'query ($id: ID!) { widgetMeta(deploymentId: $id) { name } }';
    const requests = await slow.graphql(document, { id: DEMO_CHAT_ID }, { key: null });
    const read = await slow.send('GET', `/v1/runner/${DEMO_CHAT_ID}/widget-meta`, { key: null });
    release();
    await holding;
    expectGraphqlError(requests, 'unavailable', { message: 'more than 0.2 s' });
    expect([requests.status, requests.headers.get('retry-after')]).toEqual([503, '2']);
    expectError(read, 'unavailable', { message: 'more than 0.2 s' });
    expect(errorOf(await slow.graphql(document, { id: DEMO_CHAT_ID }, { key: null }))).toBeUndefined();
    await slow.close();
  });
});

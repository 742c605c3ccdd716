import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/contract/errors.ts';
import type { SendOptions } from '../support/client.ts';
import { expectError, expectGraphqlError, expectRefusal } from '../support/error-bodies.ts';
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
const MUTATION = encodeURIComponent('mutation { signOut { sessionId } }');
const VARIABLE = 'query ($id: UUID!) { conversation(conversationId: $id) { name } }';

/** What is wrong, and with which status it is told to whoever reads GraphQL's media type, and to whoever reads JSON. */
const REFUSED: readonly [what: string, request: [string, string, SendOptions], code: ErrorCode, json: number][] = [
  ['no document', post({}), 'invalid_request', 400],
  ['a document that is no text', post({ query: 5 }), 'invalid_request', 400],
  ['a document that cannot be parsed', post({ query: '{' }), 'invalid_request', 200],
  ['an unknown field', post({ query: '{ nope }' }), 'invalid_request', 200],
  ['an unknown operation', post({ query: 'query A { __typename }', operationName: 'B' }), 'invalid_request', 400],
  ['variables that are none', post({ query: '{ __typename }', variables: 'a' }), 'invalid_request', 400],
  ['extensions that are none', post({ query: '{ __typename }', extensions: [] }), 'invalid_request', 400],
  ['a variable of another type', post({ query: VARIABLE, variables: { id: 5 } }), 'invalid_request', 200],
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

describe("WIRE 3: GraphQL's own errors are told in this service's words", () => {
  it.each(REFUSED)('%s', async (_what, [method, path, options], code, json) => {
    for (const [accept, status] of [
      ['application/graphql-response+json', ERROR_CODES[code].status],
      ['application/json', json],
    ] as const) {
      const answer = await service.send(method, path, { ...options, headers: { ...options.headers, accept } });
      expectGraphqlError(answer, code);
      expect(answer.body).not.toHaveProperty('data');
      expect(answer.status).toBe(status);
    }
  });

  it('names the methods that a mutation, and the endpoint, take', async () => {
    expect((await service.send('GET', `/graphql?query=${MUTATION}`)).headers.get('allow')).toBe('POST');
    expect((await service.send('PUT', '/graphql')).headers.get('allow')).toBe('GET, POST');
  });

  it('refuses what no answer can be written as', async () => {
    const answer = await service.send(...post({ query: '{ __typename }' }, { accept: 'image/png' }));
    expectRefusal('/graphql', answer, 'invalid_request', { message: 'application/json' });
  });

  it('says where in the document the fault is', async () => {
    const { body } = await service.graphql('{\n  nope\n}');
    expect(body.errors[0].locations).toEqual([{ line: 2, column: 3 }]);
  });

  it('ignores parameters that it does not know', async () => {
    const { body } = await service.send(...post({ query: '{ __typename }', newer: true }));
    expect(body).toEqual({ data: { __typename: 'Query' } });
    expect((await service.send(...get('query={__typename}&newer=true'))).body).toEqual(body);
  });

  it('asks for credentials before it says that a global id is none', async () => {
    for (const document of [
      '{ node(id: "nope") { id } }',
      '{ nodes(ids: ["nope"]) { id } }',
      '{ ...F } fragment F on Query { it: node(id: "bm9wZTox") { id } }',
    ]) {
      const answer = await service.graphql(document, {}, { key: null });
      expectGraphqlError(answer, 'unauthorized');
      expect(answer.status).toBe(401);
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
    'refuses %s',
    async (document) => {
      expect((await service.graphql(document)).body.errors).toBeUndefined();
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

  it('still tells the name of a type that was asked for', async () => {
    expect((await closed.graphql('{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
  });
});

describe('A read that takes too long', () => {
  it('is given up on both doors, and told as unavailable', async () => {
    const slow = await startService({ requestTimeoutMs: 200 });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let locked = () => {};
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const holding = slow.service.services.prisma.$transaction(
      async (transaction) => {
        await transaction.$executeRawUnsafe('LOCK TABLE deployment IN ACCESS EXCLUSIVE MODE');
        locked();
        await released;
      },
      { timeout: 20_000 },
    );
    await isLocked;
    const document = 'query ($id: UUID!) { widgetMeta(deploymentId: $id) { name } }';
    const asked = await slow.graphql(document, { id: DEMO_CHAT_ID }, { key: null });
    const read = await slow.send('GET', `/v1/runner/${DEMO_CHAT_ID}/widget-meta`, { key: null });
    release();
    await holding;
    expectGraphqlError(asked, 'unavailable', { message: 'more than 0.2 s' });
    expect([asked.status, asked.headers.get('retry-after')]).toEqual([503, '2']);
    expectError(read, 'unavailable', { message: 'more than 0.2 s' });
    expect((await slow.graphql(document, { id: DEMO_CHAT_ID }, { key: null })).body.errors).toBeUndefined();
    await slow.close();
  });
});

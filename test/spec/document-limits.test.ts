import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResponse } from '../support/client.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { leastBlockMs, MOST_BLOCK_MS } from '../support/event-loop.ts';
import { startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const repeated = (count: number, write: (index: number) => string) => Array.from({ length: count }, (_, i) => write(i));

/** This many levels of fields. */
const deep = (levels: number): string =>
  `{ __schema { queryType { ${'ofType { '.repeat(levels - 3)}name${' }'.repeat(levels - 3)} } } }`;

/** Each fragment spreads the next one this many times. In total that is a billion spreads of the last one. */
const fragmentBomb = (spreadCount: number) =>
  [
    '{ ...F0 }',
    ...repeated(9, (i) => `fragment F${i} on Query { ${`...F${i + 1} `.repeat(spreadCount)} }`),
    'fragment F9 on Query { __typename }',
  ].join('\n');

/** Nested lists: 100 conversations with 100 items each, and the fields of the items. */
const LISTS = `query ($many: Int = 100) {
  conversations(first: $many) { nodes { history(last: $many) { edges { node {
    ... on Message { content { type } } } } } } } }`;

const REJECTED: readonly [limit: string, document: string, message: RegExp][] = [
  ['depth', deep(21), /^The document's depth is 21\. The maximum is 20\./],
  ['breadth', `{ ${'__typename '.repeat(201)} }`, /^The document's breadth is 201\. The maximum is 200\./],
  ['breadth of fragments', fragmentBomb(10), /^The document's breadth is 1,000,000,000\. The maximum is 200\./],
  [
    'aliases',
    `{ ${repeated(101, (i) => `a${i}: __typename`).join(' ')} }`,
    /number of aliases is 101\. The maximum is 100/,
  ],
  [
    'directives',
    `{ __typename ${'@skip(if: false) '.repeat(101)} }`,
    /number of directives is 101\. The maximum is 100/,
  ],
  ['tokens', `{ __typename ${'# \n__typename '.repeat(10_000)} }`, /^The document has more than 10,000 tokens/],
  ['cost', LISTS, /^The document's cost is [\d,]+\. The maximum is 20,000\./],
];

const ACCEPTED: readonly [what: string, document: string][] = [
  ["GraphiQL's introspection", getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true, oneOf: true })],
  ['20 levels', deep(20)],
  ['200 fields', `{ ${'__typename '.repeat(200)} }`],
  [
    'a page of conversations with the latest messages of each',
    `{ conversations(first: 100) { totalCount nodes { name messages(last: 5) { nodes { role content { type } } }
       latestRun { status } pendingActions { name } } } }`,
  ],
  [
    'a complete page of a timeline',
    '{ conversations(first: 1) { nodes { history(last: 100) { nodes { id type } } } } }',
  ],
];

type SendDocument = (document: string) => Promise<HttpResponse>;

/** Every path that executes a document. */
const PATHS: Readonly<Record<string, SendDocument>> = {
  'POST /graphql': (document) => service.graphql(document),
  'GET /graphql': (document) => service.send('GET', `/graphql?query=${encodeURIComponent(document)}`),
  async '/graphql/stream'(query) {
    const token = (await service.send('PUT', '/graphql/stream')).body;
    const read = await fetch(`${service.url}/graphql/stream?token=${token}`);
    const body = { query, extensions: { operationId: 'it' } };
    const headers = { 'x-graphql-event-stream-token': token };
    const posted = await service.send('POST', '/graphql/stream', { body, headers });
    // A rejected operation never reaches the stream.
    if (posted.status !== 202) {
      await read.body?.cancel();
      return posted;
    }
    const reader = read.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!/^event: complete/m.test(text)) text += (await reader?.read())?.value ?? '';
    await reader?.cancel();
    const { payload } = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}');
    return { status: read.status, headers: read.headers, body: payload };
  },
};

describe.each(Object.entries(PATHS))('document limits through %s', (name, send) => {
  const short = ([, document]: readonly string[]) => name !== 'GET /graphql' || (document ?? '').length < 8_000;

  it.each(REJECTED.filter(([limit, document]) => short([limit, document])))(
    'reject by %s',
    async (_limit, document, message) => {
      expectGraphqlError(await send(document), 'invalid_request', { param: null, message });
    },
  );

  it.each(ACCEPTED.filter(short))('accept %s', async (_description, document) => {
    const { body } = await send(document);
    expect(body.errors).toBeUndefined();
    expect(body.data).toBeTruthy();
  });
});

describe('document limits', () => {
  it('count lists by their variables', async () => {
    expect((await service.graphql(LISTS, { many: 10 })).body.errors).toBeUndefined();
    expectGraphqlError(await service.graphql(LISTS, { many: 100 }), 'invalid_request', { message: /cost/ });
  });

  it('apply to the selection of a subscription', async () => {
    const many = repeated(
      40,
      (i) => `a${i}: history(last: 100) { nodes { ... on Message { content { type } } } }`,
    ).join(' ');
    const document = `subscription { conversationsChanged { conversation { ${many} } } }`;
    const opened = await subscribe(service, document, {}, service.keys.live);
    const rejected = opened.rejection?.body ?? (await opened.next());
    await opened.close();
    expect(JSON.stringify(rejected)).toContain('cost');
  });

  it('are checked quickly, however many fragments spread', async () => {
    expect(await leastBlockMs(() => service.graphql(fragmentBomb(100)))).toBeLessThan(MOST_BLOCK_MS);
  });

  it('reject batches of operations', async () => {
    const response = await service.send('POST', '/graphql', { body: [{ query: '{ __typename }' }] });
    expectGraphqlError(response, 'invalid_request', { message: 'must be a JSON object' });
  });

  it('can be set by the operator', async () => {
    const own = await startService({ maxQueryDepth: 3, maxQueryCost: 50 });
    const message = /depth is 4\. The maximum is 3/;
    expectGraphqlError(await own.graphql('{ conversations { nodes { latestRun { status } } } }'), 'invalid_request', {
      message,
    });
    const cost = /cost is \d+\. The maximum is 50/;
    expectGraphqlError(await own.graphql('{ resources(first: 100) { nodes { id } } }'), 'invalid_request', {
      message: cost,
    });
    expect((await own.graphql('{ resources(first: 10) { nodes { id } } }')).body.errors).toBeUndefined();
    await own.close();
  });
});

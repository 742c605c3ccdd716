import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let strict: TestService;
beforeAll(async () => {
  service = await startService();
  strict = await startService({ trustedDocuments: 'only' });
  await service.send('POST', '/v1/resources', { body: { type: 'ticket', fields: {} } });
});
afterAll(async () => {
  await service.close();
  await strict.close();
});

/** Differ between responses, or depend on the time or on what is in memory. */
const VOLATILE = new Set(['date', 'x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']);

async function post(body: object, headers: Record<string, string> = {}, key: string | undefined = service.keys.live) {
  const response = await service.send('POST', '/graphql', { body, headers: { ...headers }, key: key as string });
  const kept = [...response.headers].filter(([name]) => !VOLATILE.has(name));
  const { status } = response;
  return { status, headers: Object.fromEntries(kept), body: response.body };
}

const LIST = 'query List($first: Int) { resources(first: $first) { nodes { type } totalCount } }';
const JSON_TYPE = { accept: 'application/json' };

describe('the repetition of a query', () => {
  it.each([
    ['with variables', { query: LIST, variables: { first: 1 } }, {}],
    ['with an operation name', { query: `${LIST} query Other { __typename }`, operationName: 'Other' }, {}],
    ['with null for variables and name', { query: LIST, variables: null, operationName: null }, {}],
    ['as plain JSON', { query: LIST }, JSON_TYPE],
    ['as a GraphQL response', { query: LIST }, { accept: 'application/graphql-response+json' }],
    ['for any media type', { query: LIST }, { accept: '*/*' }],
    ['as an event stream', { query: LIST }, { accept: 'text/event-stream' }],
    ['with its cost', { query: LIST }, { 'x-query-cost': '1' }],
    ['compressed', { query: '{ __schema { types { name description } } }' }, { 'accept-encoding': 'gzip' }],
    ['whose variables have become wrong', { query: LIST, variables: { first: 'x' } }, JSON_TYPE],
    ['whose limit has become wrong', { query: LIST, variables: { first: 101 } }, JSON_TYPE],
    ['whose operation does not exist', { query: LIST, operationName: 'Missing' }, JSON_TYPE],
    ['whose variables are no object', { query: LIST, variables: [] }, JSON_TYPE],
    ['with an unknown parameter', { query: LIST, more: 1 }, JSON_TYPE],
  ])('has the same response %s', async (_name, body, headers) => {
    // A new text, which Yoga handles. Errors of the same text come after successes of it.
    const fresh = { ...body, query: `# ${JSON.stringify([body, headers])}\n${body.query}` };
    const first = await post(fresh, headers);
    await post({ query: fresh.query, operationName: 'operationName' in body ? 'Other' : undefined });
    for (let repetition = 0; repetition < 3; repetition += 1) {
      const again = await post(fresh, headers);
      const { body: errors } = again;
      for (const error of errors?.errors ?? []) delete error.extensions.requestId;
      for (const error of first.body?.errors ?? []) delete error.extensions.requestId;
      expect(again).toEqual(first);
    }
  });

  it('authenticates and authorizes each request', async () => {
    for (let repetition = 0; repetition < 3; repetition += 1) expect((await post({ query: LIST })).status).toBe(200);
    const wrong = `${service.keys.live.slice(0, -3)}xyz`;
    expect((await post({ query: LIST }, {}, wrong)).body.errors[0].extensions.code).toBe('UNAUTHORIZED');
    expect((await post({ query: LIST }, {}, service.keys.test)).body.data.resources.totalCount).toBe(0);
  });

  it('executes a query with an error once', async () => {
    const query = 'query ($text: String) { conversations(filter: { text: $text }) { totalCount } }';
    const counted = async (text: string) => {
      service.takeStatements();
      const { body } = await post({ query, variables: { text } });
      return { code: body.errors?.[0].extensions.code, statements: service.takeStatements().length };
    };
    // The credential, and the statement that rejects the text.
    const rejected = { code: 'INVALID_REQUEST', statements: 2 };
    expect(await counted('-word')).toEqual(rejected);
    for (let repetition = 0; repetition < 3; repetition += 1) await counted('word');
    expect(await counted('-word')).toEqual(rejected);
  });

  it('is a mutation each time', async () => {
    const query = `mutation ($input: CreateResourceInput!) {
      createResource(input: $input) { ... on CreateResourcePayload { resource { resourceId } } } }`;
    const ids = new Set<string>();
    for (let repetition = 0; repetition < 3; repetition += 1) {
      const { body } = await post({ query, variables: { input: { type: 'note', fields: {} } } });
      ids.add(body.data.createResource.resource.resourceId);
    }
    expect(ids.size).toBe(3);
  });

  it('is rejected each time if only trusted documents are accepted', async () => {
    for (let repetition = 0; repetition < 3; repetition += 1) {
      const { body } = await strict.graphql(LIST);
      expect(body.errors[0].extensions.code).toBe('INVALID_REQUEST');
    }
  });
});

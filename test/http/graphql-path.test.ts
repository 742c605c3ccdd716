import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const QUERY = JSON.stringify({ query: '{ __typename }' });
const CALLER = 'Authorization, X-Api-Key, Cookie, Origin, X-Environment';

interface Sent {
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** A raw response, with the header fields that depend on the handler. */
async function receive(method: 'GET' | 'POST' | 'PUT' | 'OPTIONS', path: string, { body, headers = {} }: Sent = {}) {
  const response = await request(`${service.url}${path}`, {
    method,
    headers: {
      'x-api-key': service.key,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body ?? null,
  });
  const text = await response.body.text();
  const { 'content-type': type = '', allow, vary } = response.headers;
  const { data, errors, error } = String(type).includes('json') ? JSON.parse(text) : {};
  return {
    status: response.statusCode,
    type: String(type).split(';')[0],
    ...(allow !== undefined && { allow }),
    vary,
    ...(data && { data }),
    ...(errors && { code: errors[0].extensions.code }),
    ...(error && { restCode: error.code }),
    cors: response.headers['access-control-allow-origin'],
  };
}

const asHtml = { accept: 'text/html' };
const GRAPHQL_TYPE = 'application/graphql-response+json';
const OF_OTHER_SITE = { origin: 'https://shop.example', cookie: 'parley_session=x', 'x-api-key': '' };
const json = { type: 'application/json', vary: `${CALLER}, Accept-Encoding`, cors: '*' };
const ran = { ...json, status: 200, data: { __typename: 'Query' } };

describe('the path /graphql', () => {
  it.each<[string, string, Sent]>([
    ['a document', '/graphql', { body: QUERY }],
    ['a query string', '/graphql?a=/v1/resources', { body: QUERY }],
    ['a path of the single connection mode', '/graphql/stream', { body: QUERY }],
  ])('executes a POST with %s', async (_name, path, sent) => {
    expect(await receive('POST', path, sent)).toEqual(ran);
  });

  it.each<[string, number, string, Sent]>([
    ['invalid JSON', 400, 'INVALID_JSON', { body: '{"query":' }],
    ['invalid JSON from a browser', 400, 'INVALID_JSON', { body: '{"query":', headers: asHtml }],
    ['another content type', 415, 'UNSUPPORTED_MEDIA_TYPE', { body: QUERY, headers: { 'content-type': 'text/plain' } }],
    ['an Accept that no result has', 406, 'NOT_ACCEPTABLE', { body: QUERY, headers: asHtml }],
    ['a cookie of another site', 403, 'ORIGIN_NOT_ALLOWED', { body: QUERY, headers: OF_OTHER_SITE }],
    ['a body without a document', 400, 'INVALID_REQUEST', { body: '{}', headers: { accept: GRAPHQL_TYPE } }],
  ])('responds to a POST with %s as GraphQL', async (_name, status, code, sent) => {
    const type = sent.headers?.accept === GRAPHQL_TYPE ? GRAPHQL_TYPE : 'application/json';
    expect(await receive('POST', '/graphql', sent)).toEqual({ ...json, type, status, code });
  });

  it('shows browsers the explorer, and executes GET for other clients', async () => {
    const vary = `${CALLER}, Accept, Accept-Encoding`;
    const page = { status: 200, type: 'text/html', vary, cors: '*' };
    expect(await receive('GET', '/graphql', { headers: asHtml })).toEqual(page);
    expect(await receive('GET', '/graphql?query=%7B__typename%7D')).toEqual({ ...ran, vary });
  });

  it('responds to other methods and to preflights', async () => {
    const rejected = { ...json, status: 405, code: 'METHOD_NOT_ALLOWED', allow: 'GET, POST' };
    expect(await receive('PUT', '/graphql')).toEqual(rejected);
    const preflight = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
    expect(await receive('OPTIONS', '/graphql', { headers: preflight })).toEqual({ status: 204, type: '', cors: '*' });
  });

  it.each(['/graphql/', '/graphqlx', '/graphql/x'])('does not include %s', async (path) => {
    expect(await receive('POST', path, { body: QUERY })).toMatchObject({ status: 404, restCode: 'not_found' });
    const { body } = await service.send('GET', '/metrics');
    expect(body).not.toContain('route="/graphql",status="404"');
  });

  it('is the route of its requests in the metrics', async () => {
    const count = async () => {
      const { body } = await service.send('GET', '/metrics');
      return Number(
        /duration_seconds_count\{method="POST",route="\/graphql",status="200"\} (\d+)/.exec(body)?.[1] ?? 0,
      );
    };
    const before = await count();
    await receive('POST', '/graphql', { body: QUERY });
    expect(await count()).toBe(before + 1);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOfDocument } from '../../src/graphql/server/trusted-documents.ts';
import type { HttpResponse, SendOptions } from '../support/client.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const QUERY = '{ conversations { totalCount } }';
const EXTENSIONS = { persistedQuery: { version: 1, sha256Hash: idOfDocument(QUERY) } };

const NOT_SUPPORTED = {
  errors: [{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
};

const byPost = (options: SendOptions = {}) =>
  service.send('POST', '/graphql', { body: { extensions: EXTENSIONS }, ...options });

const byGet = (options: SendOptions = {}) =>
  service.send('GET', `/graphql?extensions=${encodeURIComponent(JSON.stringify(EXTENSIONS))}`, options);

function expectNotSupported({ status, body }: HttpResponse): void {
  expect([status, body]).toEqual([200, NOT_SUPPORTED]);
}

describe.each([
  ['POST', byPost],
  ['GET', byGet],
])('a hash without a document by %s', (_method, send) => {
  it.each(['*/*', 'application/json', 'application/graphql-response+json'])(
    'gets PersistedQueryNotSupported with status 200 as %s',
    async (accept) => expectNotSupported(await send({ headers: { accept } })),
  );

  it('gets the error as an event if the client reads only events', async () => {
    const { status, body } = await send({ headers: { accept: 'text/event-stream' } });
    const data = /^data: (.*)$/m.exec(body)?.[1] ?? '';
    expect([status, JSON.parse(data)]).toEqual([200, NOT_SUPPORTED]);
  });

  it('needs a valid credential', async () => {
    expectGraphqlError(await send({ key: `sk_live_${'0'.repeat(43)}` }), 'unauthorized');
  });

  it("counts against the key's rate limit", async () => {
    const key = await makeKey(service, { requestsPerMinute: 2 });
    const first = await send({ key });
    expectNotSupported(first);
    expect(first.headers.get('ratelimit-remaining')).toBe('1');
    expectNotSupported(await send({ key }));
    const limited = await send({ key });
    expectGraphqlError(limited, 'rate_limited');
    expect(limited.status).toBe(429);
  });

  it('counts against the limit of requests without credentials', async () => {
    const { headers } = await send({ key: null });
    expect(Number(headers.get('ratelimit-limit'))).toBeGreaterThan(0);
  });
});

describe('a hash', () => {
  it('is ignored next to its document, and never stored', async () => {
    const full = await byPost({ body: { query: QUERY, extensions: EXTENSIONS } });
    expect(full.body).toEqual({ data: { conversations: { totalCount: 0 } } });
    expectNotSupported(await byPost());
  });

  it('may have any value', async () => {
    for (const sha256Hash of ['', 'x'.repeat(10_000), 5, ['a'], {}]) {
      expectNotSupported(await byPost({ body: { extensions: { persistedQuery: { sha256Hash } } } }));
    }
  });

  it('that is null counts as omitted', async () => {
    const body = { extensions: { persistedQuery: { sha256Hash: null } } };
    expectGraphqlError(await byPost({ body }), 'invalid_request', { param: 'query' });
  });
});

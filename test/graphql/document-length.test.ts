import { createHash } from 'node:crypto';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BoundedCache } from '../../src/cache/bounded-cache.ts';
import { LIMITS } from '../../src/contract/limits.ts';
import { bytesOfDocument } from '../../src/graphql/server/document-cache.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let only: TestService;
beforeAll(async () => {
  service = await startService();
  only = await startService({ trustedDocuments: 'only' });
});
afterAll(async () => {
  await service.close();
  await only.close();
});

/** A document with a comment, in this number of characters. */
function documentOf(length: number, start = '{ __typename }'): string {
  return `${start} #${'x'.repeat(length - start.length - 2)}`;
}

const sha256Hash = (text: string) => createHash('sha256').update(text).digest('hex');
const TOO_LONG = documentOf(LIMITS.queryLength + 1);
const REJECTED = { code: 'INVALID_REQUEST', param: 'query' };

describe('a GraphQL document', () => {
  it('has at most 256 kB of characters', async () => {
    const most = documentOf(LIMITS.queryLength);
    for (let repetition = 0; repetition < 3; repetition += 1) {
      expect((await service.send('POST', '/graphql', { body: { query: most } })).body).toEqual({
        data: { __typename: 'Query' },
      });
      const { body } = await service.send('POST', '/graphql', { body: { query: TOO_LONG } });
      expect(body.errors[0]).toMatchObject({ message: expect.stringContaining('262,144'), extensions: REJECTED });
    }
  });

  it.each([
    ['with variables', {}, { variables: {}, operationName: null }],
    [
      "with the hash of Apollo's protocol",
      {},
      { extensions: { persistedQuery: { version: 1, sha256Hash: sha256Hash(TOO_LONG) } } },
    ],
    ['as an event stream', { accept: 'text/event-stream' }, {}],
    ['as multipart', { accept: 'multipart/mixed;subscriptionSpec=1.0' }, {}],
  ])('is not read if it is longer, %s', async (_name, headers, parts) => {
    const query = documentOf(LIMITS.queryLength + 1, 'subscription { eventAppended { cursor } }');
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': service.keys.live, ...headers },
      body: JSON.stringify({ query, ...parts }),
    });
    expect(await response.text()).toContain('`query` must have at most 262,144 characters'.replaceAll('`', ''));
  });

  it('is not read if it is longer, on a shared stream', async () => {
    const token = (await service.send('PUT', '/graphql/stream', {})).body;
    const body = { query: TOO_LONG, extensions: { operationId: 'a' } };
    const response = await service.send('POST', `/graphql/stream?token=${token}`, { body });
    expect([response.status, response.body.errors[0].extensions]).toEqual([400, expect.objectContaining(REJECTED)]);
  });

  it('is not hashed if it is longer', async () => {
    const { body } = await only.send('POST', '/graphql', { body: { query: TOO_LONG } });
    expect(body.errors[0].extensions).toMatchObject(REJECTED);
    const { body: other } = await only.send('POST', '/graphql', { body: { query: '{ __typename }' } });
    expect(other.errors[0].extensions).toMatchObject({ param: 'documentId' });
  });
});

describe('a bounded cache', () => {
  it('drops the least recently used entries to stay below its bytes', () => {
    const cache = new BoundedCache<number>('repeatedQueries', { maxEntries: 100, maxBytes: 10_000 });
    cache.set('first', 1, 1_000);
    for (let at = 0; at < 50; at += 1) {
      cache.get('first');
      cache.set(`key ${at}`, at, 1_000);
      expect(cache.bytes).toBeLessThanOrEqual(10_000);
    }
    expect([cache.get('first'), cache.get('key 0'), cache.get('key 49')]).toEqual([1, undefined, 49]);
  });

  it('stores no entry that is larger than itself, and drops older ones over its number', () => {
    const cache = new BoundedCache<number>('repeatedQueries', { maxEntries: 2, maxBytes: 10_000 });
    cache.set('large', 1, 10_001);
    for (const key of ['a', 'b', 'c']) cache.set(key, 1, 1);
    expect(['large', 'a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, undefined, 1, 1]);
  });

  it('counts the text and the tokens of a document', () => {
    const comment = documentOf(100_000);
    const fields = `{ ${'a '.repeat(5_000)}}`;
    expect(bytesOfDocument(parse(comment), comment)).toBeGreaterThan(200_000);
    expect(bytesOfDocument(parse(fields), fields)).toBeGreaterThan(5_000_000);
  });
});

import { hash } from 'node:crypto';
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client/core';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { fetchExchange, Client as UrqlClient } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { CREATE, createdResource, RESOURCES } from './documents.ts';

let service: TestService;
let headers: Record<string, string>;
beforeAll(async () => {
  service = await startService();
  headers = { authorization: `Bearer ${service.keys.live}` };
});
afterAll(() => service.close());

const INPUT = { type: 'thing', fields: {} };

/** What a request named its document by. */
type Sent = `${string} ${'hash' | 'document' | 'both'}`;

/** A fetch that records how each request named its document. */
function recordingFetch(): { readonly sent: Sent[]; readonly fetch: typeof fetch } {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: (input, init) => {
      const request = new Request(input, init);
      const text = String(init?.body ?? decodeURIComponent(new URL(request.url).search));
      const [hasHash, hasDocument] = [text.includes('sha256Hash'), /\bquery\b\W+(query|mutation)/.test(text)];
      sent.push(`${request.method} ${hasHash && hasDocument ? 'both' : hasHash ? 'hash' : 'document'}`);
      return fetch(input, init);
    },
  };
}

describe("Apollo Client's persisted query link", () => {
  it.each([false, true])('sends documents after its first hash (by GET: %s)', async (useGETForHashedQueries) => {
    const { sent, fetch } = recordingFetch();
    const link = new PersistedQueryLink({ sha256: (text) => hash('sha256', text, 'hex'), useGETForHashedQueries });
    const apollo = new ApolloClient({
      link: link.concat(new HttpLink({ uri: `${service.url}/graphql`, headers, fetch })),
      cache: new InMemoryCache(),
    });
    const { data } = await apollo.query({ query: RESOURCES, variables: { first: 1 } });
    expect(data?.resources.edges).toBeInstanceOf(Array);
    const { data: created } = await apollo.mutate({ mutation: CREATE, variables: { input: INPUT } });
    expect(createdResource(created).resourceId).toMatch(/^res_/);
    expect(sent).toEqual([useGETForHashedQueries ? 'GET hash' : 'POST hash', 'POST document', 'POST document']);
  });
});

describe("urql's persisted exchange", () => {
  it.each([false, 'force'] as const)('sends documents after its first hash (by GET: %s)', async (byGet) => {
    const { sent, fetch } = recordingFetch();
    const urql = new UrqlClient({
      url: `${service.url}/graphql`,
      preferGetMethod: false,
      fetchOptions: { headers },
      fetch,
      exchanges: [persistedExchange({ preferGetForPersistedQueries: byGet, enableForMutation: true }), fetchExchange],
    });
    const { data, error } = await urql.query(RESOURCES, { first: 1 }).toPromise();
    expect([error, data?.resources.edges]).toEqual([undefined, expect.any(Array)]);
    const created = await urql.mutation(CREATE, { input: INPUT }).toPromise();
    expect(createdResource(created.data).resourceId).toMatch(/^res_/);
    const method = byGet ? 'GET' : 'POST';
    expect(sent).toEqual([`${method} hash`, `${method} document`, 'POST document']);
  });
});

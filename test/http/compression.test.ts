import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
/** The ID of a resource of 3 kB. */
let id: string;
beforeAll(async () => {
  service = await startService();
  id = (await createResource('x'.repeat(3_000))).id;
});
afterAll(() => service.close());

async function createResource(text: string): Promise<{ readonly id: string; readonly etag: string }> {
  const { body, headers } = await service.send('POST', '/v1/resources', { body: { type: 'note', fields: { text } } });
  return { id: body.data.id, etag: headers.get('etag') ?? '' };
}

interface Sent {
  readonly method?: 'GET' | 'HEAD' | 'PATCH' | 'POST';
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

/** A raw response: `fetch` would decompress it. */
async function receive(path: string, coding: string | undefined, { method = 'GET', headers = {}, body }: Sent = {}) {
  const response = await request(`${service.url}${path}`, {
    method,
    headers: {
      'x-api-key': service.key,
      ...(coding !== undefined && { 'accept-encoding': coding }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body ? JSON.stringify(body) : null,
  });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  const sent = response.headers as Readonly<Record<string, string | undefined>>;
  return { status: response.statusCode, headers: sent, bytes, coding: sent['content-encoding'] };
}

const DECOMPRESS = { br: brotliDecompressSync, gzip: gunzipSync } as const;

const GRAPHQL = `query { resource(id: "$id") { fields } }`;

/** JSON of each API, over 1 kB. Its bytes are the same at each request. */
const JSON_RESPONSES = {
  'a REST response': () => [`/v1/resources/${id}`, {}],
  'a REST error': () => [`/v1/${'x'.repeat(2_000)}`, { headers: { 'x-request-id': '1' } }],
  'a response of POST /graphql': () => ['/graphql', { method: 'POST', body: { query: GRAPHQL.replace('$id', id) } }],
  'a response of GET /graphql': () => [`/graphql?query=${encodeURIComponent(GRAPHQL.replace('$id', id))}`, {}],
  'a GraphQL error': () => [
    '/graphql',
    { method: 'POST', body: { query: `{ ${'x'.repeat(2_000)} }` }, headers: { 'x-request-id': '1' } },
  ],
} as const satisfies Record<string, () => readonly [string, Sent]>;

describe.each(Object.entries(JSON_RESPONSES))('%s over 1 kB', (_name, target) => {
  it.each(['br', 'gzip'] as const)('is compressed with %s', async (coding) => {
    const [path, sent] = target();
    const plain = await receive(path, undefined, sent);
    const compressed = await receive(path, coding, sent);
    expect([plain.coding, compressed.coding, compressed.status]).toEqual([undefined, coding, plain.status]);
    expect(DECOMPRESS[coding](compressed.bytes)).toEqual(plain.bytes);
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length);
    for (const { headers, bytes } of [plain, compressed]) {
      expect(headers['content-length']).toBe(String(bytes.length));
      expect(headers.vary).toMatch(/^Authorization, X-Api-Key, Cookie, Origin, X-Environment, .*\bAccept-Encoding$/);
    }
    expect(compressed.headers['content-type']).toBe(plain.headers['content-type']);
  });
});

describe('the coding of a response', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['BR', 'br'],
    ['identity', undefined],
    ['identity, br;q=0.5', undefined],
    ['br;q=0, gzip;q=0', undefined],
    ['deflate, zstd', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('for Accept-Encoding: %s is %s', async (accepted, coding) => {
    expect((await receive(`/v1/resources/${id}`, accepted)).coding).toBe(coding);
  });

  it('is identity for a body of 1 kB', async () => {
    const bare = await receive(`/v1/resources/${(await createResource('')).id}`, undefined);
    const ofLength = async (length: number) => {
      const made = await createResource('x'.repeat(length - bare.bytes.length));
      return receive(`/v1/resources/${made.id}`, 'br');
    };
    const [kilobyte, more] = [await ofLength(1_024), await ofLength(1_025)];
    expect([kilobyte.bytes.length, kilobyte.coding, more.coding]).toEqual([1_024, undefined, 'br']);
    expect(kilobyte.headers.vary).toContain('Accept-Encoding');
  });

  it.each(['br', 'gzip'] as const)('is also %s for a body that another thread compresses', async (coding) => {
    const text = Array.from({ length: 10_000 }, (_, at) => `Line ${at * 7919} of the text.`).join(' ');
    const { body } = await service.send('POST', '/v1/resources', {
      body: { type: 'note', fields: { text: text.slice(0, 200_000) } },
    });
    const { bytes, headers, ...rest } = await receive(`/v1/resources/${body.data.id}`, coding);
    expect(JSON.parse(DECOMPRESS[coding](bytes).toString())).toEqual(body);
    expect([rest.coding, headers['content-length']]).toEqual([coding, String(bytes.length)]);
  });

  it('is the same for HEAD', async () => {
    const path = `/v1/resources/${id}`;
    const [get, head] = [await receive(path, 'br'), await receive(path, 'br', { method: 'HEAD' })];
    const facts = ({ headers }: typeof get) =>
      ['content-encoding', 'content-length', 'etag', 'vary'].map((name) => headers[name]);
    expect([head.bytes.length, facts(head)]).toEqual([0, facts(get)]);
  });
});

describe('the ETag of a compressed response', () => {
  const path = () => `/v1/resources/${id}`;

  it('differs from the ETag of the same content in another coding', async () => {
    const tags = await Promise.all(
      [undefined, 'br', 'gzip'].map(async (coding) => (await receive(path(), coding)).headers.etag),
    );
    const [plain] = tags;
    expect(tags).toEqual([plain, plain?.replace(/"$/, ';br"'), plain?.replace(/"$/, ';gzip"')]);
  });

  it.each([undefined, 'br', 'gzip'])('gets 304 with the tag of Accept-Encoding: %s', async (coding) => {
    const current = await receive(path(), coding);
    for (const known of [undefined, 'br', 'gzip']) {
      const tag = (await receive(path(), known)).headers.etag ?? '';
      const repeated = await receive(path(), coding, { headers: { 'if-none-match': tag } });
      expect([repeated.status, repeated.bytes.length, repeated.coding]).toEqual([304, 0, undefined]);
      const { etag, vary, 'content-type': type } = repeated.headers;
      expect([etag, vary, type]).toEqual([current.headers.etag, current.headers.vary, undefined]);
    }
    const other = await receive(path(), coding, { headers: { 'if-none-match': '"another;br"' } });
    expect(other.status).toBe(200);
  });

  it('matches as If-Match until the resource changes', async () => {
    const made = await createResource('y'.repeat(3_000));
    const target = `/v1/resources/${made.id}`;
    const tag = (await receive(target, 'br')).headers.etag ?? '';
    const change = (color: string) =>
      receive(target, 'br', {
        method: 'PATCH',
        body: { fields: { color } },
        // If-None-Match is only for reads.
        headers: { 'if-match': tag, 'if-none-match': '*' },
      });
    const changed = await change('red');
    expect([changed.status, changed.coding, changed.headers.etag]).toEqual([200, 'br', expect.stringMatching(/;br"$/)]);
    expect(changed.headers.etag).not.toBe(tag);
    expect((await change('blue')).status).toBe(412);
  });
});

describe('a stream is not compressed', () => {
  const say = { content: [{ type: 'text', text: '/stream 200' }] };
  const feed = `subscription { eventAppended { cursor } }`;

  it.each([
    ['a reply as text', `/v1/runner/${DEMO_CHAT_ID}/conversation/stream`, say, 'text/plain'],
    ['a reply as events', `/v1/runner/${DEMO_CHAT_ID}/conversation/stream`, say, 'text/event-stream'],
    ['an export', '/v1/export', undefined, '*/*'],
    ['a rejected subscription', '/graphql', { query: feed.replace('cursor', 'x'.repeat(2_000)) }, 'text/event-stream'],
  ])('%s', async (_name, path, body, accept) => {
    const headers = { accept };
    const sent = { ...(body && { method: 'POST' as const, body }), headers };
    const { status, coding, bytes } = await receive(path, 'br, gzip', sent);
    expect([status, coding]).toEqual([200, undefined]);
    expect(bytes.toString()).toMatch(/^[\n\x20-\x7e]+$/);
    expect(bytes.length).toBeGreaterThan(1_024);
  });

  it.each(['text/event-stream', 'multipart/mixed;subscriptionSpec="1.0"'])(
    'a subscription as %s, whose events arrive one by one',
    async (accept) => {
      const response = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: {
          'x-api-key': service.key,
          'content-type': 'application/json',
          accept,
          'accept-encoding': 'br, gzip',
        },
        body: JSON.stringify({ query: feed }),
      });
      const reader = response.body?.getReader();
      const read = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
      const opened = await read();
      expect([response.headers.get('content-encoding'), opened]).toEqual([null, expect.not.stringContaining('cursor')]);
      await createResource('');
      expect(await read()).toContain('"cursor"');
      await reader?.cancel();
    },
  );
});

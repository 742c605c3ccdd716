import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { UnfinishedBodies, unfinishedBodies } from '../../src/http/body/unfinished-bodies.ts';
import { countInflated } from '../support/inflaters.ts';
import { RawClient } from '../support/raw-client.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
const inflated = countInflated();
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  inflated.restore();
  await service.close();
});
beforeEach(() => void inflated.reset());
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  await until(async () => unfinishedBodies.total === 0);
});

/** The connections of a test. */
const clients: RawClient[] = [];

const MIB = 1024 * 1024;
const CHAT = `/v1/runner/${DEMO_CHAT_ID}/conversation`;
const UNKNOWN_KEY = `sk_live_${'0'.repeat(43)}`;
const SPACE = Buffer.alloc(9 * MIB, ' ');

const CODINGS = [
  ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
  ['gzip', (bytes: Buffer) => gzipSync(bytes)],
  ['deflate', (bytes: Buffer) => deflateSync(bytes)],
] as const;

const post = (path: string, raw: Buffer, coding: string, key: string | null) =>
  service.send('POST', path, {
    raw,
    key,
    headers: { 'content-encoding': coding, accept: 'application/json' },
  } as never);

const codeOf = ({ body }: { body: never }) => {
  const { error, errors } = body as { error?: { code: string }; errors?: [{ extensions: { code: string } }] };
  return (error?.code ?? errors?.[0].extensions.code)?.toLowerCase();
};

describe.each(CODINGS)('a body that is compressed with %s', (coding, compress) => {
  const bomb = compress(SPACE);

  it.each(['/nowhere', '/healthz', '/v1/uploads/file_1'])('is not inflated at %s', async (path) => {
    expect((await post(path, bomb, coding, service.keys.live)).status).toBeGreaterThan(403);
    expect(inflated.count).toEqual({ inflaters: 0, bytes: 0 });
  });

  it.each([CHAT, `/v2/runner/${DEMO_AGENT_ID}/conversation`, '/graphql', `/v1/runner/${DEMO_CHAT_ID}/ui`])(
    'inflates to at most 64 KiB without credentials at %s',
    async (path) => {
      const response = await post(path, bomb, coding, null);
      expect([response.status, codeOf(response as never)]).toEqual([413, 'payload_too_large']);
      expect(inflated.count.bytes).toBeLessThanOrEqual(2 * LIMITS.strangerInflatedBytes);
    },
  );

  it.each([CHAT, '/graphql', '/mcp', '/v1/x/a', '/graphql/stream'])(
    'is not inflated for a wrong key at %s',
    async (path) => {
      const response = await post(path, bomb, coding, UNKNOWN_KEY);
      expect([response.status, codeOf(response as never)]).toEqual([401, 'unauthorized']);
      expect(inflated.count.inflaters).toBe(0);
    },
  );

  it('is accepted up to 64 KiB without credentials, and up to the limit of bodies with a key', async () => {
    const query = JSON.stringify({ query: '{ __typename }' });
    const padded = (bytes: number) => compress(Buffer.from(query + ' '.repeat(bytes - query.length)));
    const { strangerInflatedBytes: few } = LIMITS;
    expect((await post('/graphql', padded(few), coding, null)).status).toBe(200);
    expect((await post('/graphql', padded(few + 1), coding, null)).status).toBe(413);
    expect((await post('/graphql', padded(LIMITS.bodyBytes), coding, service.keys.live)).status).toBe(200);
    expect((await post('/graphql', padded(LIMITS.bodyBytes + 1), coding, service.keys.live)).status).toBe(413);
  });

  it('is rejected if it is cut off', async () => {
    const cut = compress(Buffer.from('{"query":"{ __typename }"}')).subarray(0, -3);
    expect(codeOf((await post('/graphql', cut, coding, service.keys.live)) as never)).toBe('invalid_json');
  });
});

it.each(['gzip, br', 'gzip, gzip', 'br, identity', 'zstd', 'compress'])(
  'the Content-Encoding %s is rejected without inflating',
  async (coding) => {
    const packed = gzipSync(gzipSync('{"query":"{ __typename }"}'));
    const response = await post('/graphql', packed, coding, service.keys.live);
    expect([response.status, codeOf(response as never)]).toEqual([415, 'unsupported_media_type']);
    expect(inflated.count.inflaters).toBe(0);
  },
);

describe('unfinished bodies', () => {
  /** A connection that sends the start of a body, and never its end. */
  const start = async (path: string, bytes: number, from = '127.0.0.1', headers: Record<string, string> = {}) => {
    const client = await RawClient.open(service.url, from);
    clients.push(client);
    client.head('POST', path, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked', ...headers });
    await client.chunk(Buffer.alloc(bytes, ' '));
    return client;
  };

  it('of many connections hold only what was sent, and nothing after the connections closed', async () => {
    const gzip = { 'Content-Encoding': 'gzip' };
    await Promise.all(Array.from({ length: 150 }, () => start(CHAT, 10_000, '127.0.0.1', gzip)));
    await until(async () => unfinishedBodies.total >= 150 * 10_000);
    expect(unfinishedBodies.total).toBeLessThanOrEqual(150 * 16 * 1024);
    expect(inflated.count.inflaters).toBe(0);
    for (const { socket } of clients) socket.destroy();
    await until(async () => unfinishedBodies.total === 0);
  });

  it('of one address have a limit, which other addresses do not notice', async () => {
    const size = 11 * MIB;
    // The large bodies of strangers have few places.
    const key = { 'X-Api-Key': service.keys.live };
    const from = '127.0.0.1';
    for (let held = 0; held + LIMITS.runnerBodyBytes <= LIMITS.unfinishedAddressBytes; held += LIMITS.runnerBodyBytes) {
      await start(CHAT, size, from, key);
    }
    await until(async () => unfinishedBodies.total >= clients.length * size);
    const { status, text, headers } = await (await start(CHAT, size, from, key)).response();
    expect([status, text, headers.get('retry-after')]).toEqual([429, expect.stringContaining('rate_limited'), '1']);
    const other = await start(CHAT, size, '127.0.0.2', key);
    await pause(200);
    expect(other.received).toBe('');
  });

  it('of a process have a limit', () => {
    const bodies = new UnfinishedBodies({ ofAddress: 100, ofProcess: 150 });
    const [one, two, three] = [bodies.enter('10.0.0.1'), bodies.enter('10.0.0.2'), bodies.enter('10.0.0.2')];
    one.take(100);
    expect(() => one.take(1)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
    two.take(50);
    expect(() => three.take(1)).toThrow(expect.objectContaining({ code: 'unavailable' }));
    one.leave();
    one.leave();
    three.take(50);
    expect(bodies.total).toBe(100);
    for (const share of [two, three, three]) share.leave();
    expect(bodies.total).toBe(0);
  });

  it('count their memory, even if each byte arrives alone, and have a limit of pieces', async () => {
    const client = await start('/graphql', 1);
    await client.send(Buffer.from('1\r\n \r\n'.repeat(LIMITS.bodyPieces)));
    const { status, text } = await client.response();
    expect([status, text]).toEqual([400, expect.stringContaining('pieces')]);
  });

  it('end after a time limit', async () => {
    const limits = LIMITS as { bodySeconds: number };
    const { bodySeconds } = limits;
    limits.bodySeconds = 0.2;
    onTestFinished(() => {
      limits.bodySeconds = bodySeconds;
    });
    const client = await start(CHAT, 1_000);
    await client.closed();
    await until(async () => unfinishedBodies.total === 0);
  });

  it.each(['/graphql', CHAT, '/mcp'])('are released after every response of %s', async (path) => {
    for (const raw of ['{', '5', '{"a":1}', `"${'x'.repeat(20_000)}"`]) {
      await service.send('POST', path, { raw } as never);
      expect(unfinishedBodies.total).toBe(0);
    }
  });
});

import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGuardedFetcher, type GuardedRequest } from '../../src/outbound/guarded-fetch.ts';
import { type FileServer, file, type Handler, startFileServer } from '../support/file-server.ts';

const LIMITS = { timeoutMs: 10_000, maxBytes: 1_000 };

const redirect = (location: string, status = 302): Handler => {
  return (_, response) => void response.writeHead(status, { location }).end();
};

const echo: Handler = async (request, response) => {
  const body = await text(request);
  response.end(JSON.stringify({ method: request.method, headers: request.headers, body }));
};

const drip: Handler = (_, response) => {
  const timer = setInterval(() => response.write('.'), 10);
  response.on('close', () => clearInterval(timer));
};

let server: FileServer;
beforeAll(async () => {
  server = await startFileServer({
    '/hello': file('text/plain', 'Hello'),
    '/gzip': (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('Hello')),
    '/bomb': (_, response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
    '/large': file('text/plain', 'x'.repeat(1_001)),
    '/exact': file('text/plain', 'x'.repeat(1_000)),
    '/endless': (_, response) => {
      const write = () => void response.write('x'.repeat(300), () => setImmediate(write));
      write();
    },
    '/promise': (_, response) => void response.writeHead(200, { 'content-length': 1_001 }).write('x'),
    '/cut': (_, response) =>
      void response.writeHead(200, { 'content-length': 100 }).write('x', () => response.destroy()),
    '/hang': () => {},
    '/drip': drip,
    '/echo': echo,
    '/broken': (_, response) => void response.writeHead(503).end('Not now'),
    '/hop': redirect('/hello'),
    '/hops/1': redirect('/hops/2', 301),
    '/hops/2': redirect('/hops/3', 307),
    '/hops/3': redirect('/hello', 308),
    '/circle': redirect('/circle'),
    '/private': redirect('http://10.0.0.1/'),
    '/metadata': redirect('//169.254.169.254/latest'),
    '/inner': redirect('http://inner.example/'),
    '/passwd': redirect('file:///etc/passwd'),
    '/nowhere': redirect('http://[nowhere'),
    '/no-location': (_, response) => void response.writeHead(302).end('Gone'),
  });
});
afterAll(() => server.close());

const local = createGuardedFetcher({ allowLoopback: true });

const send = (path: string, request: Partial<GuardedRequest> = {}) =>
  local.fetch(`${server.url}${path}`, { ...LIMITS, ...request });

const bodyOf = async (response: ReturnType<typeof send>) => Buffer.from((await response).body).toString();

describe('a response', () => {
  it('has status, headers and body', async () => {
    const response = await send('/hello');
    expect(response).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain' } });
    expect(Buffer.from(response.body).toString()).toBe('Hello');
  });

  it('is returned with any status', async () => {
    expect(await send('/broken')).toMatchObject({ status: 503, body: Buffer.from('Not now') });
  });

  it('is decompressed', async () => expect(await bodyOf(send('/gzip'))).toBe('Hello'));

  it('is for the method, headers and body of the request', async () => {
    const request = { method: 'POST', headers: { 'x-mark': 'a' }, body: '{"b":1}' };
    const received = JSON.parse(await bodyOf(send('/echo', request)));
    expect(received).toMatchObject({ method: 'POST', headers: { 'x-mark': 'a' }, body: '{"b":1}' });
  });

  it('that is cut off fails without internal details', async () => {
    const expected = { kind: 'failed', message: 'The address could not be reached.' };
    await expect(send('/cut')).rejects.toMatchObject(expected);
    await expect(local.fetch('http://127.0.0.1:1/', LIMITS)).rejects.toMatchObject(expected);
  });
});

describe('sizes', () => {
  it('can reach the limit', async () => expect((await send('/exact')).body.byteLength).toBe(1_000));

  it.each(['/large', '/promise', '/endless', '/bomb'])('over the limit end %s and its connection', async (path) => {
    const closed = server.nextClosed();
    const expected = { kind: 'too_large', message: 'The response is larger than 1,000 bytes.' };
    await expect(send(path)).rejects.toMatchObject(expected);
    await closed;
  });
});

describe('the time limit', () => {
  it.each(['/hang', '/drip'])('ends %s and its connection', async (path) => {
    const closed = server.nextClosed();
    const expected = { kind: 'timeout', message: 'The address did not respond within 0.2 s.' };
    await expect(send(path, { timeoutMs: 200, maxBytes: 1_000_000 })).rejects.toMatchObject(expected);
    await closed;
  });

  it('ends a lookup that never finishes', async () => {
    const { fetch } = createGuardedFetcher({ resolveName: () => new Promise(() => {}) });
    const response = fetch('http://host.example/', { ...LIMITS, timeoutMs: 50 });
    await expect(response).rejects.toMatchObject({ kind: 'timeout' });
  });

  it.each(['/hang', '/drip'])(
    'does not replace the signal of the caller, which ends %s with its reason',
    async (path) => {
      const closed = server.nextClosed();
      const controller = new AbortController();
      const response = send(path, { signal: controller.signal });
      const reason = new Error('aborted by the caller');
      setTimeout(() => controller.abort(reason), 50);
      await expect(response).rejects.toBe(reason);
      await closed;
      await expect(send(path, { signal: controller.signal })).rejects.toBe(reason);
    },
  );
});

describe('redirects', () => {
  it('are returned by default', async () => {
    expect(await send('/private')).toMatchObject({ status: 302, headers: { location: 'http://10.0.0.1/' } });
  });

  it('are followed if the request allows it', async () => {
    expect(await bodyOf(send('/hop', { redirects: 3 }))).toBe('Hello');
    expect(await bodyOf(send('/hops/1', { redirects: 3 }))).toBe('Hello');
    expect(await bodyOf(send('/no-location', { redirects: 3 }))).toBe('Gone');
  });

  it.each([
    ['/hops/1', 2, 'redirect'],
    ['/circle', 3, 'redirect'],
    ['/nowhere', 3, 'redirect'],
    ['/private', 3, 'refused'],
    ['/metadata', 1, 'refused'],
    ['/passwd', 1, 'refused'],
  ] as const)('of %s fail after %i with %s', async (path, redirects, kind) => {
    await expect(send(path, { redirects })).rejects.toMatchObject({ kind });
  });

  it('are not followed with a body', async () => {
    expect(await send('/hop', { method: 'POST', body: 'x', redirects: 3 })).toMatchObject({ status: 302 });
  });

  it('send no headers to another origin', async () => {
    const other = await startFileServer({
      '/': redirect(`${server.url}/echo`),
      '/near': redirect('/far'),
      '/far': echo,
    });
    const request = { ...LIMITS, redirects: 3, headers: { authorization: 'Bearer secret' } } as const;
    const [far, near] = await Promise.all([local.fetch(other.url, request), local.fetch(`${other.url}/near`, request)]);
    expect(Buffer.from(far.body).toString()).not.toContain('secret');
    expect(Buffer.from(near.body).toString()).toContain('secret');
    await other.close();
  });
});

describe('the guard', () => {
  it('rejects this machine by address and by name, without a connection', async () => {
    const before = server.requests.length;
    const { fetch } = createGuardedFetcher();
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]']) {
      await expect(fetch(`http://${host}:${server.port}/hello`, LIMITS)).rejects.toMatchObject({ kind: 'refused' });
    }
    expect(server.requests).toHaveLength(before);
  });

  it('checks the addresses of the target of a redirect', async () => {
    const addresses = new Map([['outer.example', '127.0.0.1']]);
    const resolveName = async (name: string) => [{ address: addresses.get(name) ?? '10.0.0.1', family: 4 }];
    const { fetch } = createGuardedFetcher({ allowLoopback: true, resolveName });
    const response = fetch(`http://outer.example:${server.port}/inner`, { ...LIMITS, redirects: 1 });
    await expect(response).rejects.toMatchObject({ kind: 'refused' });
    expect(server.requests.at(-1)).toBe('GET /inner');
  });

  it('connects to the address that it checked, with a single lookup', async () => {
    const lookups = ['127.0.0.1', '10.0.0.1'];
    const resolveName = async () => [{ address: lookups.shift() ?? '', family: 4 }];
    const { fetch } = createGuardedFetcher({ allowLoopback: true, resolveName });

    const first = await fetch(`http://rebinding.example:${server.port}/hello`, LIMITS);
    const second = fetch(`http://rebinding.example:${server.port}/hello`, LIMITS);

    expect(first.status).toBe(200);
    await expect(second).rejects.toMatchObject({ kind: 'refused' });
    expect(lookups).toEqual([]);
  });

  it('rejects a name with public and private addresses', async () => {
    const addresses = [
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ];
    const { fetch } = createGuardedFetcher({ resolveName: async () => addresses });
    await expect(fetch('http://host.example/', LIMITS)).rejects.toMatchObject({ kind: 'refused' });
  });
});

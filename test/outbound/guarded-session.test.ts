import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGuardedFetcher } from '../../src/outbound/guarded-fetch.ts';
import type { SessionFetch } from '../../src/outbound/guarded-session.ts';
import { type FileServer, file, startFileServer } from '../support/file-server.ts';

const LIMITS = { timeoutMs: 10_000, maxBytes: 1_000 };

let server: FileServer;
beforeAll(async () => {
  server = await startFileServer({
    '/hello': (request, response) => void response.writeHead(200, { 'x-method': String(request.method) }).end('Hello'),
    '/half': file('text/plain', 'x'.repeat(600)),
    '/bomb': (_, response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
    '/open': (_, response) => void response.writeHead(200).write('first'),
    '/cut': (_, response) => void response.writeHead(200).write('x', () => response.destroy()),
    '/hop': (_, response) => void response.writeHead(302, { location: '/hello' }).end(),
    '/gone': (_, response) => void response.writeHead(204).end(),
    '/hang': () => {},
  });
});
afterAll(() => server.close());

const fetcher = createGuardedFetcher({ allowLoopback: true });
const within = <T>(work: (fetch: SessionFetch) => Promise<T>, limits: Partial<typeof LIMITS> = {}) =>
  fetcher.session({ ...LIMITS, ...limits }, work);

/** Never settles, like a library that does not notice the end of its stream. */
const never = () => new Promise<never>(() => {});

describe('a session of the guarded fetcher', () => {
  it('provides a fetch like the global one', async () => {
    const results = await within(async (fetch) => {
      const posted = await fetch(`${server.url}/hello`, { method: 'POST', body: 'x' });
      const gone = await fetch(new URL(`${server.url}/gone`));
      return [posted.status, posted.headers.get('x-method'), await posted.text(), gone.status, gone.body];
    });
    expect(results).toEqual([200, 'POST', 'Hello', 204, null]);
  });

  it('streams a response, and closes open connections at the end', async () => {
    const closed = server.nextClosed();
    const first = await within(async (fetch) => {
      const { body } = await fetch(`${server.url}/open`);
      return new TextDecoder().decode((await body?.getReader().read())?.value);
    });
    expect(first).toBe('first');
    await closed;
  });

  it('continues after a reader cancels a response', async () => {
    const text = await within(async (fetch) => {
      await (await fetch(`${server.url}/open`)).body?.cancel();
      return (await fetch(`${server.url}/hello`)).text();
    });
    expect(text).toBe('Hello');
  });

  it.each(['http://10.0.0.1/', 'http://169.254.169.254/', 'http://[::ffff:10.0.0.1]/', 'ftp://example.com/'])(
    'rejects %s',
    async (url) => {
      await expect(within((fetch) => fetch(url))).rejects.toMatchObject({ kind: 'refused' });
    },
  );

  it('follows no redirect', async () => {
    expect(await within(async (fetch) => (await fetch(`${server.url}/hop`)).status)).toBe(302);
  });

  it.each([
    ['all responses together', ['/half', '/half']],
    ['a response that decompresses to a large body', ['/bomb']],
  ])('fails if the size limit is exceeded by %s, even if the work does not notice', async (_what, paths) => {
    const result = within(async (fetch) => {
      for (const path of paths) await (await fetch(`${server.url}${path}`)).text().catch(never);
    });
    await expect(result).rejects.toMatchObject({ kind: 'too_large' });
  });

  it('fails if a response is cut off, even if the work does not notice', async () => {
    const result = within(async (fetch) => (await fetch(`${server.url}/cut`)).text().catch(never));
    await expect(result).rejects.toMatchObject({ kind: 'failed' });
  });

  it.each(['/hang', '/open'])('fails after its time limit and closes its connections: %s', async (path) => {
    const closed = server.nextClosed();
    const result = within(async (fetch) => (await fetch(`${server.url}${path}`)).text().catch(never), {
      timeoutMs: 200,
    });
    await expect(result).rejects.toMatchObject({ kind: 'timeout' });
    await closed;
  });

  it("fails with the reason of the caller's signal", async () => {
    const reason = new Error('aborted by the caller');
    const signal = AbortSignal.abort(reason);
    await expect(fetcher.session({ ...LIMITS, signal }, never)).rejects.toBe(reason);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ trustProxy: 1 });
});
afterAll(() => service.close());

const PATHS = ['/openapi.json', '/docs/swagger-ui.js', '/explorer/graphiql.js'];

const load = (path: string, address: string, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { headers: { 'x-forwarded-for': address, 'accept-encoding': 'identity', ...headers } });

describe('files that anybody can load', () => {
  it.each(PATHS)('are counted by the bytes that an address gets: %s', async (path) => {
    const address = `10.2.0.${PATHS.indexOf(path) + 1}`;
    const first = await load(path, address);
    const size = (await first.arrayBuffer()).byteLength;
    const etag = first.headers.get('etag') ?? '';
    const most = Math.floor((LIMITS.pageFileMib * 1024) / Math.ceil(size / 1024));
    for (let count = 1; count < most; count += 1) {
      const { status, body } = await load(path, address);
      await body?.cancel();
      expect(status).toBe(200);
    }
    const refused = await load(path, address);
    expect([refused.status, refused.headers.get('etag'), refused.headers.get('cache-control')]).toEqual([
      429,
      null,
      expect.not.stringContaining('public'),
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limited' } });
    expect((await load(path, '10.2.0.9')).status).toBe(200);
    // What the client has already costs nothing.
    expect((await load(path, address, { 'if-none-match': etag })).status).toBe(304);
  });
});

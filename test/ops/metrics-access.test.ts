import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const TOKEN = 'a-token-of-this-test-with-40-characters!';

const OTHER_ADDRESS = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

async function read(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/metrics`, { headers });
  const challenge = response.headers.get('www-authenticate');
  return { status: response.status, challenge, text: await response.text() };
}

/** The status for a request of another machine with these headers. `fetch` would join repeated ones. */
async function statusWith(url: string, ...authorizations: readonly string[]): Promise<number | undefined> {
  const headers = ['Host', 'localhost', 'X-Forwarded-For', '203.0.113.1'];
  const repeated = authorizations.flatMap((value) => ['Authorization', value]);
  const sent = request(`${url}/metrics`, { headers: [...headers, ...repeated] }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

async function listenEverywhere({ service }: TestService): Promise<{ server: Server; port: number }> {
  const server = createServer(service.app).listen(0, '0.0.0.0');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

for (const token of [undefined, TOKEN]) {
  describe(`/metrics ${token ? 'with' : 'without'} METRICS_TOKEN`, () => {
    let service: TestService;
    let server: Server;
    let port: number;
    beforeAll(async () => {
      service = await startService({ metricsToken: token, trustProxy: 1 });
      ({ server, port } = await listenEverywhere(service));
    });
    afterAll(async () => {
      server.close();
      await service.close();
    });

    const expectRejection = async (url: string, headers?: Record<string, string>) => {
      const rejection = token
        ? { status: 401, challenge: 'Bearer', text: expect.stringContaining('"code":"unauthorized"') }
        : { status: 404, challenge: null, text: expect.stringContaining('"code":"not_found"') };
      expect(await read(url, headers)).toEqual(rejection);
    };

    it('returns metrics to a program on the same machine', async () => {
      expect(await read(service.url)).toMatchObject({
        status: 200,
        text: expect.stringContaining('parley_active_runs'),
      });
    });

    it.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-forwarded-host'])(
      'rejects a request that a proxy on the same machine forwards: %s',
      (header) => expectRejection(service.url, { [header]: '127.0.0.1' }),
    );

    it.skipIf(!OTHER_ADDRESS)('rejects a caller from another address, even with X-Forwarded-For', async () => {
      const url = `http://${OTHER_ADDRESS}:${port}`;
      await expectRejection(url);
      await expectRejection(url, { 'x-forwarded-for': '127.0.0.1' });
      await expectRejection(url, { authorization: `Bearer ${TOKEN}x` });
      await expectRejection(url, { authorization: `Bearer ${service.keys.live}` });
    });

    it('returns metrics to any caller with the token', async () => {
      const headers = { authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '203.0.113.1' };
      if (token) expect(await read(service.url, headers)).toMatchObject({ status: 200 });
      else await expectRejection(service.url, headers);
    });

    it.skipIf(!token)('accepts repeated headers only if each bearer token is the right one', async () => {
      const [own, wrong] = [`Bearer ${TOKEN}`, `Bearer ${TOKEN}x`];
      const statuses = (...headers: string[][]) => Promise.all(headers.map((each) => statusWith(service.url, ...each)));
      expect(await statuses([own], [own, own], ['Basic eDp5', own], [own, 'Basic eDp5'])).toEqual([200, 200, 200, 200]);
      expect(await statuses([], [own, wrong], [wrong, own], [`${wrong}, ${own}`], [`${own}, ${wrong}`])).toEqual([
        401, 401, 401, 401, 401,
      ]);
    });

    it.each(['/Metrics', '/METRICS', '/metrics/', '//metrics', '/%6Detrics', '/healthz/', '/Healthz'])(
      'returns 404 at %s',
      async (path) => expect((await service.send('GET', path)).status).toBe(404),
    );

    it.each(['/V1/resources', '/v1/resources/', '/v1/Resources', '/GraphQL', '/Dashboard', '/Chat/x', '/docs/'])(
      'returns 404 at %s, because paths are case sensitive and strict',
      async (path) => expect((await service.send('GET', path)).status).toBe(404),
    );
  });
}

import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startNginx } from '../support/balancer.ts';
import { freePorts } from '../support/free-ports.ts';
import { until } from '../support/until.ts';

const BAD_PATH = '/response-with-endless-headers';
const LONG_PATH = '/response-with-long-headers';

/** Stands in for a process. Some paths get responses that the service itself never sends. */
async function startUpstream(port: number, paths: string[]): Promise<Server> {
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '';
    paths.push(path);
    if (path.startsWith(BAD_PATH)) response.setHeader('x-long', 'a'.repeat(80_000));
    if (path.startsWith(LONG_PATH)) response.setHeader('x-long', 'a'.repeat(55_000));
    incoming.resume().once('end', () => response.end('{}'));
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Sends the path unchanged, because `fetch` would normalize it. */
function get(port: number, path: string): Promise<{ status: number; headers: object; text: string }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, maxHeaderSize: 100_000 }, async (response) => {
      let text = '';
      for await (const bytes of response) text += bytes;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    })
      .on('error', reject)
      .end();
  });
}

describe('nginx with the shipped configuration', () => {
  let nginxPort: number;
  let ports: number[];
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  let upstreams: Server[] = [];
  const paths: string[] = [];

  const startAll = async () => {
    upstreams = await Promise.all(ports.map((port) => startUpstream(port, paths)));
  };
  const stopAll = async () => {
    await Promise.all(
      upstreams.map(async (server) => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }),
    );
    upstreams = [];
  };

  beforeAll(async () => {
    [nginxPort = 0, ...ports] = await freePorts(4);
    nginx = await startNginx(nginxPort, ports);
  });
  afterEach(async () => {
    await stopAll();
    paths.length = 0;
  });
  afterAll(() => nginx.close());

  it('keeps using every process after responses that it cannot read', async () => {
    await startAll();
    for (let round = 0; round < 6; round += 1) {
      expect((await get(nginxPort, `${BAD_PATH}/${round}`)).status).toBe(503);
      expect((await get(nginxPort, '/v1/resources')).status).toBe(200);
    }
    expect(paths.filter((path) => path.startsWith(BAD_PATH))).toHaveLength(6);
  });

  it('forwards the bytes of a file while they arrive, more than other bodies can have', async () => {
    await startAll();
    const path = '/v1/uploads/file_1';
    const sending = request({ host: '127.0.0.1', port: nginxPort, path, method: 'PUT' });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      sending.once('response', (response) => resolve(response.resume().statusCode)).once('error', reject);
    });
    sending.write(Buffer.alloc(1024));
    await until(async () => paths.includes(path));
    sending.end(Buffer.alloc(13 * 1024 * 1024));
    expect(await answered).toBe(200);
    const other = await fetch(`http://127.0.0.1:${nginxPort}/v1/resources`, {
      method: 'POST',
      body: Buffer.alloc(13 * 1024 * 1024),
    });
    expect(other.status).toBe(413);
  });

  it('forwards the longest headers that a process sends', async () => {
    await startAll();
    expect((await get(nginxPort, LONG_PATH)).status).toBe(200);
  });

  it('responds with the 503 of the service when no process listens', async () => {
    const unavailable = { type: 'api_error', code: 'unavailable', message: expect.any(String), param: null };
    const rest = await get(nginxPort, '/v1/resources');
    expect(rest).toMatchObject({ status: 503, headers: { 'retry-after': '2', 'content-type': 'application/json' } });
    const body = JSON.parse(rest.text);
    expect(body).toEqual({ error: unavailable, request_id: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(rest.headers).toMatchObject({ 'x-request-id': body.request_id });

    const graphql = await get(nginxPort, '/graphql');
    expect(graphql).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
    const { message, ...extensions } = { ...unavailable, code: 'UNAVAILABLE', status: 503 };
    expect(JSON.parse(graphql.text)).toEqual({ errors: [{ message, extensions }] });
  });

  it('sends requests to a process as soon as it listens again', async () => {
    expect((await get(nginxPort, '/v1/resources')).status).toBe(503);
    await startAll();
    expect((await get(nginxPort, '/v1/resources')).status).toBe(200);
  });

  it.each([
    '/metrics',
    '/Metrics',
    '/METRICS',
    '/metrics/',
    '//metrics',
    '/metrics//',
    '/%6detrics',
    '/%4Detrics',
    '/./metrics',
    '/v1/../metrics',
    '/metrics?a=b',
    '/metrics/x',
  ])('returns 404 for %s', async (path) => {
    await startAll();
    const { status, text } = await get(nginxPort, path);
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'not_found' }, request_id: expect.any(String) });
    expect(paths).toEqual([]);
  });
});

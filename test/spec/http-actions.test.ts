import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { busyMs } from '../support/event-loop.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { workflowsOf } from '../support/workflows.ts';

const KEY = /^call_[\da-f]{32}$/;

const TOKEN = 'tok_5b"c\\9e-very/secret+value';

interface RecordedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let service: TestService;
let api: FileServer;
let other: FileServer;
let requests: RecordedRequest[] = [];

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

async function recordRequest(request: IncomingMessage, response: ServerResponse) {
  const { method, url, headers } = request;
  requests.push({ method, url, headers, body: await text(request) });
  json(response, { found: true });
}

/** Every form in which a careless server may repeat a secret. */
function echo(request: IncomingMessage, response: ServerResponse) {
  const header = String(request.headers.authorization);
  const [, token = ''] = header.split(' ');
  json(response, {
    header,
    token,
    [token]: 'as a key',
    encoded: encodeURIComponent(token),
    base64: Buffer.from(token).toString('base64'),
    inside: JSON.stringify({ token }),
  });
}

const JSON_TYPE = 'application/json';

const latin1 =
  (type: string | undefined, body: string, status = 200) =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response
      .writeHead(status, type === undefined ? {} : { 'content-type': type })
      .end(Buffer.from(body, 'latin1'));

const statusHandler = (status: number) => (_: IncomingMessage, response: ServerResponse) =>
  void json(response, { detail: `details of ${status}` }, status);

const redirect = (to: () => string) => (_: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(302, { location: to() }).end();

beforeAll(async () => {
  service = await startService();
  other = await startFileServer({ '/elsewhere': (request, response) => void recordRequest(request, response) });
  api = await startFileServer({
    '/v1/orders/a%2Fb%20%3Fc': recordRequest,
    '/v1/orders/7': recordRequest,
    '/v1/orders': recordRequest,
    '/v1/echo': echo,
    '/v1/400': statusHandler(400),
    '/v1/401': statusHandler(401),
    '/v1/500': statusHandler(500),
    '/v1/hang': () => {},
    '/v1/huge': (_, response) => void response.writeHead(200).end('x'.repeat(1024 * 1024 + 1)),
    '/v1/long': (_, response) => void json(response, { text: 'y'.repeat(50_000) }),
    '/v1/deep': latin1(JSON_TYPE, '['.repeat(9_000) + ']'.repeat(9_000)),
    '/v1/ids': latin1(JSON_TYPE, '{"id":2512292042121000001}'),
    '/v1/keys': latin1(JSON_TYPE, `{ ${Array.from({ length: 11_000 }, (_, index) => `"k${index}":0`).join()} }`),
    '/v1/picture': (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('12345'),
    '/v1/nul': (_, response) => void json(response, { 'a\0b': 'c\0d\ud800' }),
    '/v1/named': latin1('application/json; charset=iso-8859-1', '{"name":"Grüße"}'),
    '/v1/xml': latin1('application/xml', '<?xml version="1.0" encoding="windows-1252"?><a>é</a>'),
    '/v1/unnamed': latin1('application/json', '{"name":"Grüße"}'),
    '/v1/rejected': latin1('text/plain', 'ungültig', 422),
    '/v1/unnamed-and-long': latin1('text/plain', 'é'.repeat(50_000)),
    '/v1/bytes': latin1(undefined, '\x89PNG\r\n\x00\x00'),
    '/v1/private': redirect(() => 'http://10.0.0.1/admin'),
    '/v1/metadata': redirect(() => 'http://169.254.169.254/latest'),
    '/v1/away': redirect(() => `${other.url}/elsewhere`),
  });
  await connect(service, {
    kind: 'http',
    name: 'Shop',
    url: `${api.url}/v1/`,
    headers: [{ name: 'Authorization', value: `Bearer ${TOKEN}` }],
  });
});
afterAll(async () => {
  await service.close();
  await Promise.all([api.close(), other.close()]);
});

const ID = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

async function runner(...actions: object[]) {
  requests = [];
  const httpActions = actions.map((action) => ({ name: 'act', integration: 'Shop', url: '/orders', ...action }));
  return publishScripted(service, workflowsOf(service), { httpActions });
}

/** Calls the only action of a workflow. Returns the output that the model received, and the history item. */
async function callOf(action: object, input: object = {}) {
  const { call } = await runner({ inputSchema: { type: 'object' }, ...action });
  const { outputs, items } = await call(`/call act ${JSON.stringify(input)}`);
  expect(outputs).toHaveLength(1);
  return { output: outputs[0], item: items[0] };
}

describe('an HTTP action', () => {
  it('sends arguments in its path and query, and the headers of its integration and its own', async () => {
    const { output, item } = await callOf(
      { url: '/orders/{id}?view=full&q={id}', inputSchema: ID, headers: [{ name: 'X-Channel', value: 'chat' }] },
      { id: 'a/b ?c', tags: ['x', 'y&z'], deep: { k: 1 }, empty: null },
    );
    expect(output).toEqual({ status: 200, content: { found: true } });
    expect(item).toMatchObject({ type: 'action', name: 'act', status: 'completed' });
    expect(item).not.toHaveProperty('arguments');
    const [request] = requests;
    expect(request?.method).toBe('GET');
    const url = new URL(request?.url ?? '', 'http://host');
    expect(url.pathname).toBe('/v1/orders/a%2Fb%20%3Fc');
    expect([...url.searchParams]).toEqual([
      ['view', 'full'],
      ['q', 'a/b ?c'],
      ['tags', 'x'],
      ['tags', 'y&z'],
      ['deep', '{"k":1}'],
    ]);
    expect(request?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'x-channel': 'chat' });
  });

  it('sends arguments that its URL does not name as a JSON object', async () => {
    await callOf(
      { method: 'PUT', url: '/orders/{id}', inputSchema: ID },
      { id: '7', note: 'é', lines: [1, { a: null }] },
    );
    expect(requests[0]).toMatchObject({ method: 'PUT', headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ note: 'é', lines: [1, { a: null }] });
  });

  it('sends a key of its own with each call, unless the workflow sets one', async () => {
    const { call } = await runner({ url: '/orders' });
    await call('/call act {}\n/call act {}');
    const keys = requests.map(({ headers }) => String(headers['idempotency-key']));
    expect(keys).toEqual([expect.stringMatching(KEY), expect.stringMatching(KEY)]);
    expect(new Set(keys).size).toBe(2);
    await callOf({ url: '/orders', headers: [{ name: 'Idempotency-Key', value: 'fixed' }] }, {});
    expect(requests[0]?.headers).toMatchObject({ 'idempotency-key': 'fixed' });
  });

  it('needs no integration if its URL is absolute, and accepts no arguments without a schema', async () => {
    const { call } = await runner({ integration: null, url: `${api.url}/v1/orders` });
    const { outputs } = await call('/call act {"extra":1} && /call act');
    expect(outputs[0].error).toContain('not valid');
    expect(outputs[1]).toMatchObject({ status: 200 });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('reports arguments that fail the schema to the model and sends no request', async () => {
    const { output, item } = await callOf({ url: '/orders/{id}', inputSchema: ID }, { id: 7 });
    expect(output.error).toMatch(/arguments of act are not valid: \/id must be a string/);
    expect(item).toMatchObject({ status: 'failed', summary: 'act failed.' });
    expect(requests).toEqual([]);
  });

  it.each([['..'], ['.'], ['']])('rejects %j as a path segment', async (id) => {
    const { output, item } = await callOf({ url: '/orders/{id}', inputSchema: ID }, { id });
    expect(output.error).toMatch(/path/);
    expect(item?.status).toBe('failed');
    expect(requests).toEqual([]);
  });

  it.each(['@evil.example', '//evil.example', '.evil.example', '\\evil', ':81', '%2e%2e', '#x'])(
    'never leaves its host for the argument %s',
    async (id) => {
      const { call } = await runner({ integration: null, url: `${api.url}/v1/{id}`, inputSchema: ID });
      const before = api.requests.length;
      const { outputs } = await call(`/call act ${JSON.stringify({ id })}`);
      expect(outputs[0]).toMatchObject({ status: 404 });
      expect(api.requests.slice(before)).toEqual([`GET /v1/${encodeURIComponent(id)}`]);
    },
  );

  it.each([
    [400, { error: 'The server responded with 400.', status: 400, content: { detail: 'details of 400' } }],
    [401, { error: expect.stringContaining('credentials'), status: 401 }],
    [500, { error: expect.stringContaining('500'), status: 500 }],
  ])('fails if the server returns %i, and gives the response text only for a client error', async (status, results) => {
    const { output, item } = await callOf({ url: `/${status}` });
    expect(output).toEqual(results);
    expect(item?.status).toBe('failed');
  });

  it('times out if the server hangs', async () => {
    const startedAt = Date.now();
    const { output, item } = await callOf({ url: '/hang', timeoutSeconds: 1 });
    expect([output.error, item?.status]).toEqual([expect.stringContaining('did not respond within 1 s'), 'failed']);
    expect(Date.now() - startedAt).toBeLessThan(busyMs(5_000));
  });

  it('fails if the response is larger than 1 MiB', async () => {
    const { output, item } = await callOf({ url: '/huge' });
    expect(output.error).toContain('larger than 1,048,576 bytes');
    expect(item?.status).toBe('failed');
  });

  it('gives the model 32,000 characters of a response and notes the truncation', async () => {
    const { output } = await callOf({ url: '/long' });
    expect(output.content).toHaveLength(32_000);
    expect(output.note).toContain('first 32,000 of 50,011');
  });

  it.each([
    ['deep', /nested too deeply/],
    ['ids', /^"{.*2512292042121000001}"$/],
    // As the text that it is, because each new key takes much longer to parse than a value.
    ['keys', /^"{ \\"k0\\":0,.*"$/],
    ['picture', /5 bytes of image\/png omitted/],
    ['nul', /^{"ab":"cd\ufffd"}$/],
  ])('handles a response that is %s', async (name, results) => {
    const { output, item } = await callOf({ url: `/${name}` });
    expect(JSON.stringify(output.content)).toMatch(results);
    expect(item?.status).toBe('completed');
  });

  it.each([
    ['named', { content: { name: 'Grüße' } }],
    ['xml', { content: expect.stringContaining('<a>é</a>') }],
    [
      'unnamed',
      { content: { name: 'Gr\ufffd\ufffde' }, note: expect.stringMatching(/^U\+FFFD stands for .* charset\.$/) },
    ],
    ['rejected', { error: expect.any(String), content: 'ung\ufffdltig', note: expect.stringContaining('U+FFFD') }],
    ['unnamed-and-long', { content: expect.any(String), note: expect.stringMatching(/^U\+FFFD .* Cut off: /) }],
    ['bytes', { content: '[8 bytes of an unknown type omitted]' }],
  ])('decodes a response by its charset, and notes what cannot be read (%s)', async (name, output) => {
    expect((await callOf({ url: `/${name}` })).output).toEqual({ status: expect.any(Number), ...output });
  });

  it.each([['private'], ['metadata']])('rejects a redirect to a %s address', async (name) => {
    const { output, item } = await callOf({ url: `/${name}` });
    expect(output).toEqual({ error: 'The address is not public.' });
    expect(item?.status).toBe('failed');
  });

  it('follows a redirect of a GET without its secrets, and no redirect of a POST', async () => {
    expect((await callOf({ url: '/away' })).output).toMatchObject({ status: 200 });
    expect(requests[0]).toMatchObject({ url: '/elsewhere' });
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
    expect((await callOf({ url: '/away', method: 'POST' })).output).toMatchObject({ status: 302 });
    expect(requests).toEqual([]);
  });

  it('never reveals a secret that the server repeats: not to the model, the history, the log or the database', async () => {
    const { call } = await runner({ url: '/echo' });
    const { outputs, items } = await call('/call act');
    const token = '[secret]';
    expect(outputs[0].content).toEqual({
      header: token,
      token,
      [token]: 'as a key',
      encoded: token,
      base64: token,
      inside: expect.not.stringContaining('5b'),
    });
    const rows = await service.service.services.stores.prisma.timelineItem.findMany({ where: { kind: 'action' } });
    const stored = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    for (const text of [JSON.stringify(items), stored, service.logLines.join('')])
      expect(text).not.toContain('very/secret');
  });

  it('logs and counts its outcome without its arguments', async () => {
    const before = service.logLines.length;
    await callOf({ url: '/500' }, { note: 'a private matter' });
    const lines = service.logLines.slice(before).join('');
    expect(lines).toContain('"msg":"an action failed"');
    expect(lines).not.toContain('private matter');
    const metrics = await service.send('GET', '/metrics');
    expect(metrics.body).toMatch(/parley_action_duration_seconds_count\{source="http",outcome="failed"\} [1-9]/);
  });

  it('names the integration that is not connected in the environment of the run', async () => {
    const { call } = await runner({});
    const { outputs } = await call('/call act', { key: service.keys.test });
    expect(outputs).toEqual([{ error: 'No integration "Shop" is connected in the test environment.' }]);
  });
});

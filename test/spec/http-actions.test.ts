import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, scripted } from '../support/actions.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { workflowsOf } from '../support/workflows.ts';

const TOKEN = 'tok_5b"c\\9e-very/secret+value';

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let service: TestService;
let api: FileServer;
let other: FileServer;
let asked: Asked[] = [];

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

async function tell(request: IncomingMessage, response: ServerResponse) {
  const { method, url, headers } = request;
  asked.push({ method, url, headers, body: await text(request) });
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

const with_ = (status: number) => (_: IncomingMessage, response: ServerResponse) =>
  void json(response, { detail: `details of ${status}` }, status);

const redirect = (to: () => string) => (_: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(302, { location: to() }).end();

beforeAll(async () => {
  service = await startService();
  other = await startFileServer({ '/elsewhere': (request, response) => void tell(request, response) });
  api = await startFileServer({
    '/v1/orders/a%2Fb%20%3Fc': tell,
    '/v1/orders/7': tell,
    '/v1/orders': tell,
    '/v1/echo': echo,
    '/v1/400': with_(400),
    '/v1/401': with_(401),
    '/v1/500': with_(500),
    '/v1/hang': () => {},
    '/v1/huge': (_, response) => void response.writeHead(200).end('x'.repeat(1024 * 1024 + 1)),
    '/v1/long': (_, response) => void json(response, { text: 'y'.repeat(50_000) }),
    '/v1/deep': (_, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('['.repeat(9_000) + ']'.repeat(9_000)),
    '/v1/picture': (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('12345'),
    '/v1/nul': (_, response) => void json(response, { 'a\0b': 'c\0d\ud800' }),
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
  asked = [];
  const httpActions = actions.map((action) => ({ name: 'act', integration: 'Shop', url: '/orders', ...action }));
  return scripted(service, workflowsOf(service), { httpActions });
}

/** Calls the one action of a workflow, and answers what the model was told and the history's item. */
async function callOf(action: object, given: object = {}) {
  const { call } = await runner({ inputSchema: { type: 'object' }, ...action });
  const { outputs, items } = await call(`/call act ${JSON.stringify(given)}`);
  expect(outputs).toHaveLength(1);
  return { output: outputs[0], item: items[0] };
}

describe('an HTTP action', () => {
  it('is asked with arguments in its path and query, the headers of its integration and its own', async () => {
    const { output, item } = await callOf(
      { url: '/orders/{id}?view=full&q={id}', inputSchema: ID, headers: [{ name: 'X-Channel', value: 'chat' }] },
      { id: 'a/b ?c', tags: ['x', 'y&z'], deep: { k: 1 }, none: null },
    );
    expect(output).toEqual({ status: 200, content: { found: true } });
    expect(item).toMatchObject({ type: 'action', name: 'act', status: 'completed' });
    expect(item).not.toHaveProperty('arguments');
    const [request] = asked;
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

  it('sends what its address does not name as a JSON object', async () => {
    await callOf(
      { method: 'PUT', url: '/orders/{id}', inputSchema: ID },
      { id: '7', note: 'é', lines: [1, { a: null }] },
    );
    expect(asked[0]).toMatchObject({ method: 'PUT', headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ note: 'é', lines: [1, { a: null }] });
  });

  it('needs no integration where its address is whole, and takes no arguments without a schema', async () => {
    const { call } = await runner({ integration: null, url: `${api.url}/v1/orders` });
    const { outputs } = await call('/call act {"extra":1} && /call act');
    expect(outputs[0].error).toContain('not valid');
    expect(outputs[1]).toMatchObject({ status: 200 });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.headers).not.toHaveProperty('authorization');
  });

  it('tells the model what to mend in arguments that its schema does not take, and asks nobody', async () => {
    const { output, item } = await callOf({ url: '/orders/{id}', inputSchema: ID }, { id: 7 });
    expect(output.error).toMatch(/arguments of act are not valid: \/id must be string/);
    expect(item).toMatchObject({ status: 'failed', summary: 'act failed.' });
    expect(asked).toEqual([]);
  });

  it.each([['..'], ['.'], ['']])('refuses %j as a part of its path', async (id) => {
    const { output, item } = await callOf({ url: '/orders/{id}', inputSchema: ID }, { id });
    expect(output.error).toMatch(/path/);
    expect(item?.status).toBe('failed');
    expect(asked).toEqual([]);
  });

  it.each(['@evil.example', '//evil.example', '.evil.example', '\\evil', ':81', '%2e%2e', '#x'])(
    'never leaves its host, whatever the argument: %s',
    async (id) => {
      const { call } = await runner({ integration: null, url: `${api.url}/v1/{id}`, inputSchema: ID });
      const before = api.asked.length;
      const { outputs } = await call(`/call act ${JSON.stringify({ id })}`);
      expect(outputs[0]).toMatchObject({ status: 404 });
      expect(api.asked.slice(before)).toEqual([`GET /v1/${encodeURIComponent(id)}`]);
    },
  );

  it.each([
    [400, { error: 'The server answered 400.', status: 400, content: { detail: 'details of 400' } }],
    [401, { error: expect.stringContaining('credentials'), status: 401 }],
    [500, { error: expect.stringContaining('500'), status: 500 }],
  ])('fails where the server answers %i, with its words on the request alone', async (status, told) => {
    const { output, item } = await callOf({ url: `/${status}` });
    expect(output).toEqual(told);
    expect(item?.status).toBe('failed');
  });

  it('ends with its time where the server hangs', async () => {
    const startedAt = Date.now();
    const { output, item } = await callOf({ url: '/hang', timeoutSeconds: 1 });
    expect(output.error).toContain('did not answer within 1 s');
    expect(item?.status).toBe('failed');
    expect(Date.now() - startedAt).toBeLessThan(5_000);
  });

  it('fails where the answer is larger than 1 MiB', async () => {
    const { output, item } = await callOf({ url: '/huge' });
    expect(output.error).toContain('larger than 1,048,576 bytes');
    expect(item?.status).toBe('failed');
  });

  it('gives the model 32,000 characters of an answer, and says what is missing', async () => {
    const { output } = await callOf({ url: '/long' });
    expect(output.content).toHaveLength(32_000);
    expect(output.note).toContain('first 32,000 of 50,011');
  });

  it.each([
    ['deep', /nested too deeply/],
    ['picture', /5 bytes of image\/png, left out/],
    ['nul', /^{"ab":"cd\ufffd"}$/],
  ])('takes an answer that is %s', async (name, told) => {
    const { output, item } = await callOf({ url: `/${name}` });
    expect(JSON.stringify(output.content)).toMatch(told);
    expect(item?.status).toBe('completed');
  });

  it.each([['private'], ['metadata']])('refuses a redirect to a %s address', async (name) => {
    const { output, item } = await callOf({ url: `/${name}` });
    expect(output).toEqual({ error: 'The address is not a public one.' });
    expect(item?.status).toBe('failed');
  });

  it('follows a redirect of a GET without its secrets, and none of a POST', async () => {
    expect((await callOf({ url: '/away' })).output).toMatchObject({ status: 200 });
    expect(asked[0]).toMatchObject({ url: '/elsewhere' });
    expect(asked[0]?.headers).not.toHaveProperty('authorization');
    expect((await callOf({ url: '/away', method: 'POST' })).output).toMatchObject({ status: 302 });
    expect(asked).toEqual([]);
  });

  it('never tells a secret that the server repeats: not to the model, the history, the log or the database', async () => {
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
    const rows = await service.service.services.prisma.timelineItem.findMany({ where: { kind: 'action' } });
    const stored = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    for (const text of [JSON.stringify(items), stored, service.logged.join('')])
      expect(text).not.toContain('very/secret');
  });

  it('logs and counts what became of it, without its arguments', async () => {
    const before = service.logged.length;
    await callOf({ url: '/500' }, { note: 'a private matter' });
    const lines = service.logged.slice(before).join('');
    expect(lines).toContain('"msg":"an action failed"');
    expect(lines).not.toContain('private matter');
    const metrics = await service.send('GET', '/metrics');
    expect(metrics.body).toMatch(/parley_action_duration_seconds_count\{source="http",outcome="failed"\} [1-9]/);
  });

  it('says which integration is not connected in the environment of the run', async () => {
    const { call } = await runner({});
    const { outputs } = await call('/call act', { key: service.keys.test });
    expect(outputs).toEqual([{ error: 'No integration "Shop" is connected in the test environment.' }]);
  });
});

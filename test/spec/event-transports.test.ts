import { setTimeout as pause } from 'node:timers/promises';
import { type Client, createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { dropWhenSlow } from '../../src/operation/slow-consumer.ts';
import { startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeKey, openSession } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const FEED = 'subscription { eventAppended { event { resourceId } } }';

const make = async () =>
  (await service.send('POST', '/v1/resources', { body: { type: 'a', fields: {} } })).body.data.id;

const opened = async () => {
  const { body } = await service.send('GET', '/metrics');
  return Number(/^parley_subscriptions (\d+)$/m.exec(body)?.[1]);
};

async function clientOf(singleConnection: boolean, key = service.keys.live): Promise<Client<boolean>> {
  const url = `${service.url}/graphql${singleConnection ? '/stream' : ''}`;
  return createClient({ url, singleConnection, headers: { authorization: `Bearer ${key}` }, retryAttempts: 0 });
}

/** The first results of an operation. It starts at once. */
async function take(client: Client<boolean>, query: string, count: number) {
  const results: Record<string, unknown>[] = [];
  const received = client.iterate({ query });
  for await (const result of received) {
    results.push(result as Record<string, unknown>);
    if (results.length === count) break;
  }
  return results;
}

describe.each([
  ['distinct connections', false],
  ['a single connection', true],
])('GraphQL over SSE with %s', (_mode, isSingle) => {
  it('carries parallel subscriptions, queries and mutations', async () => {
    const client = await clientOf(isSingle);
    const before = await opened();
    const ids: string[] = [];
    const both = [0, 1].map(() => take(client, FEED, 2));
    await until(async () => (await opened()) === before + 2);
    ids.push(await make(), await make());
    const expected = ids.map((resourceId) => ({ data: { eventAppended: { event: { resourceId } } } }));
    expect(await Promise.all(both)).toEqual([expected, expected]);
    expect(await take(client, '{ events(first: 1) { totalCount } }', 1)).toMatchObject([{ data: { events: {} } }]);
    await until(async () => (await opened()) === before);
    client.dispose();
  });

  it('reports errors of the document, the credentials and the arguments', async () => {
    const client = await clientOf(isSingle);
    const invalid = take(client, 'subscription { nothing }', 1);
    // On a single connection the response to the POST reports it, and the stream never receives the operation.
    if (isSingle) await expect(invalid).rejects.toMatchObject({ response: { status: 400 } });
    else expect(await invalid).toMatchObject([{ errors: [{ message: expect.stringContaining('nothing') }] }]);
    const [rejection] = await take(client, 'subscription { eventAppended(after: "x") { cursor } }', 1);
    expect(rejection).toMatchObject({ errors: [{ extensions: { code: 'INVALID_CURSOR', param: 'after' } }] });
    client.dispose();
    const weak = await clientOf(isSingle, await makeKey(service, { scopes: ['triggers:read'] }));
    const [forbidden] = await take(weak, FEED, 1);
    expect(forbidden).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    weak.dispose();
  });
});

describe('a single connection', () => {
  const PATH = '/graphql/stream';
  const reserve = async () => (await service.send('PUT', PATH)).body as string;
  const operate = (token: string, body: object, key: string | null = service.keys.live) =>
    service.send('POST', PATH, { body, key, headers: { 'x-graphql-event-stream-token': token } });
  const operation = (operationId: unknown) => ({ query: FEED, extensions: { operationId } });

  it('checks the credentials of each operation', async () => {
    const token = await reserve();
    const abort = new AbortController();
    const response = await fetch(`${service.url}${PATH}?token=${token}`, { signal: abort.signal });
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const wrong = await operate(token, operation('a'), 'sk_live_wrong');
    expect([wrong.status, wrong.body.errors[0].extensions.code]).toEqual([401, 'UNAUTHORIZED']);
    abort.abort();
  });

  it('rejects a reservation without valid credentials', async () => {
    expect((await service.send('PUT', PATH, { key: 'sk_live_wrong' })).status).toBe(401);
  });

  it.each([
    ['no stream', () => operate('none', operation('a')), 404, 'not_found'],
    ['no operation id', async () => operate(await reserve(), { query: FEED }), 400, 'invalid_request'],
    ['an unsupported method', () => service.send('PATCH', PATH), 405, 'method_not_allowed'],
  ])('rejects %s', async (_description, send, status, code) => {
    const result = await send();
    expect([result.status, result.body.error.code]).toEqual([status, code]);
  });

  it('rejects a body that is too large', async () => {
    const { status, body } = await operate('none', { query: 'x'.repeat(11e6) });
    expect([status, body.errors[0].extensions.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('allows one reader, each operation ID once, and a limited number of parallel operations', async () => {
    const others = await opened();
    const token = await reserve();
    const abort = new AbortController();
    const response = await fetch(`${service.url}${PATH}?token=${token}`, { signal: abort.signal });
    expect(response.status).toBe(200);
    expect((await service.send('GET', `${PATH}?token=${token}`)).status).toBe(409);
    const first = await operate(token, operation('0'));
    expect(first.status).toBe(202);
    expect(await operate(token, operation('0'))).toMatchObject({ status: 409 });
    const more = Array.from({ length: LIMITS.operationsOfStream - 1 }, (_, index) =>
      operate(token, operation(`${index + 1}`)),
    );
    expect((await Promise.all(more)).every(({ status }) => status === 202)).toBe(true);
    expect(await operate(token, operation('one more'))).toMatchObject({
      status: 429,
      body: { error: { code: 'rate_limited' } },
    });
    const allOpened = others + LIMITS.operationsOfStream;
    await until(async () => (await opened()) === allOpened);
    expect((await service.send('DELETE', `${PATH}?token=${token}&operationId=0`)).status).toBe(200);
    await until(async () => (await opened()) === allOpened - 1);
    abort.abort();
    await until(async () => (await opened()) === others);
  });
});

describe('/graphql/stream', () => {
  const PATH = '/graphql/stream';

  it('keeps the results of operations that start before a client reads the stream', async () => {
    const token = (await service.send('PUT', PATH)).body as string;
    const headers = { 'x-graphql-event-stream-token': token };
    const start = (operationId: string, query: string) =>
      service.send('POST', PATH, { headers, body: { query, extensions: { operationId } } });
    expect((await start('query', '{ events(first: 1) { totalCount } }')).status).toBe(202);
    expect((await start('feed', FEED)).status).toBe(202);
    const resourceId = await make();
    const abort = new AbortController();
    const response = await fetch(`${service.url}${PATH}?token=${token}`, { signal: abort.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!(text.includes('totalCount') && text.includes(resourceId))) text += (await reader?.read())?.value ?? '';
    expect(text).toContain('event: complete\ndata: {"id":"query"}');
    await service.send('DELETE', `${PATH}?token=${token}&operationId=feed`);
    while (!text.includes('event: complete\ndata: {"id":"feed"}')) text += (await reader?.read())?.value ?? '';
    abort.abort();
  });

  it('serves the distinct connections mode to a client without a token', async () => {
    const headers = { authorization: `Bearer ${service.keys.live}` };
    const client = createClient({ url: `${service.url}${PATH}`, headers, retryAttempts: 0 });
    expect(await take(client, '{ events(first: 1) { totalCount } }', 1)).toMatchObject([{ data: { events: {} } }]);
    client.dispose();
  });
});

describe('a subscription whose Accept header does not name text/event-stream', () => {
  it.each(['application/json', '*/*', 'text/*', 'application/json, text/event-stream;q=0', undefined])(
    'returns 406 with the header %s',
    async (accept) => {
      const response = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.keys.live}`,
          'content-type': 'application/json',
          ...(accept !== undefined && { accept }),
        },
        body: JSON.stringify({ query: FEED }),
      });
      expect(response.status).toBe(406);
      const body = await response.text();
      expect(body).toContain('"code":"NOT_ACCEPTABLE"');
      expect(body).toContain('Accept: text/event-stream');
    },
  );

  it.each(['Text/Event-Stream', 'application/json;q=0.1, text/event-stream;q=0.9'])('opens with %s', async (accept) => {
    const feed = await subscribe(service, FEED, {}, service.keys.live, { accept });
    expect(feed.rejection).toBeUndefined();
    await feed.close();
  });
});

describe('the streams of one caller', () => {
  it('are limited in number', async () => {
    const session = await openSession(service, 'owner');
    const streams = await Promise.all(
      Array.from({ length: LIMITS.streamsOfPerson }, () => subscribe(service, FEED, {}, session)),
    );
    expect(streams.every(({ rejection }) => rejection === undefined)).toBe(true);
    const { rejection } = await subscribe(service, FEED, {}, session);
    expect(rejection?.body.errors[0].extensions.code).toBe('RATE_LIMITED');
    await Promise.all(streams.map((stream) => stream.close()));
    const repeated = await until(async () => {
      const stream = await subscribe(service, FEED, {}, session);
      return stream.rejection ? undefined : stream;
    });
    await repeated.close();
  });
});

describe('an idle stream', () => {
  it('gets a heartbeat every 15 s', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': service.key, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { eventAppended { cursor } }' }),
    });
    const reader = response.body?.getReader();
    const read = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
    await read();
    for (let count = 0; count < 2; count += 1) {
      await vi.advanceTimersByTimeAsync(15_000);
      expect(await read()).toBe(':\n\n');
    }
    await reader?.cancel();
  });
});

describe('a client that does not read its stream', () => {
  it('is disconnected after 30 s, and receives the cursor to resume from', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let returned = false;
    const source = {
      isResumable: true,
      next: async () => ({ done: false as const, value: { result: { data: { n: 1 } }, cursor: 'cursor-1' } }),
      return: async () => {
        returned = true;
        return { done: true as const, value: undefined };
      },
      [Symbol.asyncIterator]: () => source,
    };
    const { log } = service.service.services.process;
    const results = dropWhenSlow(source, { log, requestId: 'r' });
    expect((await results.next()).value?.result).toEqual({ data: { n: 1 } });
    vi.advanceTimersByTime(29_900);
    // The service looks once a second.
    await pause(1_500);
    expect(returned).toBe(false);
    vi.advanceTimersByTime(200);
    await until(async () => returned);
    const { value } = await results.next();
    expect(value?.result.errors?.[0]?.extensions).toMatchObject({ code: 'unavailable', cursor: 'cursor-1' });
    expect(results.isInterrupted).toBe(true);
  });
});

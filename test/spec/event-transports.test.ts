import { type Client, createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { droppingSlow } from '../../src/graphql/slow-consumer.ts';
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

/** What a subscription is told, until it has been told so much. */
async function take(client: Client<boolean>, query: string, count: number, onOpen?: () => Promise<void>) {
  const results: Record<string, unknown>[] = [];
  const told = client.iterate({ query });
  const first = told.next();
  await onOpen?.();
  for (let next = await first; !next.done; next = await told.next()) {
    results.push(next.value as Record<string, unknown>);
    if (results.length === count) break;
  }
  await told.return?.();
  return results;
}

describe.each([
  ['distinct connections', false],
  ['a single connection', true],
])('WIRE 13: GraphQL over SSE with %s', (_mode, isSingle) => {
  it('carries subscriptions beside each other, queries and mutations', async () => {
    const client = await clientOf(isSingle);
    const before = await opened();
    const ids: string[] = [];
    const both = [0, 1].map(() =>
      take(client, FEED, 2, async () => {
        await until(async () => (await opened()) === before + 2);
      }),
    );
    await until(async () => (await opened()) === before + 2);
    ids.push(await make(), await make());
    const expected = ids.map((resourceId) => ({ data: { eventAppended: { event: { resourceId } } } }));
    expect(await Promise.all(both)).toEqual([expected, expected]);
    expect(await take(client, '{ events(first: 1) { totalCount } }', 1)).toMatchObject([{ data: { events: {} } }]);
    await until(async () => (await opened()) === before);
    client.dispose();
  });

  it('tells what is wrong with a document, with credentials and with arguments', async () => {
    const client = await clientOf(isSingle);
    const [invalid] = await take(client, 'subscription { nothing }', 1);
    expect(invalid).toMatchObject({ errors: [{ message: expect.stringContaining('nothing') }] });
    const [refused] = await take(client, 'subscription { eventAppended(after: "x") { cursor } }', 1);
    expect(refused).toMatchObject({ errors: [{ extensions: { code: 'invalid_cursor', param: 'after' } }] });
    client.dispose();
    const weak = await clientOf(isSingle, await makeKey(service, { scopes: ['triggers:read'] }));
    const [forbidden] = await take(weak, FEED, 1);
    expect(forbidden).toMatchObject({ errors: [{ extensions: { code: 'forbidden' } }] });
    weak.dispose();
  });
});

describe('WIRE 13: a single connection', () => {
  const PATH = '/graphql/stream';
  const reserve = async () => (await service.send('PUT', PATH)).body as string;
  const operate = (token: string, body: object, key: string | null = service.keys.live) =>
    service.send('POST', PATH, { body, key, headers: { 'x-graphql-event-stream-token': token } });
  const operation = (operationId: unknown) => ({ query: FEED, extensions: { operationId } });

  it('is held to the credentials of each operation', async () => {
    const token = await reserve();
    const leave = new AbortController();
    const response = await fetch(`${service.url}${PATH}?token=${token}`, { signal: leave.signal });
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const wrong = await operate(token, operation('a'), 'sk_live_wrong');
    expect(wrong.status).toBe(202);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('complete')) text += (await reader?.read())?.value ?? '';
    expect(text).toContain('"code":"unauthorized"');
    leave.abort();
  });

  it('refuses to reserve without good credentials what only somebody known could use', async () => {
    expect((await service.send('PUT', PATH, { key: 'sk_live_wrong' })).status).toBe(401);
  });

  it.each([
    ['no stream', () => operate('none', operation('a')), 404, 'not_found'],
    ['no operation id', async () => operate(await reserve(), { query: FEED }), 400, 'invalid_request'],
    ['a method that it does not take', () => service.send('PATCH', PATH), 405, 'method_not_allowed'],
    ['a body that is too large', () => operate('none', { query: 'x'.repeat(11e6) }), 413, 'payload_too_large'],
  ])('refuses %s', async (_what, send, status, code) => {
    const answer = await send();
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  });

  it('takes one reader, each operation id once, and so many operations at a time', async () => {
    const token = await reserve();
    const leave = new AbortController();
    const response = await fetch(`${service.url}${PATH}?token=${token}`, { signal: leave.signal });
    expect(response.status).toBe(200);
    expect((await service.send('GET', `${PATH}?token=${token}`)).status).toBe(409);
    const first = await operate(token, operation('0'));
    expect(first.status).toBe(202);
    expect(await operate(token, operation('0'))).toMatchObject({ status: 400 });
    const more = Array.from({ length: LIMITS.operationsOfStream - 1 }, (_, index) =>
      operate(token, operation(`${index + 1}`)),
    );
    expect((await Promise.all(more)).every(({ status }) => status === 202)).toBe(true);
    expect(await operate(token, operation('one more'))).toMatchObject({
      status: 429,
      body: { error: { code: 'rate_limited' } },
    });
    const before = await opened();
    expect((await service.send('DELETE', `${PATH}?token=${token}&operationId=0`)).status).toBe(200);
    await until(async () => (await opened()) === before - 1);
    leave.abort();
    await until(async () => (await opened()) === 0);
  });
});

describe('streams of one caller', () => {
  it('are so many at most', async () => {
    const session = await openSession(service, 'owner');
    const streams = await Promise.all(
      Array.from({ length: LIMITS.streamsOfPerson }, () => subscribe(service, FEED, {}, session)),
    );
    expect(streams.every(({ refused }) => refused === undefined)).toBe(true);
    const { refused } = await subscribe(service, FEED, {}, session);
    expect(refused?.body.errors[0].extensions.code).toBe('rate_limited');
    await Promise.all(streams.map((stream) => stream.close()));
    const again = await until(async () => {
      const stream = await subscribe(service, FEED, {}, session);
      return stream.refused ? undefined : stream;
    });
    await again.close();
  });
});

describe('a reader that does not take what it is sent', () => {
  it('is dropped, and told at last the cursor to resume from', async () => {
    let returned = false;
    const source = {
      next: async () => ({ done: false as const, value: { data: { n: 1 } } }),
      return: async () => {
        returned = true;
        return { done: true as const, value: undefined };
      },
      [Symbol.asyncIterator]: () => source,
    };
    const context = { feedCursor: 'cursor-1', requestId: 'r', services: service.service.services };
    const results = droppingSlow(source, context as never, 20);
    expect((await results.next()).value).toEqual({ data: { n: 1 } });
    await until(async () => returned);
    const { value } = await results.next();
    expect(value?.errors?.[0]?.extensions).toMatchObject({ code: 'unavailable', cursor: 'cursor-1' });
  });
});

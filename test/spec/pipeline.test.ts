import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { errorOf } from '../support/results.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { openStream } from '../support/streams.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeDeployment, makeKey, openSession, rotateKey } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
});
afterAll(() => service.close());

const CHAT = `/v1/runner/${DEMO_CHAT_ID}/conversation`;

describe('idempotency comes after authorization', () => {
  const CREATE = `mutation { createApiKey(input: { name: "Server", scopes: [EVENTS_READ] }) { __typename ... on CreateApiKeyPayload { secret } ... on Error { code message path } } }`;

  it('never replays a secret to a caller without the scope', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await service.graphql(CREATE, {}, { headers });
    expect(first.body.data?.createApiKey.secret ?? first.body).toMatch(/^sk_/);
    const weak = await makeKey(service, { scopes: ['events:read'] });
    const replayed = await service.graphql(CREATE, {}, { headers, key: weak });
    expectGraphqlError(replayed, 'forbidden', { facts: { required_scope: 'keys:manage' } });
    expect(JSON.stringify(replayed.body)).not.toContain('sk_');
  });

  it('never replays to a caller with fewer permissions than the first one', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { type: 'note', fields: {} };
    expect((await service.send('POST', '/v1/resources', { body, headers })).status).toBe(201);
    const writer = await makeKey(service, { scopes: ['resources:write'] });
    const replayed = await service.send('POST', '/v1/resources', { body, headers, key: writer });
    expectError(replayed, 'idempotency_key_reused', { param: 'Idempotency-Key' });
  });

  it('checks the input before it looks at the key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    expectError(await service.send('POST', CHAT, { body: { content: 5 }, headers }), 'invalid_request', {
      param: 'content',
    });
    expect((await service.send('POST', CHAT, { body: { content: textContent('Hi') }, headers })).status).toBe(200);
  });

  it('rejects 100,000 levels of JSON with an idempotency key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const raw = `{"content":[{"type":"text","text":"Hi"}],"extra":${'['.repeat(1e5)}${']'.repeat(1e5)}}`;
    expectError(await service.send('POST', CHAT, { raw, headers }), 'invalid_request', { message: '200 levels' });
  });
});

describe('the caller of a request never changes', () => {
  it('keeps a second field of a request without credentials from another deployment', async () => {
    const [one, other] = [
      await makeDeployment(service, {}, { authRequired: false }),
      await makeDeployment(service, {}, { authRequired: false }),
    ];
    const turn = (name: string, id: string) =>
      `${name}: sendMessage(input: { deploymentId: "${id}", content: [{ text: "Hi" }] }) { __typename }`;
    const both = await service.graphql(`mutation { ${turn('a', one.id)} ${turn('b', other.id)} }`, {}, { key: null });
    expectGraphqlError(both, 'unauthorized');
    expect(both.body.errors[0].path).toEqual(['b']);
    expect(await service.service.services.stores.prisma.conversation.count({ where: { deploymentId: one.id } })).toBe(
      0,
    );
    const same = await service.graphql(`mutation { ${turn('a', one.id)} ${turn('b', one.id)} }`, {}, { key: null });
    expect(errorOf(same)).toBeUndefined();
  });
});

describe('a stream whose credential ends', () => {
  const SLOW = { content: textContent('/stream 3 && /slow 60\n/say late') };
  const slow = { content: textContent('/stream 400') };

  it('breaks off the text', async () => {
    const key = await makeKey(service);
    const stream = await openStream({ ...service, key }, slow);
    const chunks = stream.chunks();
    await rotateKey(service, key);
    await expect(chunks).rejects.toThrow();
  });

  it('sends an error event', async () => {
    const key = await makeKey(service);
    const stream = await openStream({ ...service, key }, slow, { accept: 'text/event-stream' });
    const chunks = stream.chunks();
    await rotateKey(service, key);
    const events = (await chunks).join('');
    expect(events).toContain('event: error');
    expect(events).toContain('"code":"unauthorized"');
    expect(events).not.toContain('event: done');
  });

  it('sends an error as the last result of a GraphQL subscription', async () => {
    const key = await makeKey(service);
    const document = `subscription ($id: ID!) { replyStream(input: { deploymentId: $id
      content: [{ text: "${SLOW.content[0]?.text.replaceAll('\n', '\\n')}" }] }) { event } }`;
    const stream = await subscribe(service, document, { id: DEMO_CHAT_ID }, key);
    expect((await stream.next()).data.replyStream.event).toBe('START');
    await rotateKey(service, key);
    let last = await stream.next();
    while (last?.data) last = await stream.next();
    expect(last.errors[0].extensions.code).toBe('UNAUTHORIZED');
  });
});

describe('triggers and environments', () => {
  it('starts and continues a conversation in the environment of its trigger', async () => {
    const { id } = await makeDeployment(service, {}, { authRequired: false });
    const key = service.keys.test;
    const body = { content: textContent('Hi') };
    const trigger = (await service.send('POST', `/v1/runner/${id}/trigger`, { key, body })).body;
    const started = await service.send('POST', `/v1/runner/${id}/conversation`, {
      key: null,
      body: { trigger_id: trigger.id },
    });
    expect(started.status).toBe(200);
    const { conversation_id } = started.body;
    const more = await service.send('POST', `/v1/runner/${id}/conversation`, {
      key: null,
      body: { conversation_id, content: textContent('More') },
    });
    expect(more.status).toBe(200);
    const messages = `/v1/runner/conversation/${conversation_id}/messages`;
    expect((await service.send('GET', messages, { key: null })).body.total).toBe(4);
    expect((await service.send('GET', messages, { key })).body.total).toBe(4);
    expectError(await service.send('GET', messages), 'not_found');
  });

  it('keeps other test conversations from callers without credentials', async () => {
    const { id } = await makeDeployment(service, {}, { authRequired: false });
    const created = await service.send('POST', `/v1/runner/${id}/conversation`, {
      key: service.keys.test,
      body: { content: textContent('Hi') },
    });
    const messages = `/v1/runner/conversation/${created.body.conversation_id}/messages`;
    expectError(await service.send('GET', messages, { key: null }), 'not_found');
  });

  it('limits public trigger reads only for callers without a valid key', async () => {
    const body = { content: textContent('Hi') };
    const { id } = (await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/trigger`, { body })).body;
    const headers = { 'x-forwarded-for': '203.0.113.99' };
    const read = (key: string | null) =>
      service.send('GET', `/v1/runner/${DEMO_CHAT_ID}/trigger/${id}`, { key, headers });
    const withKey = await Promise.all(Array.from({ length: 70 }, () => read(service.keys.live)));
    expect(withKey.every(({ status }) => status === 200)).toBe(true);
    const without = await Promise.all(Array.from({ length: 61 }, () => read(null)));
    expect(without.filter(({ status }) => status === 429)).toHaveLength(1);
  });
});

describe('caching', () => {
  const VARY = 'Authorization, X-Api-Key, Cookie, Origin, X-Environment';

  it('forbids shared caches on every response that depends on credentials, errors included', async () => {
    const responses = [
      await service.send('GET', '/v1/resources'),
      await service.send('GET', '/v1/resources', { key: null }),
      await service.send('GET', '/v1/resources/res_00000000000000000000000000'),
      await service.send('POST', CHAT, { body: {} }),
      await service.send('POST', CHAT, { body: { content: textContent('Hi') } }),
      await service.graphql('{ events(first: 1) { totalCount } }'),
      await service.graphql('{ events(first: 1) { totalCount } }', {}, { key: null }),
      await service.send('GET', `/graphql?query=${encodeURIComponent('{ __typename }')}`),
      await service.send('PATCH', '/v1/resources'),
      await service.send('GET', '/v1/nothing'),
    ];
    for (const { headers } of responses) {
      expect(headers.get('cache-control')).toBe('private, no-store');
      expect(headers.get('vary')).toContain(VARY);
    }
  });

  it('lets a client revalidate a resource with an ETag', async () => {
    const { id } = (await service.send('POST', '/v1/resources', { body: { type: 'note', fields: {} } })).body.data;
    const read = await service.send('GET', `/v1/resources/${id}`);
    expect(read.headers.get('cache-control')).toBe('private, no-cache');
    const headers = { 'if-none-match': String(read.headers.get('etag')) };
    const repeated = await service.send('GET', `/v1/resources/${id}`, { headers });
    expect([repeated.status, repeated.headers.get('cache-control')]).toEqual([304, 'private, no-cache']);
  });

  it('forbids shared caches on streams', async () => {
    const stream = await openStream(service, { content: textContent('Hi') }, { accept: 'text/event-stream' });
    expect(stream.response.headers.get('cache-control')).toBe('private, no-store, no-transform');
    await stream.chunks();
  });
});

describe('input that a library would mishandle', () => {
  it('rejects a global ID with a NUL character', async () => {
    const id = Buffer.from('Resource:res_\0').toString('base64');
    expectGraphqlError(await service.graphql('query ($id: ID!) { node(id: $id) { id } }', { id }), 'invalid_request', {
      param: 'id',
    });
    const ids = await service.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: [id] });
    expectGraphqlError(ids, 'invalid_request', { param: 'ids' });
  });

  it.each([
    ['a UUID', '{ conversation(id: "x") { name } }'],
    ['a UUID of another kind', '{ conversation(id: 5) { name } }'],
    ['a date-time', '{ events(filter: { occurredAt: { from: "yesterday" } }) { totalCount } }'],
    [
      'a client capability',
      `mutation { runAgentTurn(input: { deploymentId: "${DEMO_AGENT_ID}", content: [{ text: "Hi" }], clientCapabilities: [5] }) { __typename ... on RunAgentTurnPayload { turn { __typename } } ... on Error { code message path } } }`,
    ],
  ])('rejects an invalid literal of %s', async (_description, document) => {
    const response = await service.graphql(document);
    expectGraphqlError(response, 'invalid_request');
    expect(service.logLines.join('')).not.toContain('unexpected error');
  });

  it('rejects integers that JavaScript would change, with their path', async () => {
    const raw = '{"type":"note","fields":{"a":[1,9007199254740993]}}';
    expectError(await service.send('POST', '/v1/resources', { raw }), 'invalid_request', { param: 'fields.a[1]' });
    const document =
      'mutation { createResource(input: { type: "note", fields: { a: 9007199254740993 } }) { __typename ... on CreateResourcePayload { resource { id } } ... on Error { code message path } } }';
    expectGraphqlError(await service.graphql(document), 'invalid_request', { message: '9007199254740991' });
  });

  it('reads the schema once for all introspection queries', async () => {
    const query = '{ __schema { types { name fields { name type { name } } } } }';
    const [first, second] = [await service.graphql(query), await service.graphql(query)];
    expect(second.body).toEqual(first.body);
  });

  it('accepts the session of a member, and rejects its cookie from another origin', async () => {
    const session = await openSession(service, 'owner');
    const headers = { cookie: `parley_session=${session}`, origin: 'https://evil.example' };
    expectError(await service.send('GET', '/v1/me', { key: null, headers }), 'origin_not_allowed');
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import type { HttpResponse } from '../support/client.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Post {
  readonly path: string;
  readonly body: object;
  /** The number of rows that it creates. */
  readonly count: () => Promise<number>;
}

const prisma = () => service.service.services.stores.prisma;
const conversations = () => prisma().conversation.count();

const POSTS: Readonly<Record<string, Post>> = {
  'a v1 turn': {
    path: `/v1/runner/${DEMO_CHAT_ID}/conversation`,
    body: { content: textContent('Hi') },
    count: conversations,
  },
  'a v2 turn': {
    path: `/v2/runner/${DEMO_AGENT_ID}/conversation`,
    body: { content: textContent('Hi') },
    count: conversations,
  },
  'a streamed turn': {
    path: `/v1/runner/${DEMO_CHAT_ID}/conversation/stream`,
    body: { content: textContent('/stream 5') },
    count: conversations,
  },
  'a one-shot run': {
    path: `/v1/runner/${DEMO_CHAT_ID}`,
    body: { content: textContent('Hi') },
    count: () => prisma().workflowLog.count({ where: { runId: null } }),
  },
  'a trigger': {
    path: `/v1/runner/${DEMO_CHAT_ID}/trigger`,
    body: { content: textContent('Hi') },
    count: () => prisma().trigger.count(),
  },
  'a resource': {
    path: '/v1/resources',
    body: { type: 'note', fields: { a: 1 } },
    count: () => prisma().resource.count(),
  },
};

function post({ path, body }: Post, key: string, change: object = {}): Promise<HttpResponse> {
  return service.send('POST', path, { body: { ...body, ...change }, headers: { 'idempotency-key': key } });
}

const replayHeader = ({ headers }: HttpResponse) => headers.get('idempotency-replayed');

describe.each(Object.entries(POSTS))('an Idempotency-Key on %s', (_description, requests) => {
  it('returns the first response and has no second effect', async () => {
    const before = await requests.count();
    const key = `key-${randomUUID()}`;
    const first = await post(requests, key);
    const repeated = await post(requests, key);
    expect([first.status, replayHeader(first)]).toEqual([repeated.status, null]);
    expect(first.status).toBeLessThan(300);
    expect(replayHeader(repeated)).toBe('true');
    expect(repeated.body).toEqual(first.body);
    for (const name of ['etag', 'x-conversation-id', 'x-run-id', 'content-type']) {
      expect(repeated.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(await requests.count()).toBe(before + 1);
  });

  it('is rejected with another body', async () => {
    const key = randomUUID();
    await post(requests, key);
    const other = await post(requests, key, { extra: true });
    expectError(other, 'idempotency_key_reused', { param: 'Idempotency-Key' });
  });

  it('lets one of twenty racing requests take effect and replays its response or rejects the others', async () => {
    const before = await requests.count();
    const key = randomUUID();
    const responses = await Promise.all(Array.from({ length: 20 }, () => post(requests, key)));
    const created = responses.filter((response) => response.status < 300 && replayHeader(response) === null);
    expect(created).toHaveLength(1);
    for (const response of responses.filter((one) => one !== created[0])) {
      if (response.status === 409) expectError(response, 'request_in_progress', { param: 'Idempotency-Key' });
      else expect([response.body, replayHeader(response)]).toEqual([created[0]?.body, 'true']);
    }
    expect(await requests.count()).toBe(before + 1);
  });

  it.each(['', ' ', 'with space', 'ü', 'x'.repeat(256)])('rejects the key %j', async (key) => {
    const bytes = Buffer.from(key).toString('latin1');
    const response = await post(requests, bytes);
    expectError(response, 'invalid_request', { param: 'Idempotency-Key' });
  });
});

describe('stored responses', () => {
  const turn = POSTS['a v2 turn'] as Post;

  it('include state errors and belong to one environment', async () => {
    const key = randomUUID();
    const body = { content: textContent('Hi'), conversation_id: randomUUID() };
    const first = await post({ ...turn, body }, key);
    expectError(first, 'not_found');
    const repeated = await post({ ...turn, body }, key);
    expect([repeated.status, repeated.body, replayHeader(repeated)]).toEqual([404, first.body, 'true']);
    const elsewhere = await service.send('POST', turn.path, {
      body: turn.body,
      key: service.keys.test,
      headers: { 'idempotency-key': key },
    });
    expect([elsewhere.status, replayHeader(elsewhere)]).toEqual([200, null]);
  });

  it('include neither model errors nor requests that never started', async () => {
    const failing = { ...turn, body: { content: textContent('/fail') } };
    const key = randomUUID();
    const runs = [await post(failing, key), await post(failing, key)];
    expect(runs.map((response) => [response.status, replayHeader(response)])).toEqual([
      [502, null],
      [502, null],
    ]);
    expect(runs[0]?.body.error.run_id).not.toBe(runs[1]?.body.error.run_id);

    const repaired = randomUUID();
    expect((await post({ ...turn, body: { content: [] } }, repaired)).status).toBe(400);
    expect((await post(turn, repaired)).status).toBe(200);

    const readOnly = await makeKey(service, { scopes: ['conversations:read'] });
    const allowed = randomUUID();
    const headers = { 'idempotency-key': allowed };
    expect((await service.send('POST', turn.path, { body: turn.body, key: readOnly, headers })).status).toBe(403);
    expect((await post(turn, allowed)).status).toBe(200);
  });

  it('expire after 24 hours', async () => {
    const key = randomUUID();
    const first = await post(turn, key);
    const { expiresAt } = await prisma().idempotencyRecord.findFirstOrThrow({ where: { key } });
    expect((expiresAt.getTime() - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
    await prisma().idempotencyRecord.updateMany({ where: { key }, data: { expiresAt: new Date(Date.now() - 1) } });
    const later = await post(turn, key);
    expect(replayHeader(later)).toBeNull();
    expect(later.body.run_id).not.toBe(first.body.run_id);
  });

  it('do not exist for reads', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    for (const _ of [1, 2]) {
      const { status, headers: results } = await service.send('GET', '/v1/resources', { headers });
      expect([status, results.get('idempotency-replayed')]).toEqual([200, null]);
    }
  });

  it('replay a text stream in the requested form', async () => {
    const streamed = POSTS['a streamed turn'] as Post;
    const key = randomUUID();
    const headers = { 'idempotency-key': key };
    const events = await service.send('POST', streamed.path, {
      body: streamed.body,
      headers: { ...headers, accept: 'text/event-stream' },
    });
    expect(events.body.match(/event: delta/g)).toHaveLength(5);
    const text = await service.send('POST', streamed.path, { body: streamed.body, headers });
    expect([text.body, replayHeader(text)]).toEqual(['word1 word2 word3 word4 word5', 'true']);
  });
});

describe('a mutation with a key', () => {
  const CREATE = `mutation ($fields: JSONObject!) {
    createResource(input: { type: "note", fields: $fields }) { __typename ... on CreateResourcePayload { resource { resourceId etag } } ... on Error { code message path } }
  }`;
  const send = (key: string, variables: object, document = CREATE) =>
    service.graphql(document, variables, { headers: { 'idempotency-key': key } });

  it('returns the first response and has no second effect', async () => {
    const key = randomUUID();
    const first = await send(key, { fields: { a: 1 } });
    const repeated = await send(key, { fields: { a: 1 } });
    const extended = await service.send('POST', '/graphql', {
      body: { query: CREATE, variables: { fields: { a: 1 } }, extensions: { idempotencyKey: key } },
    });
    expect(first.body.data.createResource.resource.resourceId).toMatch(/^res_/);
    for (const response of [repeated, extended]) {
      expect([response.body, replayHeader(response)]).toEqual([first.body, 'true']);
    }
    expectGraphqlError(await send(key, { fields: { a: 2 } }), 'idempotency_key_reused');
  });

  it('keeps its state error', async () => {
    const key = randomUUID();
    const controller =
      'mutation { deleteResource(input: { id: "res_00000000000000000000000000" }) { __typename ... on DeleteResourcePayload { resource { type } } ... on Error { code message path } } }';
    const first = await send(key, {}, controller);
    expectGraphqlError(first, 'not_found');
    const repeated = await send(key, {}, controller);
    expect([repeated.body, replayHeader(repeated)]).toEqual([first.body, 'true']);
  });

  it('has only one root field', async () => {
    const two = `mutation { a: createResource(input: { type: "a", fields: {} }) { __typename ... on CreateResourcePayload { resource { type } } ... on Error { code message path } } b: createResource(input: { type: "a", fields: {} }) { __typename ... on CreateResourcePayload { resource { type } } ... on Error { code message path } } }`;
    expectGraphqlError(await send(randomUUID(), {}, two), 'invalid_request');
    const wrong = { query: CREATE, variables: { fields: {} }, extensions: { idempotencyKey: 7 } };
    expectGraphqlError(await service.send('POST', '/graphql', { body: wrong }), 'invalid_request');
  });

  it('ignores the key of queries', async () => {
    const key = randomUUID();
    for (const _ of [1, 2]) expect(replayHeader(await send(key, {}, '{ resources { totalCount } }'))).toBeNull();
  });
});

describe('secrets that are shown once', () => {
  const create = (document: string, key: string) =>
    service.graphql(document, {}, { headers: { 'idempotency-key': key } });
  const KEY =
    'mutation { made: createApiKey(input: { name: "A", scopes: [] }) { __typename ... on CreateApiKeyPayload { secret apiKey { id: apiKeyId } } ... on Error { code message path } } }';
  const ENDPOINT = `mutation { made: createWebhookEndpoint(input: { url: "https://93.184.215.14/" }) { __typename ... on CreateWebhookEndpointPayload {
    secret endpoint { id: endpointId } } ... on Error { code message path } } }`;

  it.each([KEY, ENDPOINT])('are shown again with the same key, and stored only encrypted: %s', async (document) => {
    const key = randomUUID();
    const first = await create(document, key);
    const { secret } = first.body.data.made;
    expect(secret.length).toBeGreaterThan(30);
    expect((await create(document, key)).body).toEqual(first.body);
    const record = await prisma().idempotencyRecord.findFirstOrThrow({ where: { key } });
    expect(JSON.stringify(record)).not.toContain(secret.slice(10));
  });

  it.each([
    [KEY, () => prisma().apiKey.count()],
    [ENDPOINT, () => prisma().webhookEndpoint.count()],
  ])('are shown to a retry after a crash before the response was stored: %s', async (document, count) => {
    const key = randomUUID();
    const first = await create(document, key);
    const before = await count();
    // The state after a crash between the change and the storing of its response.
    await prisma().$executeRaw`
      UPDATE idempotency_record SET answer = NULL, lease_expires_at = now() WHERE key = ${key}`;
    const repeated = (await create(document, key)).body.data.made;
    expect((repeated.apiKey ?? repeated.endpoint).id).toBe(
      (first.body.data.made.apiKey ?? first.body.data.made.endpoint).id,
    );
    expect(repeated.secret.length).toBe(first.body.data.made.secret.length);
    expect(await count()).toBe(before);
  });
});

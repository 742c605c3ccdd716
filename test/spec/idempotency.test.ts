import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/client.ts';
import { text } from '../support/doors.ts';
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
  /** How many of what it makes there are. */
  readonly count: () => Promise<number>;
}

const prisma = () => service.service.services.prisma;
const conversations = () => prisma().conversation.count();

const POSTS: Readonly<Record<string, Post>> = {
  'a v1 turn': { path: `/v1/runner/${DEMO_CHAT_ID}/conversation`, body: { content: text('Hi') }, count: conversations },
  'a v2 turn': {
    path: `/v2/runner/${DEMO_AGENT_ID}/conversation`,
    body: { content: text('Hi') },
    count: conversations,
  },
  'a streamed turn': {
    path: `/v1/runner/${DEMO_CHAT_ID}/conversation/stream`,
    body: { content: text('/stream 5') },
    count: conversations,
  },
  'a one-shot run': {
    path: `/v1/runner/${DEMO_CHAT_ID}`,
    body: { content: text('Hi') },
    count: () => prisma().workflowLog.count({ where: { runId: null } }),
  },
  'a trigger': {
    path: `/v1/runner/${DEMO_CHAT_ID}/trigger`,
    body: { content: text('Hi') },
    count: () => prisma().trigger.count(),
  },
  'a resource': {
    path: '/v1/resources',
    body: { type: 'note', fields: { a: 1 } },
    count: () => prisma().resource.count(),
  },
};

function post({ path, body }: Post, key: string, change: object = {}): Promise<Answer> {
  return service.send('POST', path, { body: { ...body, ...change }, headers: { 'idempotency-key': key } });
}

const replayedOf = ({ headers }: Answer) => headers.get('idempotency-replayed');

describe.each(Object.entries(POSTS))('WIRE 11: an Idempotency-Key on %s', (_what, asked) => {
  it('is answered as the first time, and does nothing again', async () => {
    const before = await asked.count();
    const key = `key-${randomUUID()}`;
    const first = await post(asked, key);
    const again = await post(asked, key);
    expect([first.status, replayedOf(first)]).toEqual([again.status, null]);
    expect(first.status).toBeLessThan(300);
    expect(replayedOf(again)).toBe('true');
    expect(again.body).toEqual(first.body);
    for (const name of ['etag', 'x-conversation-id', 'x-run-id', 'content-type']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(await asked.count()).toBe(before + 1);
  });

  it('is refused with another body', async () => {
    const key = randomUUID();
    await post(asked, key);
    const other = await post(asked, key, { extra: true });
    expectError(other, 'idempotency_key_reused', { param: 'Idempotency-Key' });
  });

  it('lets one of twenty racing requests have an effect; the rest are replayed or told to wait', async () => {
    const before = await asked.count();
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(asked, key)));
    const made = answers.filter((answer) => answer.status < 300 && replayedOf(answer) === null);
    expect(made).toHaveLength(1);
    for (const answer of answers.filter((one) => one !== made[0])) {
      if (answer.status === 409) expectError(answer, 'request_in_progress', { param: 'Idempotency-Key' });
      else expect([answer.body, replayedOf(answer)]).toEqual([made[0]?.body, 'true']);
    }
    expect(await asked.count()).toBe(before + 1);
  });

  it.each(['', ' ', 'with space', 'ü', 'x'.repeat(256)])('takes no key like %j', async (key) => {
    const bytes = Buffer.from(key).toString('latin1');
    const answer = await post(asked, bytes);
    expectError(answer, 'invalid_request', { param: 'Idempotency-Key' });
  });
});

describe('WIRE 11: what is kept', () => {
  const turn = POSTS['a v2 turn'] as Post;

  it('keeps errors of the state, and belongs to one environment', async () => {
    const key = randomUUID();
    const body = { content: text('Hi'), conversation_id: randomUUID() };
    const first = await post({ ...turn, body }, key);
    expectError(first, 'not_found');
    const again = await post({ ...turn, body }, key);
    expect([again.status, again.body, replayedOf(again)]).toEqual([404, first.body, 'true']);
    const elsewhere = await service.send('POST', turn.path, {
      body: turn.body,
      key: service.keys.test,
      headers: { 'idempotency-key': key },
    });
    expect([elsewhere.status, replayedOf(elsewhere)]).toEqual([200, null]);
  });

  it('keeps neither faults of the model nor what never began', async () => {
    const failing = { ...turn, body: { content: text('/fail') } };
    const key = randomUUID();
    const runs = [await post(failing, key), await post(failing, key)];
    expect(runs.map((answer) => [answer.status, replayedOf(answer)])).toEqual([
      [502, null],
      [502, null],
    ]);
    expect(runs[0]?.body.error.run_id).not.toBe(runs[1]?.body.error.run_id);

    const mended = randomUUID();
    expect((await post({ ...turn, body: { content: [] } }, mended)).status).toBe(400);
    expect((await post(turn, mended)).status).toBe(200);

    const readOnly = await makeKey(service, { scopes: ['conversations:read'] });
    const allowed = randomUUID();
    const headers = { 'idempotency-key': allowed };
    expect((await service.send('POST', turn.path, { body: turn.body, key: readOnly, headers })).status).toBe(403);
    expect((await post(turn, allowed)).status).toBe(200);
  });

  it('is forgotten after 24 hours', async () => {
    const key = randomUUID();
    const first = await post(turn, key);
    await prisma().idempotencyRecord.updateMany({ where: { key }, data: { expiresAt: new Date(Date.now() - 1) } });
    const later = await post(turn, key);
    expect(replayedOf(later)).toBeNull();
    expect(later.body.run_id).not.toBe(first.body.run_id);
  });

  it('is nothing for a read', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    for (const _ of [1, 2]) {
      const { status, headers: told } = await service.send('GET', '/v1/resources', { headers });
      expect([status, told.get('idempotency-replayed')]).toEqual([200, null]);
    }
  });

  it('replays a stream of text in the form that is asked for', async () => {
    const streamed = POSTS['a streamed turn'] as Post;
    const key = randomUUID();
    const headers = { 'idempotency-key': key };
    const events = await service.send('POST', streamed.path, {
      body: streamed.body,
      headers: { ...headers, accept: 'text/event-stream' },
    });
    expect(events.body.match(/event: delta/g)).toHaveLength(5);
    const words = await service.send('POST', streamed.path, { body: streamed.body, headers });
    expect([words.body, replayedOf(words)]).toEqual(['word1 word2 word3 word4 word5', 'true']);
  });
});

describe('WIRE 11: a mutation under a key', () => {
  const CREATE = `mutation ($fields: JSONObject!) {
    createResource(input: { type: "note", fields: $fields }) { resourceId etag }
  }`;
  const send = (key: string, variables: object, document = CREATE) =>
    service.graphql(document, variables, { headers: { 'idempotency-key': key } });

  it('is answered as the first time, by header and by extension alike', async () => {
    const key = randomUUID();
    const first = await send(key, { fields: { a: 1 } });
    const again = await send(key, { fields: { a: 1 } });
    const extended = await service.send('POST', '/graphql', {
      body: { query: CREATE, variables: { fields: { a: 1 } }, extensions: { idempotencyKey: key } },
    });
    expect(first.body.data.createResource.resourceId).toMatch(/^res_/);
    for (const answer of [again, extended]) {
      expect([answer.body, replayedOf(answer)]).toEqual([first.body, 'true']);
    }
    expectGraphqlError(await send(key, { fields: { a: 2 } }), 'idempotency_key_reused');
  });

  it('keeps its error of the state', async () => {
    const key = randomUUID();
    const gone = 'mutation { deleteResource(id: "res_00000000000000000000000000") { type } }';
    const first = await send(key, {}, gone);
    expectGraphqlError(first, 'not_found');
    const again = await send(key, {}, gone);
    expect([again.body, replayedOf(again)]).toEqual([first.body, 'true']);
  });

  it('has one root field', async () => {
    const two = `mutation { a: createResource(input: { type: "a", fields: {} }) { type } b: createResource(input: { type: "a", fields: {} }) { type } }`;
    expectGraphqlError(await send(randomUUID(), {}, two), 'invalid_request');
    const wrong = { query: CREATE, variables: { fields: {} }, extensions: { idempotencyKey: 7 } };
    expectGraphqlError(await service.send('POST', '/graphql', { body: wrong }), 'invalid_request');
  });

  it('leaves queries alone', async () => {
    const key = randomUUID();
    for (const _ of [1, 2]) expect(replayedOf(await send(key, {}, '{ resources { totalCount } }'))).toBeNull();
  });
});

describe('WIRE 11: secrets that are shown once', () => {
  const create = (document: string, key: string) =>
    service.graphql(document, {}, { headers: { 'idempotency-key': key } });
  const KEY = 'mutation { made: createApiKey(input: { name: "A", scopes: [] }) { secret apiKey { id: apiKeyId } } }';
  const ENDPOINT = `mutation { made: createWebhookEndpoint(input: { url: "https://93.184.215.14/" }) {
    secret endpoint { id: endpointId } } }`;

  it.each([KEY, ENDPOINT])('are shown again by the same key, and not kept in the clear: %s', async (document) => {
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
  ])('are there for who sends again what died before its answer was kept: %s', async (document, count) => {
    const key = randomUUID();
    const first = await create(document, key);
    const before = await count();
    // As a process leaves it that dies between the change and the keeping of its answer.
    await prisma().$executeRaw`
      UPDATE idempotency_record SET answer = NULL, lease_expires_at = now() WHERE key = ${key}`;
    const again = (await create(document, key)).body.data.made;
    expect((again.apiKey ?? again.endpoint).id).toBe((first.body.data.made.apiKey ?? first.body.data.made.endpoint).id);
    expect(again.secret.length).toBe(first.body.data.made.secret.length);
    expect(await count()).toBe(before);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { turnWith } from '../support/turn-operations.ts';

let service: TestService;
let conversation: string;
let messages: string;
beforeAll(async () => {
  service = await startService();
  conversation = (await service.agentTurn('Hello')).body.conversation_id;
  messages = `/v1/runner/conversation/${conversation}/messages`;
});
afterAll(() => service.close());

const CHAT = `/v1/runner/${DEMO_CHAT_ID}/conversation`;
const AGENT = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
const UNKNOWN = '00000000-0000-4000-8000-0000000000ff';
const historyPath = (deployment: string) => `/v2/runner/${deployment}/conversation/${conversation}/history`;

describe('paths and methods', () => {
  it.each([
    ['GET', '/nothing'],
    ['GET', '/v1'],
    ['GET', '/nope'],
    ['POST', '/nope'],
    ['DELETE', '/v1/runner'],
    ['OPTIONS', '/nope'],
    ['GET', '/%00'],
    ['GET', '/V1/runner/conversations'],
    ['GET', '/graphql/nope'],
    ['POST', '/graphql/'],
    ['GET', '/v1/runner/conversation//messages'],
  ])('%s %s is an unknown path', async (method, path) => {
    expectError(await service.send(method, path, { key: null }), 'not_found', { param: null });
  });

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
    it(`${method} is rejected for a readable path`, async () => {
      const response = await service.send(method, messages, { key: null });
      expectError(response, 'method_not_allowed', { param: null });
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    });
  }

  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    it(`${method} is rejected for a path that accepts turns`, async () => {
      const response = await service.send(method, AGENT, { key: null });
      expectError(response, 'method_not_allowed', { param: null });
      expect(response.headers.get('allow')).toBe('POST, OPTIONS');
    });
  }

  it('OPTIONS returns the methods of a path without credentials', async () => {
    for (const [path, allow] of [
      [messages, 'GET, HEAD, OPTIONS'],
      [CHAT, 'POST, OPTIONS'],
    ] as const) {
      const { status, headers, body } = await service.send('OPTIONS', path, { key: null });
      expect([status, headers.get('allow'), body]).toEqual([204, allow, '']);
    }
  });

  it('HEAD returns the headers of GET and no body', async () => {
    const send = (method: string, path: string, key: string) =>
      fetch(`${service.url}${path}`, { method, headers: { 'x-api-key': key } });
    for (const [path, key] of [
      [messages, service.keys.live],
      [messages, 'sk_live_wrong'],
      [`${messages}?page=0`, service.keys.live],
    ] as const) {
      const [head, get] = [await send('HEAD', path, key), await send('GET', path, key)];
      expect(head.status).toBe(get.status);
      for (const name of ['content-type', 'content-length', 'www-authenticate']) {
        expect(head.headers.get(name)).toBe(get.headers.get(name));
      }
      expect(await head.text()).toBe('');
    }
  });
});

describe('x-request-id', () => {
  const idFor = async (path: string, input?: string) => {
    const { headers } = await service.send(
      'GET',
      path,
      input === undefined ? {} : { headers: { 'x-request-id': input } },
    );
    return headers.get('x-request-id');
  };
  const EVERYWHERE = () => [
    messages,
    '/nope',
    '/v1/runner/conversation/x/messages',
    '/graphql?query={__typename}',
    '/healthz',
  ];

  it.each(['a', 'A-Z.z_9', '0'.repeat(128), '..', 'req_01jd'])("is the caller's if it is %s", async (id) => {
    for (const path of EVERYWHERE()) expect(await idFor(path, id)).toBe(id);
  });

  it.each(['', '0'.repeat(129), 'a b', 'a,b', 'ä', 'a/b', 'a\tb', 'a:b'])(
    'is generated if the caller sends %j',
    async (id) => {
      for (const path of EVERYWHERE()) expect(await idFor(path, id)).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it('is generated for each request without one', async () => {
    const ids = await Promise.all(EVERYWHERE().map((path) => idFor(path)));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is stored with the turn that the request creates', async () => {
    const headers = { 'x-request-id': 'mine' };
    for (const path of [CHAT, AGENT]) {
      expect((await service.send('POST', path, { body: turnWith({}), headers })).body.request_id).toBe('mine');
    }
  });
});

describe('timestamps', () => {
  it('are ISO 8601 in UTC with milliseconds, everywhere', async () => {
    const list = { query: '{ conversations { nodes { createdAt updatedAt latestRun { createdAt updatedAt } } } }' };
    const responses = [
      await service.chat('Hello'),
      await service.send('GET', messages),
      await service.send('GET', historyPath(DEMO_AGENT_ID)),
      await service.send('POST', '/graphql', { body: list }),
    ];
    for (const { body } of responses) {
      const stamps = [...JSON.stringify(body).matchAll(/"(?:created_at|updated_at|createdAt|updatedAt)":"([^"]*)"/g)];
      expect(stamps.length).toBeGreaterThan(1);
      for (const [, stamp] of stamps) expect(stamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
  });
});

describe('variables and meta are accepted only with the first message', () => {
  it.each(['variables', 'meta'])('%s on a continued conversation are rejected by v1 and v2', async (field) => {
    const chat = (await service.chat('Hello')).body.conversation_id;
    for (const values of [{ a: 'b' }, {}]) {
      for (const response of [
        await service.chat('More', { conversation_id: chat, [field]: values }),
        await service.agentTurn('More', { conversation_id: conversation, [field]: values }),
      ]) {
        expectError(response, 'invalid_request', { param: field, message: `${field} .*first message` });
      }
    }
  });

  it('are rejected before the conversation is looked up', async () => {
    const response = await service.chat('More', { conversation_id: UNKNOWN, meta: { a: 1 } });
    expectError(response, 'invalid_request', { param: 'meta' });
  });
});

describe('a conversation of another deployment than the one in the path', () => {
  it('returns not_found on every endpoint', async () => {
    const ofAgent = { conversation_id: conversation };
    const ofChat = { conversation_id: (await service.chat('Hello')).body.conversation_id };
    const param = 'conversation_id';
    expectError(await service.chat('More', ofAgent), 'not_found', { param });
    expectError(await service.agentTurn('More', ofChat), 'not_found', { param });
    expectError(await service.send('GET', historyPath(DEMO_CHAT_ID)), 'not_found', { param });
    expectError(await service.send('GET', historyPath(UNKNOWN)), 'not_found');
    const { body } = await service.send('GET', `/v1/runner/conversation/${conversation}/messages`);
    expect(body.total).toBe(2);
  });

  it('is shared by v1 and v2 of the same deployment', async () => {
    const body = turnWith({ conversation_id: conversation });
    const path = `/v1/runner/${DEMO_AGENT_ID}/conversation`;
    expect((await service.send('POST', path, { body })).body.conversation_id).toBe(conversation);
  });
});

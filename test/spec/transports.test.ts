import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { startService, type TestService } from '../support/service.ts';
import { trackSubscriptions } from '../support/subscriptions.ts';
import { makeKey, openSession } from '../support/tenants.ts';
import {
  DEMO_CHAT_ID,
  type MatrixRequest,
  type MatrixResponse,
  TRANSPORTS,
  type Transport,
} from '../support/transports.ts';

let service: TestService;
let valid: MatrixRequest;
beforeAll(async () => {
  service = await startService();
  valid = { key: service.keys.live, deploymentId: DEMO_CHAT_ID, text: 'Hello', number: 1 };
});
afterAll(() => service.close());

const SUCCESS = { code: undefined };

/** An invalid request, and the response of every transport. */
interface Rejection {
  readonly name: string;
  /** The requests to send. The test checks the response to the last one. */
  requests(): Promise<Partial<MatrixRequest>[]> | Partial<MatrixRequest>[];
  expected(transport: Transport): Partial<MatrixResponse>;
}

const invalid = (param: string | null | undefined) =>
  param === undefined ? SUCCESS : { status: 400, code: 'invalid_request', param };

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** Every kind of rejection. Add a row for a new one. */
const REJECTIONS: readonly Rejection[] = [
  {
    name: 'no credentials',
    requests: () => [{ key: null }],
    expected: () => ({ status: 401, code: 'unauthorized', param: null }),
  },
  {
    name: 'an unknown key',
    requests: () => [{ key: `sk_live_${'0'.repeat(43)}` }],
    expected: () => ({ status: 401, code: 'unauthorized', param: null }),
  },
  {
    name: 'an unknown key with JSON that is not valid',
    requests: () => [{ key: `sk_live_${'0'.repeat(43)}`, rawText: '"' }],
    expected: () => ({ status: 401, code: 'unauthorized', param: null }),
  },
  {
    name: 'JSON with too many values',
    requests: () => [{ rawText: `[${'0,'.repeat(LIMITS.jsonValues)}0]` }],
    expected: ({ name, slots }) => {
      if (name === 'GET /graphql') return { status: 431 };
      return slots.text === undefined ? SUCCESS : { status: 400, code: 'invalid_request' };
    },
  },
  {
    name: 'a missing scope',
    requests: async () => [{ key: await makeKey(service, { scopes: ['events:read'] }) }],
    expected: () => ({ status: 403, code: 'forbidden', param: null }),
  },
  {
    name: 'a missing scope with invalid input',
    requests: async () => [{ key: await makeKey(service, { scopes: ['events:read'] }), text: 5, number: 'x' }],
    expected: () => ({ status: 403, code: 'forbidden', param: null }),
  },
  {
    name: 'a NUL character',
    requests: () => [{ text: 'a\0b' }],
    expected: ({ slots }) => invalid(slots.text),
  },
  {
    name: 'an unpaired surrogate',
    requests: () => [{ rawText: '"a\\ud800b"' }],
    expected: ({ slots }) => invalid(slots.text),
  },
  {
    name: 'text of the wrong type',
    requests: () => [{ text: { nested: true } }],
    expected: ({ slots }) => invalid(slots.text),
  },
  {
    name: 'a number of the wrong type',
    requests: () => [{ number: 'many' }],
    expected: ({ slots }) => invalid(slots.number),
  },
  {
    name: 'a number out of range',
    requests: () => [{ number: 101 }],
    expected: ({ slots }) => invalid(slots.number),
  },
  {
    name: 'an integer beyond 2^53',
    requests: () => [{ rawText: '9007199254740993' }],
    expected: ({ slots }) => invalid(slots.text),
  },
  {
    name: 'an unknown field',
    requests: () => [{ unknown: true }],
    // GraphQL rejects unknown fields of an input type. REST ignores them for older clients.
    expected: ({ rejectsUnknown }) => (rejectsUnknown ? invalid('surprise') : SUCCESS),
  },
  {
    name: 'a malformed ID',
    requests: () => [{ deploymentId: 'not-a-uuid' }],
    expected: ({ slots }) => invalid(slots.id),
  },
  {
    name: 'an ID with a NUL character',
    requests: () => [{ deploymentId: 'a\0b' }],
    expected: ({ slots }) => invalid(slots.id),
  },
  {
    name: 'JSON of 1,000 levels',
    requests: () => [{ rawText: deep(1_000) }],
    expected: ({ slots }) => invalid(slots.text),
  },
  {
    name: 'text that is too long',
    requests: () => [{ text: 'x'.repeat(LIMITS.textLength + 1) }],
    expected: ({ slots, name }) => (name === 'GET /graphql' ? { status: 431 } : invalid(slots.text)),
  },
  {
    name: 'more requests than the key may send',
    requests: async () => {
      const key = await makeKey(service, { requestsPerMinute: 1 });
      return [{ key }, { key }];
    },
    expected: () => ({ status: 429, code: 'rate_limited', param: null }),
  },
];

describe('every transport rejects the same requests with the same status, code and param', () => {
  describe.each(TRANSPORTS)('$name', (transport) => {
    it('accepts a valid request', async () => {
      expect(await transport.send(service, valid)).toMatchObject({ status: 200, code: undefined });
    });

    it.each(REJECTIONS)('rejects $name', async ({ requests, expected }) => {
      let response: MatrixResponse | undefined;
      for (const request of await requests()) response = await transport.send(service, { ...valid, ...request });
      expect(response?.status).toBeLessThan(500);
      expect(response).toMatchObject(expected(transport));
    });
  });
});

describe('the stream cap', () => {
  const feeds = trackSubscriptions();
  let key: string;
  beforeAll(async () => {
    key = await openSession(service, 'owner');
    const feed = 'subscription { eventAppended { cursor } }';
    await Promise.all(Array.from({ length: LIMITS.streamsOfPerson }, () => feeds.open(service, feed, {}, key)));
  });
  afterAll(() => feeds.closeAll());

  it.each(TRANSPORTS)('applies to $name', async (transport) => {
    const response = await transport.send(service, { ...valid, key });
    const expected = transport.isStream ? { status: 429, code: 'rate_limited', param: null } : SUCCESS;
    expect(response).toMatchObject(expected);
  });

  it('rejects before a turn is accepted: the UI message stream and the MCP server start no conversation', async () => {
    const count = () => service.service.services.stores.prisma.conversation.count();
    const before = await count();
    for (const transport of TRANSPORTS.filter(({ isStream, slots }) => isStream && slots.text)) {
      expect((await transport.send(service, { ...valid, key })).status, transport.name).toBe(429);
    }
    expect(await count()).toBe(before);
  });
});

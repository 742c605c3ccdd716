import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClient, type ParleyClient, type Token } from '../../src/sdk/index.ts';
import { endUserToken, REVOKE_TOKENS } from '../support/end-users.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const revoke = (endUser: string) => service.graphql(REVOKE_TOKENS, { input: { endUser } });

/** A client of an end user. `made` counts the tokens, and `statuses` has the status of each response. */
function clientOf(endUser: string, expiresInMs?: number) {
  const state = { made: 0, statuses: [] as number[] };
  const getToken = async (): Promise<Token> => {
    state.made += 1;
    const token = await endUserToken(service, DEMO_AGENT_ID, endUser);
    return expiresInMs === undefined ? token : { token, expiresAt: Date.now() + expiresInMs };
  };
  const fetch: typeof globalThis.fetch = async (...args) => {
    const response = await globalThis.fetch(...args);
    state.statuses.push(response.status);
    return response;
  };
  return { state, client: createClient({ baseUrl: service.url, deploymentId: DEMO_AGENT_ID, getToken, fetch }) };
}

describe('createClient with getToken', () => {
  it('gets one token for requests at the same time, and keeps it', async () => {
    const { state, client } = clientOf('ada');
    await Promise.all([client.conversation.list(), client.conversation.list()]);
    await client.agent.start({ content: 'Hello' });
    expect(state.made).toBe(1);
    expect(state.statuses).not.toContain(401);
  });

  it('renews the token before it expires', async () => {
    const { state, client } = clientOf('grace', 6_000);
    await client.conversation.list();
    expect(state.made).toBe(1);
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      // Half of the life of a short token.
      vi.setSystemTime(Date.now() + 3_100);
      await client.conversation.list();
    } finally {
      vi.useRealTimers();
    }
    expect([state.made, state.statuses.includes(401)]).toEqual([2, false]);
  });

  it('renews the token once after a 401, for all requests together', async () => {
    const { state, client } = clientOf('alan');
    await client.conversation.list();
    await revoke('alan');
    const lists = await Promise.all([client.conversation.list(), client.conversation.list()]);
    expect(lists.map(({ items }) => items)).toEqual([[], []]);
    expect(state.made).toBe(2);
  });

  it('fails with unauthorized if the renewed token does not work either', async () => {
    let made = 0;
    const getToken = () => {
      made += 1;
      return 'eut_live_wrong';
    };
    const client = createClient({ baseUrl: service.url, deploymentId: DEMO_AGENT_ID, getToken, maxRetries: 0 });
    await expect(client.conversation.list()).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
    expect(made).toBe(2);
  });

  it('fails at once with token_failed and the error of getToken, and asks again at the next request', async () => {
    const cause = new Error('signed out');
    let made = 0;
    const getToken = async () => {
      made += 1;
      if (made === 1) throw cause;
      return endUserToken(service, DEMO_AGENT_ID, 'kurt');
    };
    const client = createClient({ baseUrl: service.url, deploymentId: DEMO_AGENT_ID, getToken });
    const error = await client.conversation.list().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'ParleyError',
      code: 'token_failed',
      status: 0,
      type: 'client_error',
      param: 'getToken',
      message: 'The option getToken failed: signed out',
    });
    expect((error as Error).cause).toBe(cause);
    expect(made).toBe(1);
    expect((await client.conversation.list()).items).toEqual([]);
  });

  it.each([
    ['a renewal after a 401', async (client: ParleyClient) => client.conversation.list()],
    ['a turn of an agent', async (client: ParleyClient) => client.agent.start({ content: 'Hello' })],
    ['a streamed reply', async (client: ParleyClient) => client.conversation.stream({ content: 'Hello' })],
    ['the first page of an agent', async (client: ParleyClient) => client.agent.open(randomUUID())],
  ])('fails with token_failed without retries at %s', async (_where, call) => {
    let made = 0;
    const getToken = () => {
      made += 1;
      if (made > 1) throw new TypeError('fetch failed');
      return 'eut_live_wrong';
    };
    const client = createClient({ baseUrl: service.url, deploymentId: DEMO_AGENT_ID, getToken });
    await expect(call(client)).rejects.toMatchObject({ code: 'token_failed', cause: { message: 'fetch failed' } });
    expect(made).toBe(2);
  });

  it.each([undefined, null, '', {}, { token: '' }])('fails with token_failed if getToken returns %j', async (token) => {
    const getToken = () => token as Token;
    const client = createClient({ baseUrl: service.url, deploymentId: DEMO_AGENT_ID, getToken });
    await expect(client.conversation.list()).rejects.toMatchObject({
      code: 'token_failed',
      message: 'The option getToken failed: it must return a token',
    });
  });
});

describe('createClient with other functions', () => {
  it('fails at once with headers_failed if headers throws', async () => {
    let called = 0;
    const headers = () => {
      called += 1;
      throw new Error('signed out');
    };
    const client = createClient({ baseUrl: service.url, deploymentId: DEMO_AGENT_ID, headers });
    const failure = { code: 'headers_failed', param: 'headers', cause: { message: 'signed out' } };
    await expect(client.run({ content: 'Hello' })).rejects.toMatchObject(failure);
    expect(called).toBe(1);
  });
});

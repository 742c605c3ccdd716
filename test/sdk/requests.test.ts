import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClient, followSubscription } from '../../src/sdk/index.ts';
import { clientFor, textsOf } from '../support/sdk.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Sent {
  readonly url: string;
  readonly key: string | null;
}

/** A fetch that loses or replaces the first responses to turns. The service still receives the requests. */
function lossy(losses: readonly ('lost' | Response)[]) {
  const left = [...losses];
  const sent: Sent[] = [];
  const own: typeof globalThis.fetch = async (input, init) => {
    const isTurn = init?.method === 'POST' && String(input).includes('/runner/');
    if (!isTurn) return fetch(input, init);
    sent.push({ url: String(input), key: new Headers(init.headers).get('idempotency-key') });
    const loss = left.shift();
    if (loss instanceof Response) return loss;
    const response = await fetch(input, init);
    if (loss === undefined) return response;
    await response.text();
    throw new TypeError('the connection was lost');
  };
  return { fetch: own, sent };
}

const rejection = (status: number, code: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ error: { type: 'api_error', code, message: code, param: null } }), { status, headers });

describe('requests', () => {
  it.each([true, false])('retries a turn whose response was lost with the same key (live: %s)', async (live) => {
    const { fetch, sent } = lossy(['lost', 'lost']);
    const agent = clientFor(service, { fetch }).createAgent();
    const state = await agent.start({ content: 'Once', live });
    agent.close();
    expect(textsOf(state)).toEqual(['Once', 'You said: Once']);
    // With live updates, one request starts the turn and another one waits for it, unless it has finished.
    expect(sent.length).toBeLessThanOrEqual(live ? 4 : 3);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    expect(sent[0]?.key).toMatch(/^sdk-[0-9a-f]{32}$/);
  });

  it('sends a new key with each turn', async () => {
    const { fetch, sent } = lossy([]);
    const conversation = clientFor(service, { fetch }).createConversation();
    await conversation.run({ content: 'One' });
    await conversation.run({ content: 'Two' });
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  });

  it('takes a turn once when two controllers send it with the same key', async () => {
    const turn = { content: '/slow 1\n/say Only once.', idempotencyKey: `page-${Math.random()}` };
    const [first, second] = [clientFor(service).createAgent(), clientFor(service).createAgent()];
    const [one, other] = await Promise.all([first.start(turn), second.start(turn)]);
    expect(other.conversationId).toBe(one.conversationId);
    expect(textsOf(other)).toEqual([turn.content, 'Only once.']);
    const again = await second.continue({ content: 'Next', idempotencyKey: `${turn.idempotencyKey}-2` });
    expect(textsOf(again)).toHaveLength(4);
    for (const agent of [first, second]) agent.close();
  });

  it('waits for the first request when a retry finds it running', async () => {
    const own: typeof globalThis.fetch = (input, init) => {
      // The connection is lost while the turn is running.
      if (!cut) {
        cut = true;
        void fetch(input, init);
        return new Promise((_resolve, reject) => setTimeout(() => reject(new TypeError('lost')), 200));
      }
      return fetch(input, init);
    };
    let cut = false;
    const conversation = clientFor(service, { fetch: own }).createConversation();
    const { content } = await conversation.run({ content: '/slow 1.5\n/say at last' });
    expect(content).toBe('at last');
    expect(textsOf(conversation.getState())).toEqual(['/slow 1.5\n/say at last', 'at last']);
  });

  it('waits for Retry-After after a 429 and retries a 503', async () => {
    const { fetch, sent } = lossy([
      rejection(429, 'rate_limited', { 'retry-after': '1' }),
      rejection(503, 'unavailable'),
    ]);
    const before = Date.now();
    const run = await clientFor(service, { fetch }).run({ content: 'Hi' });
    expect(run).toMatchObject({
      content: 'You said: Hi',
      inputTokens: expect.any(Number),
      model: 'demo',
      finishReason: 'stop',
    });
    expect(sent).toHaveLength(3);
    expect(Date.now() - before).toBeGreaterThanOrEqual(1_000);
  });

  it('retries neither a rejected request nor a turn whose model failed', async () => {
    const { fetch, sent } = lossy([]);
    const client = clientFor(service, { fetch });
    await expect(client.run({ content: ' ' })).rejects.toMatchObject({
      name: 'ParleyError',
      status: 400,
      code: 'invalid_request',
      type: 'invalid_request_error',
      param: 'content[0].text',
      requestId: expect.any(String),
      message: expect.stringContaining('content[0].text'),
    });
    await expect(client.run({ content: '/fail' })).rejects.toMatchObject({ status: 502, code: 'model_error' });
    expect(sent).toHaveLength(2);
  });

  it('puts further fields of an error into details', async () => {
    const client = clientFor(service);
    const { conversationId } = await client.agent.start({ content: '/ask', clientCapabilities: ['ask_user'] });
    const error = await client.agent.continue().catch((thrown: unknown) => thrown);
    client.agent.close();
    expect(error).toMatchObject({ status: 409, code: 'client_action_required' });
    expect(error).toMatchObject({ details: { pending_client_actions: [{ name: 'ask_user' }] } });
    expect(conversationId).toEqual(expect.any(String));
  });

  it('names the URL and the reason if no service listens there, without secrets', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const baseUrl = `http://127.0.0.1:${port}`;
    const client = clientFor({ url: baseUrl, key: service.key }, { maxRetries: 0 });
    const refused = (path: string) => ({
      code: 'connection_error',
      message: `The request to ${baseUrl}${path} failed: fetch failed: connect ECONNREFUSED 127.0.0.1:${port} (ECONNREFUSED)`,
      cause: expect.any(TypeError),
    });
    await expect(client.run({ content: 'Hi' })).rejects.toMatchObject(refused(`/v1/runner/${DEMO_AGENT_ID}`));
    const list = client.conversation.list({ meta: { secret: 'hidden' } });
    await expect(list).rejects.toMatchObject(refused(`/v1/runner/${DEMO_AGENT_ID}/conversations`));
    const stream = client.conversation.stream({ content: 'Hi' });
    await expect(stream).rejects.toMatchObject(refused(`/v1/runner/${DEMO_AGENT_ID}/conversation/stream`));
    const following = followSubscription({
      baseUrl,
      query: '{ me }',
      signal: AbortSignal.timeout(10_000),
      onEvent: () => '',
      onDisconnect(error) {
        throw error;
      },
    });
    await expect(following).rejects.toMatchObject(refused('/graphql'));
  });

  it('names the URL and the reason if the response is cut off', async () => {
    const broken = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{', () => response.destroy());
    });
    await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
      const client = clientFor({ url, key: service.key }, { maxRetries: 0 });
      const message = `The request to ${url}/v1/runner/${DEMO_AGENT_ID} failed: terminated: other side closed (UND_ERR_SOCKET)`;
      await expect(client.run({ content: 'Hi' })).rejects.toMatchObject({ code: 'connection_error', message });
    } finally {
      await new Promise((resolve) => broken.close(resolve));
    }
  });

  it('leaves the password of a URL out of the error', async () => {
    const url = 'http://ann:secret@127.0.0.1:1/parley';
    const error = await clientFor({ url, key: service.key }, { maxRetries: 0 })
      .run({ content: 'Hi' })
      .catch((thrown: Error) => thrown);
    const { message } = error as Error;
    expect(message).toContain(`The request to http://127.0.0.1:1/parley/v1/runner/${DEMO_AGENT_ID} failed: `);
    expect(message).not.toContain('secret');
  });

  it('rejects as soon as its signal is aborted', async () => {
    const leave = new AbortController();
    const run = clientFor(service).run({ content: '/slow 60', signal: leave.signal });
    leave.abort();
    await expect(run).rejects.toMatchObject({ code: 'aborted', status: 0 });
  });

  it('reports invalid options and a baseUrl without a Parley service', async () => {
    const invalid = expect.objectContaining({ name: 'ParleyError', code: 'invalid_call', param: 'baseUrl' });
    expect(() => createClient({ baseUrl: 'parley' })).toThrow(invalid);
    // @ts-expect-error JavaScript callers may forget the options
    expect(() => createClient()).toThrow(invalid);
    const without = createClient({ baseUrl: service.url, apiKey: service.key });
    await expect(without.run({ content: 'Hi' })).rejects.toMatchObject({ param: 'deploymentId', code: 'invalid_call' });
    await expect(without.agent.start({ content: 'Hi' })).rejects.toMatchObject({ param: 'deploymentId' });
    const fetch = async () => new Response('<html>', { status: 200 });
    const elsewhere = clientFor(service, { fetch }).run({ content: 'Hi' });
    await expect(elsewhere).rejects.toMatchObject({ code: 'invalid_response' });
  });

  it('warns once about an API key in a browser unless it is allowed', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const page = globalThis as { document?: unknown };
    page.document = {};
    try {
      clientFor(service, { dangerouslyAllowBrowserApiKey: true });
      expect(warn).not.toHaveBeenCalled();
      clientFor(service);
      clientFor(service);
      expect(warn).toHaveBeenCalledTimes(1);
    } finally {
      delete page.document;
      warn.mockRestore();
    }
  });

  it('sends further headers, from a function for each request and connection', async () => {
    const tokens: (string | null)[] = [];
    let number = 0;
    const client = createClient({
      baseUrl: service.url,
      deploymentId: DEMO_AGENT_ID,
      headers: async () => {
        number += 1;
        return { Authorization: `Bearer ${service.key}`, 'x-request-id': `request-${number}` };
      },
      fetch: (input, init) => {
        tokens.push(new Headers(init?.headers).get('x-request-id'));
        return fetch(input, init);
      },
    });
    const agent = client.createAgent();
    const state = await agent.start({ content: 'Hello' });
    expect(textsOf(state)).toEqual(['Hello', 'You said: Hello']);
    await until(async () => tokens.length >= 4);
    agent.close();
    expect(new Set(tokens).size).toBe(tokens.length);
    const overridden = clientFor(service, { headers: { authorization: 'Bearer sk_test_unknown' } });
    await expect(overridden.run({ content: 'Hi' })).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('fails with timeout when a request takes too long, and lets the turn continue', async () => {
    const conversation = clientFor(service, { timeout: 300 }).createConversation();
    const { conversationId } = await clientFor(service).conversation.run({ content: 'Hello' });
    conversation.start(conversationId);
    await expect(conversation.run({ content: '/slow 1\n/say late' })).rejects.toMatchObject({
      code: 'timeout',
      status: 0,
    });
    expect(conversation.getState()).toMatchObject({ status: 'error', error: { code: 'timeout' } });
    await until(async () => {
      const { messages } = await clientFor(service).agent.get(conversationId);
      return textsOf({ messages }).at(-1) === 'late';
    });
  });

  it('streams for longer than the timeout', async () => {
    const conversation = clientFor(service, { timeout: 200 }).createConversation();
    conversation.start((await clientFor(service).conversation.run({ content: 'Hello' })).conversationId);
    expect(await conversation.stream({ content: '/slow 1\n/say late' })).toMatchObject({ content: 'late' });
  });

  it('sends a request as often as maxRetries allows', async () => {
    const { fetch, sent } = lossy([1, 2, 3].map(() => rejection(503, 'unavailable', { 'retry-after': '0' })));
    await expect(clientFor(service, { fetch, maxRetries: 1 }).run({ content: 'Hi' })).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(sent).toHaveLength(2);
  });

  it.each([
    ['timeout', 0],
    ['timeout', Number.NaN],
    ['maxRetries', -1],
    ['maxRetries', 1.5],
  ])('rejects the option %s %s', (name, value) => {
    expect(() => clientFor(service, { [name]: value })).toThrow(expect.objectContaining({ param: name }));
  });
});

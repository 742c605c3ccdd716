import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/sdk/index.ts';
import { clientFor, textsOf } from '../support/sdk.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Sent {
  readonly url: string;
  readonly key: string | null;
}

/** A fetch in which the first answers to turns get lost behind the service, or are others. */
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

const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ error: { type: 'api_error', code, message: code, param: null } }), { status, headers });

describe('SPEC 4.11: requests', () => {
  it('sends a turn whose answer was lost again under its key, and takes it once', async () => {
    const { fetch, sent } = lossy(['lost', 'lost']);
    const agent = clientFor(service, { fetch }).createAgent();
    const state = await agent.start({ content: 'Once' });
    agent.close();
    expect(textsOf(state)).toEqual(['Once', 'You said: Once']);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    expect(sent[0]?.key).toMatch(/^sdk-[0-9a-f]{32}$/);
  });

  it('makes a key of its own for each turn', async () => {
    const { fetch, sent } = lossy([]);
    const conversation = clientFor(service, { fetch }).createConversation();
    await conversation.run({ content: 'One' });
    await conversation.run({ content: 'Two' });
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  });

  it('takes a turn once that another controller sends again under the key that it was given', async () => {
    const turn = { content: '/slow 1\n/say Only once.', idempotencyKey: `page-${Math.random()}` };
    const [first, second] = [clientFor(service).createAgent(), clientFor(service).createAgent()];
    const [one, other] = await Promise.all([first.start(turn), second.start(turn)]);
    expect(other.conversationId).toBe(one.conversationId);
    expect(textsOf(other)).toEqual([turn.content, 'Only once.']);
    const again = await second.continue({ content: 'Next', idempotencyKey: `${turn.idempotencyKey}-2` });
    expect(textsOf(again)).toHaveLength(4);
    for (const agent of [first, second]) agent.close();
  });

  it('waits for the first of two where that is still at work', async () => {
    const own: typeof globalThis.fetch = (input, init) => {
      // The connection is lost while the turn is at work.
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

  it('waits as long as Retry-After says, and through faults of the server', async () => {
    const { fetch, sent } = lossy([refusal(429, 'rate_limited', { 'retry-after': '1' }), refusal(503, 'unavailable')]);
    const before = Date.now();
    const run = await clientFor(service, { fetch }).run({ content: 'Hi' });
    expect(run).toMatchObject({ content: 'You said: Hi', inputTokens: expect.any(Number), model: 'demo' });
    expect(sent).toHaveLength(3);
    expect(Date.now() - before).toBeGreaterThanOrEqual(1_000);
  });

  it('sends nothing again that was refused, or that the model failed in', async () => {
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

  it('tells what stands beside the message as details', async () => {
    const client = clientFor(service);
    const { conversationId } = await client.agent.start({ content: '/ask', clientCapabilities: ['ask_user'] });
    const error = await client.agent.continue().catch((thrown: unknown) => thrown);
    client.agent.close();
    expect(error).toMatchObject({ status: 409, code: 'client_action_required' });
    expect(error).toMatchObject({ details: { pending_client_actions: [{ name: 'ask_user' }] } });
    expect(conversationId).toEqual(expect.any(String));
  });

  it('gives up as soon as it is told to', async () => {
    const leave = new AbortController();
    const run = clientFor(service).run({ content: '/slow 60', signal: leave.signal });
    leave.abort();
    await expect(run).rejects.toMatchObject({ code: 'aborted', status: 0 });
  });

  it('says what is wrong with its options, and with an address that is no Parley service', async () => {
    expect(() => createClient({ baseUrl: 'parley' })).toThrow(expect.objectContaining({ param: 'baseUrl' }));
    const without = createClient({ baseUrl: service.url, apiKey: service.key });
    await expect(without.run({ content: 'Hi' })).rejects.toMatchObject({ param: 'deploymentId', code: 'invalid_call' });
    await expect(without.agent.start({ content: 'Hi' })).rejects.toMatchObject({ param: 'deploymentId' });
    const fetch = async () => new Response('<html>', { status: 200 });
    const elsewhere = clientFor(service, { fetch }).run({ content: 'Hi' });
    await expect(elsewhere).rejects.toMatchObject({ code: 'invalid_response' });
  });

  it('warns once of an API key in a browser, unless that is meant', () => {
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
});

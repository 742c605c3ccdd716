import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/client.ts';
import { text } from '../support/doors.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

let service: TestService;
/** Open to all, open to the pages of one site, and to nobody without credentials. */
let open: string;
let listed: string;
let closed: string;
beforeAll(async () => {
  service = await startService({ trustProxy: 1 });
  const clientTools = [{ name: 'lookup', description: '', availability: 'always' as const }];
  const kind = 'agent' as const;
  ({ id: open } = await makeDeployment(service, { clientTools }, { kind, authRequired: false }));
  ({ id: listed } = await makeDeployment(service, {}, { kind, authRequired: false, allowlist: ['shop.example.com'] }));
  closed = DEMO_AGENT_ID;
});
afterAll(() => service.close());

let addresses = 0;

/** A request without credentials, from an address of its own. */
function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
  addresses += 1;
  const from = { 'x-forwarded-for': `2001:db8:${addresses.toString(16)}::1` };
  return service.send(method, path, { key: null, ...(body && { body }), headers: { ...from, ...headers } });
}

const start = (id: string, headers: Record<string, string> = {}) =>
  ask('POST', `/v2/runner/${id}/conversation`, { content: text('Hi') }, headers);

const TURN = `mutation ($id: UUID!, $input: AgentTurnInput!) { runAgentTurn(deploymentId: $id, input: $input) {
  ... on FinishedTurn { conversationId } } }`;

const graphql = (query: string, variables: object, headers: Record<string, string> = {}) =>
  ask('POST', '/graphql', { query, variables }, headers);

describe('WIRE 4: a deployment without auth_required', () => {
  it('lets anybody start, continue, resume and read a conversation whose id they present', async () => {
    const path = `/v2/runner/${open}/conversation`;
    const paused = await ask('POST', path, { content: text('/call lookup {}\n/say done') });
    expect(paused).toMatchObject({ status: 200, body: { run_status: 'waiting_for_client_action' } });
    const { conversation_id, client_tool_calls } = paused.body;
    const resume = { conversation_id, tool_results: [{ call_id: client_tool_calls[0].call_id, output: {} }] };
    expect((await ask('POST', path, resume)).body.content).toBe('done');
    const more = { conversation_id, content: text('More') };
    expect((await ask('POST', path, more)).body.content).toBe('You said: More');
    expect((await ask('POST', `/v1/runner/${open}/conversation`, more)).status).toBe(200);
    expect((await ask('POST', `/v1/runner/${open}/conversation/stream`, more)).body).toBe('You said: More');
    expect((await ask('GET', `${path}/${conversation_id}/history`)).body.items.length).toBeGreaterThan(5);
    const messages = await ask('GET', `/v1/runner/conversation/${conversation_id}/messages`);
    expect(messages.body).toMatchObject({ conversation_status: 'active' });
    expect((await ask('POST', `/v1/runner/${open}`, { content: text('Once') })).body.content).toBe('You said: Once');
  });

  it('keeps those conversations in the live environment', async () => {
    const { body } = await start(open);
    const path = `/v1/runner/conversation/${body.conversation_id}/messages`;
    expect((await service.send('GET', path)).status).toBe(200);
    expect((await service.send('GET', path, { key: service.keys.test })).status).toBe(404);
  });

  it('lists nothing, and opens nothing else', async () => {
    const { body } = await start(open);
    for (const path of [
      `/v1/runner/${open}/conversations`,
      '/v1/runner/conversations',
      `/v1/runner/${open}/triggers`,
      '/v1/resources',
      '/v1/events',
      '/v1/me',
    ]) {
      expectError(await ask('GET', path), 'unauthorized');
    }
    expectError(await ask('POST', `/v1/runner/${open}/trigger`, { content: text('Hi') }), 'unauthorized');
    const id = Buffer.from(`Conversation:${body.conversation_id}`).toString('base64');
    expectGraphqlError(await graphql('query ($id: ID!) { node(id: $id) { id } }', { id }), 'unauthorized');
    expectGraphqlError(await graphql('{ conversations { totalCount } }', {}), 'unauthorized');
  });

  it('tells nothing of the conversations of others', async () => {
    const own = await service.agentTurn('Mine');
    const { conversation_id } = own.body;
    expectError(await ask('GET', `/v1/runner/conversation/${conversation_id}/messages`), 'unauthorized');
    expectError(await ask('GET', `/v2/runner/${open}/conversation/${conversation_id}/history`), 'not_found');
    const taken = { conversation_id, content: text('Hi') };
    expectError(await ask('POST', `/v2/runner/${open}/conversation`, taken), 'not_found');
    const both = `query ($own: UUID!, $open: UUID!) {
      a: conversation(conversationId: $open) { name } b: conversation(conversationId: $own) { name } }`;
    const started = await start(open);
    const read = await graphql(both, { own: conversation_id, open: started.body.conversation_id });
    expect(JSON.stringify(read.body)).not.toContain('Mine');
  });

  it('still asks a key that is given to be good, and to have the scope', async () => {
    const path = `/v2/runner/${open}/conversation`;
    const wrong = await service.send('POST', path, { body: { content: text('Hi') }, key: `sk_live_${'a'.repeat(43)}` });
    expectError(wrong, 'unauthorized');
  });

  it('answers a wrong body as to anybody, and an unknown or closed deployment with 401', async () => {
    const wrong = await ask('POST', `/v2/runner/${open}/conversation`, { content: [] });
    expectError(wrong, 'invalid_request', { param: 'content' });
    expectGraphqlError(await graphql(TURN, { id: open, input: { content: 7 } }), 'invalid_request');
    for (const id of [closed, randomUUID()]) {
      expectError(await start(id), 'unauthorized');
      expectGraphqlError(await graphql(TURN, { id, input: { content: 7 } }), 'unauthorized');
    }
    expectError(await start('no-uuid'), 'unauthorized');
  });

  it('is open through GraphQL alike, its subscription included', async () => {
    const turn = await graphql(TURN, { id: open, input: { content: text('Hi') } });
    expect(turn.body.data.runAgentTurn.conversationId).toEqual(expect.any(String));
    const stream = await graphql(
      `subscription ($id: UUID!) {
        replyStream(deploymentId: $id, input: { content: [{ type: text, text: "Hi" }] }) { event } }`,
      { id: open },
      { accept: 'text/event-stream' },
    );
    expect(stream.body).toContain('"event":"done"');
  });
});

describe('WIRE 4: the allowlist', () => {
  it.each([
    ['an entry', { origin: 'https://shop.example.com' }, 200],
    ['an entry on another port', { origin: 'http://shop.example.com:8080' }, 200],
    ['a subdomain of one', { origin: 'https://de.shop.example.com' }, 200],
    ['a Referer of an entry', { referer: 'https://shop.example.com/cart?x=1' }, 200],
    ['a host that only ends like one', { origin: 'https://evilshop.example.com' }, 403],
    ['a parent of one', { origin: 'https://example.com' }, 403],
    [
      'an entry in the Referer, but another Origin',
      { origin: 'https://evil.com', referer: 'https://shop.example.com' },
      403,
    ],
    ['null', { origin: 'null' }, 403],
    ['nothing', {}, 403],
  ])('decides on %s', async (_what, headers, status) => {
    const answer = await start(listed, headers as Record<string, string>);
    expect(answer.status).toBe(status);
    if (status === 403) expectError(answer, 'origin_not_allowed', { param: null });
  });

  it('is not asked of whoever has a key', async () => {
    const headers = { origin: 'https://evil.com' };
    const path = `/v2/runner/${listed}/conversation`;
    expect((await service.send('POST', path, { body: { content: text('Hi') }, headers })).status).toBe(200);
  });
});

describe('CORS follows the allowlist', () => {
  const preflight = (from: TestService, path: string, origin: string) =>
    from.send('OPTIONS', path, {
      key: null,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,idempotency-key',
      },
    });

  it('answers pages that some public deployment takes, on both doors, and no others', async () => {
    const own = await startService();
    try {
      const allowlist = ['shop.example.com'];
      const { id } = await makeDeployment(own, {}, { authRequired: false, allowlist });
      for (const path of [`/v2/runner/${id}/conversation`, '/graphql']) {
        const yes = await preflight(own, path, 'https://de.shop.example.com');
        expect(yes.status).toBe(204);
        expect(yes.headers.get('access-control-allow-origin')).toBe('https://de.shop.example.com');
        expect(yes.headers.get('access-control-allow-headers')).toBe('content-type,idempotency-key');
        expect(yes.headers.get('access-control-allow-credentials')).toBeNull();
        const no = await preflight(own, path, 'https://evil.com');
        expect(no.headers.get('access-control-allow-origin')).toBeNull();
      }
      const headers = { origin: 'https://shop.example.com' };
      const answer = await own.send('POST', `/v2/runner/${id}/conversation`, { body: {}, key: null, headers });
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://shop.example.com');
      expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
      expect(answer.headers.get('vary')).toContain('Origin');
    } finally {
      await own.close();
    }
  });
});

describe('WIRE 14: anonymous callers are limited', () => {
  it('to 30 turns a minute in a conversation', async () => {
    const { body } = await start(open);
    const more = { conversation_id: body.conversation_id, content: text('More') };
    const turn = () => ask('POST', `/v1/runner/${open}/conversation`, more);
    for (let count = 0; count < 30; count += 1) expect((await turn()).status).toBe(200);
    const refused = await turn();
    expectError(refused, 'rate_limited');
    expect(refused.headers.get('retry-after')).not.toBeNull();
  });

  it('to 120 requests a minute by address', async () => {
    const path = `/v1/runner/${open}/conversation`;
    const from = { 'x-forwarded-for': '203.0.113.77' };
    const wrong = () => service.send('POST', path, { key: null, body: {}, headers: from });
    const codes = await Promise.all(Array.from({ length: 121 }, async () => (await wrong()).status));
    expect(codes.filter((status) => status === 400)).toHaveLength(120);
    expect(codes.filter((status) => status === 429)).toHaveLength(1);
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RATE_LIMITS } from '../../src/domain/access/rate-limits.ts';
import { textContent } from '../support/agent-apis.ts';
import type { HttpResponse } from '../support/client.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { graphText } from '../support/graph-content.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

let service: TestService;
/** Deployments open to all callers, to the pages of one site, and only to callers with credentials. */
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

/** A request without credentials from a new IP address. */
function request(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<HttpResponse> {
  addresses += 1;
  const from = { 'x-forwarded-for': `2001:db8:${addresses.toString(16)}::1` };
  return service.send(method, path, { key: null, ...(body && { body }), headers: { ...from, ...headers } });
}

const start = (id: string, headers: Record<string, string> = {}) =>
  request('POST', `/v2/runner/${id}/conversation`, { content: textContent('Hi') }, headers);

const TURN = `mutation ($input: RunAgentTurnInput!) { runAgentTurn(input: $input) { __typename ... on RunAgentTurnPayload { turn {
  ... on FinishedTurn { conversationId } } } ... on Error { code message path } } }`;

const graphql = (query: string, variables: object, headers: Record<string, string> = {}) =>
  request('POST', '/graphql', { query, variables }, headers);

describe('a deployment without auth_required', () => {
  it('lets every caller start, continue, resume and read a conversation whose ID they know', async () => {
    const path = `/v2/runner/${open}/conversation`;
    const paused = await request('POST', path, { content: textContent('/call lookup {}\n/say done') });
    expect(paused).toMatchObject({ status: 200, body: { run_status: 'waiting_for_client_action' } });
    const { conversation_id, client_tool_calls } = paused.body;
    const resume = { conversation_id, tool_results: [{ call_id: client_tool_calls[0].call_id, output: {} }] };
    expect((await request('POST', path, resume)).body.content).toBe('done');
    const more = { conversation_id, content: textContent('More') };
    expect((await request('POST', path, more)).body.content).toBe('You said: More');
    expect((await request('POST', `/v1/runner/${open}/conversation`, more)).status).toBe(200);
    expect((await request('POST', `/v1/runner/${open}/conversation/stream`, more)).body).toBe('You said: More');
    expect((await request('GET', `${path}/${conversation_id}/history`)).body.items.length).toBeGreaterThan(5);
    const messages = await request('GET', `/v1/runner/conversation/${conversation_id}/messages`);
    expect(messages.body).toMatchObject({ conversation_status: 'active' });
    expect((await request('POST', `/v1/runner/${open}`, { content: textContent('Once') })).body.content).toBe(
      'You said: Once',
    );
  });

  it('lets them search nothing in it', async () => {
    const { conversation_id: id } = (await start(open)).body;
    const query = 'query ($id: ID!) { conversation(id: $id) { messageCount excerpt(text: "hi") { itemId } } }';
    const { body } = await graphql(query, { id });
    expect(body.data.conversation).toEqual({ messageCount: 2, excerpt: null });
  });

  it('keeps those conversations in the live environment', async () => {
    const { body } = await start(open);
    const path = `/v1/runner/conversation/${body.conversation_id}/messages`;
    expect((await service.send('GET', path)).status).toBe(200);
    expect((await service.send('GET', path, { key: service.keys.test })).status).toBe(404);
  });

  it('allows no lists and nothing else', async () => {
    const { body } = await start(open);
    for (const path of [
      `/v1/runner/${open}/conversations`,
      '/v1/runner/conversations',
      `/v1/runner/${open}/triggers`,
      '/v1/resources',
      '/v1/events',
      '/v1/me',
    ]) {
      expectError(await request('GET', path), 'unauthorized');
    }
    expectError(await request('POST', `/v1/runner/${open}/trigger`, { content: textContent('Hi') }), 'unauthorized');
    const id = Buffer.from(`Conversation:${body.conversation_id}`).toString('base64');
    expectGraphqlError(await graphql('query ($id: ID!) { node(id: $id) { id } }', { id }), 'unauthorized');
    expectGraphqlError(await graphql('{ conversations { totalCount } }', {}), 'unauthorized');
  });

  it('hides the conversations of other callers', async () => {
    const own = await service.agentTurn('Mine');
    const { conversation_id } = own.body;
    expectError(await request('GET', `/v1/runner/conversation/${conversation_id}/messages`), 'unauthorized');
    expectError(await request('GET', `/v2/runner/${open}/conversation/${conversation_id}/history`), 'not_found');
    const taken = { conversation_id, content: textContent('Hi') };
    expectError(await request('POST', `/v2/runner/${open}/conversation`, taken), 'not_found');
    const both = `query ($own: ID!, $open: ID!) {
      a: conversation(id: $open) { name } b: conversation(id: $own) { name } }`;
    const started = await start(open);
    const read = await graphql(both, { own: conversation_id, open: started.body.conversation_id });
    expect(JSON.stringify(read.body)).not.toContain('Mine');
  });

  it('still requires a sent key to be valid and to have the scope', async () => {
    const path = `/v2/runner/${open}/conversation`;
    const wrong = await service.send('POST', path, {
      body: { content: textContent('Hi') },
      key: `sk_live_${'a'.repeat(43)}`,
    });
    expectError(wrong, 'unauthorized');
  });

  it('rejects an invalid body with 400, and an unknown or closed deployment with 401', async () => {
    const wrong = await request('POST', `/v2/runner/${open}/conversation`, { content: [] });
    expectError(wrong, 'invalid_request', { param: 'content' });
    expectGraphqlError(await graphql(TURN, { input: { deploymentId: open, content: 7 } }), 'invalid_request');
    for (const id of [closed, randomUUID()]) {
      expectError(await start(id), 'unauthorized');
      expectGraphqlError(await graphql(TURN, { input: { deploymentId: id, content: 7 } }), 'unauthorized');
    }
    expectError(await start('no-uuid'), 'unauthorized');
  });

  it('is open through GraphQL too, including its subscription', async () => {
    const turn = await graphql(TURN, { input: { deploymentId: open, content: graphText('Hi') } });
    expect(turn.body.data.runAgentTurn.turn.conversationId).toEqual(expect.any(String));
    const stream = await graphql(
      `subscription ($id: ID!) {
        replyStream(input: { deploymentId: $id, content: [{ text: "Hi" }] }) { event } }`,
      { id: open },
      { accept: 'text/event-stream' },
    );
    expect(stream.body).toContain('"event":"DONE"');
  });
});

describe('the allowlist', () => {
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
  ])('decides on %s', async (_description, headers, status) => {
    const response = await start(listed, headers as Record<string, string>);
    expect(response.status).toBe(status);
    if (status === 403) expectError(response, 'origin_not_allowed', { param: null });
  });

  it('does not apply to callers with a key', async () => {
    const headers = { origin: 'https://evil.com' };
    const path = `/v2/runner/${listed}/conversation`;
    expect((await service.send('POST', path, { body: { content: textContent('Hi') }, headers })).status).toBe(200);
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

  it('allows pages of any origin, without credentials mode and without echoing what they send', async () => {
    for (const path of [`/v2/runner/${open}/conversation`, '/v1/resources', '/graphql', '/v1/nothing-here']) {
      const long = `https://${'a.'.repeat(3_500)}com`;
      for (const origin of ['https://evil.com', 'null', long]) {
        const { status, headers } = await preflight(service, path, origin);
        expect(status).toBe(204);
        expect(headers.get('access-control-allow-origin')).toBe('*');
        expect(headers.get('access-control-allow-headers')).toBe('*,Authorization');
        expect(headers.get('access-control-allow-credentials')).toBeNull();
      }
    }
  });

  it('lets a page read why its request is rejected', async () => {
    const allowlist = ['shop.example.com'];
    const { id } = await makeDeployment(service, {}, { authRequired: false, allowlist });
    const headers = { origin: 'https://evil.com' };
    const rejections = [
      [
        await service.send('POST', `/v1/runner/${id}/conversation`, { body: {}, key: null, headers }),
        'origin_not_allowed',
      ],
      [await service.send('GET', '/v1/resources', { key: 'sk_live_wrong', headers }), 'unauthorized'],
    ] as const;
    for (const [response, code] of rejections) {
      expectError(response, code);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-expose-headers')).toContain('x-request-id');
    }
  });

  it('costs no time for an origin of thousands of labels', async () => {
    const headers = { origin: `https://${'a.'.repeat(3_500)}com` };
    const before = process.cpuUsage();
    expectError(await start(listed, headers), 'origin_not_allowed');
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(200);
  });
});

describe('anonymous callers are limited', () => {
  it('to 30 turns per minute in a conversation', async () => {
    const { body } = await start(open);
    const more = { conversation_id: body.conversation_id, content: textContent('More') };
    const turn = () => request('POST', `/v1/runner/${open}/conversation`, more);
    for (let count = 0; count < 30; count += 1) expect((await turn()).status).toBe(200);
    const rejected = await turn();
    expectError(rejected, 'rate_limited');
    expect(rejected.headers.get('retry-after')).not.toBeNull();
  });

  const from = { 'x-forwarded-for': '203.0.113.77' };
  const statuses = async (count: number, send: () => Promise<HttpResponse>) => {
    const responses = await Promise.all(Array.from({ length: count }, send));
    const of = (status: number) => responses.filter((response) => response.status === status).length;
    return { of };
  };

  it('to 60 starts per minute and IP address', async () => {
    const path = `/v1/runner/${open}/conversation`;
    const { of } = await statuses(61, () => service.send('POST', path, { key: null, body: {}, headers: from }));
    expect([of(400), of(429)]).toEqual([60, 1]);
  });

  it('to 240 reads per minute and conversation', async () => {
    const { conversation_id: id } = (await start(open)).body;
    const path = `/v1/runner/conversation/${id}/messages`;
    const { of } = await statuses(241, () => service.send('GET', path, { key: null, headers: from }));
    expect([of(200), of(429)]).toEqual([240, 1]);
  });

  it('to 1,200 reads per minute and IP address', async () => {
    const { conversation_id: id } = (await start(open)).body;
    const path = `/v1/runner/conversation/${id}/messages`;
    const headers = { 'x-forwarded-for': '203.0.113.78' };
    const { service: running } = service;
    for (let count = 0; count < 1_200; count += 1) {
      await running.services.stores.rateLimiter.consume(RATE_LIMITS.anonymousReads, '203.0.113.78');
    }
    expect((await service.send('GET', path, { key: null, headers })).status).toBe(429);
  });

  it('to 60 invalid credentials per minute and IP address', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.79' };
    const { of } = await statuses(61, () => service.send('GET', '/v1/resources', { key: 'sk_live_wrong', headers }));
    expect([of(401), of(429)]).toEqual([60, 1]);
    // A valid key is not affected.
    expect((await service.send('GET', '/v1/resources', { headers })).status).toBe(200);
  });

  it('to 600 other requests per minute and IP address, whichever transport they use', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.80' };
    const read = () => service.send('GET', '/v1/resources', { key: null, headers });
    const query = () => service.graphql('{ __typename }', {}, { key: null, headers });
    const { of } = await statuses(300, read);
    expect(of(401)).toBe(300);
    expect((await statuses(300, query)).of(200)).toBe(300);
    expect([(await read()).status, (await query()).status]).toEqual([429, 429]);
    expect((await service.send('GET', '/healthz', { key: null, headers })).status).toBe(200);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecretBox } from '../../src/domain/secret-box.ts';
import { textContent } from '../support/agent-apis.ts';
import { type Client, withCookies } from '../support/client.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeDeployment, makeMember, makeWorkspace, openSession, openSessionOf } from '../support/tenants.ts';
import { visit } from '../support/visits.ts';

const SECRET = 'a previous secret key, long enough';

let service: TestService;
beforeAll(async () => {
  service = await startService({ trustProxy: 1, chatUrl: 'http://127.0.0.1', previousSecretKeys: [SECRET] });
});
afterAll(() => service.close());

let addresses = 0;

/** A deployment with a hosted page, and a browser with its own IP address that has opened it. */
async function hosted(fields: object = {}) {
  const tool = { name: 'lookup', description: '', availability: 'always' as const };
  const { id } = await makeDeployment(service, { clientTools: [tool] }, { kind: 'agent', hostedPage: true, ...fields });
  const { cookie, answer: response, set } = await visit(service, id);
  return { id, cookie, answer: response, set, browser: browserWith(cookie) };
}

function browserWith(cookie: string): Client {
  addresses += 1;
  const from = `2001:db8:${addresses.toString(16)}::1`;
  const inner: Client = { ...service };
  inner.send = (method, path, options = {}) =>
    service.send(method, path, { ...options, headers: { 'x-forwarded-for': from, ...options.headers } });
  return withCookies(inner, cookie);
}

const start = (browser: Client, id: string, text = 'Hi', headers: Record<string, string> = {}) =>
  browser.send('POST', `/v2/runner/${id}/conversation`, { body: { content: textContent(text) }, headers });

const setHosted = (id: string, hostedPage: boolean) =>
  service.graphql(
    'mutation ($id: ID!, $on: Boolean!) { updateDeployment(input: { deploymentId: $id, hostedPage: $on }) { __typename ... on UpdateDeploymentPayload { deployment { hostedPage } } ... on Error { code message path } } }',
    { id, on: hostedPage },
  );

describe('the hosted page of a deployment', () => {
  it.each(['chat', 'agent'] as const)('makes a browser that opens /%s its visitor for 24 hours', async (page) => {
    const { id } = await makeDeployment(service, {}, { name: '<b>Shop & Co', hostedPage: true });
    const { answer: response, set } = await visit(service, id, { page });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.body).toContain('<title>&#60;b&#62;Shop &#38; Co</title>');
    expect(set).toEqual([
      expect.stringMatching(
        new RegExp(`^parley_visitor_${id}=[\\w-]+; Path=/; Expires=[^;]+; HttpOnly; SameSite=Strict$`),
      ),
    ]);
    const until = Date.parse(/Expires=([^;]+)/.exec(set[0] ?? '')?.[1] ?? '');
    expect(Math.abs(until - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
  });

  it('returns 404 and sets no cookie if it is off or the deployment does not exist', async () => {
    const { id: off } = await makeDeployment(service, {}, {});
    const { id: draft } = await makeDeployment(service, {}, { hostedPage: true, published: false });
    for (const id of [off, draft, '00000000-0000-4000-8000-0000000000ff', 'x']) {
      const { answer: response, set } = await visit(service, id);
      expectError(response, 'not_found');
      expect(set).toEqual([]);
    }
  });

  it('accepts only reads', async () => {
    const { id } = await makeDeployment(service, {}, { hostedPage: true });
    const response = await service.send('POST', `/chat/${id}`, { key: null });
    expectError(response, 'method_not_allowed');
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  it('accepts its cookie only from its own host if it uses https', async () => {
    const secure = await startService({ chatUrl: 'https://chat.example.com' });
    try {
      const { id } = await makeDeployment(secure, {}, { hostedPage: true });
      const { set, cookie } = await visit(secure, id);
      expect(set[0]).toMatch(/^__Host-parley_visitor_.*; Path=\/; .*; HttpOnly; Secure; SameSite=Strict$/);
      const headers = { origin: 'https://chat.example.com' };
      expect((await start(withCookies(secure, cookie), id, 'Hi', headers)).status).toBe(200);
      expect((await start(withCookies(secure, cookie.replace('__Host-', '')), id)).status).toBe(401);
    } finally {
      await secure.close();
    }
  });
});

describe('a visitor of a deployment that requires credentials of other callers', () => {
  it('starts, continues, resumes and reads conversations whose ID it knows, in the live environment', async () => {
    const { id, browser } = await hosted();
    const path = `/v2/runner/${id}/conversation`;
    const paused = await start(browser, id, '/call lookup {}\n/say done');
    expect(paused.body.run_status).toBe('waiting_for_client_action');
    const { conversation_id, client_tool_calls } = paused.body;
    const tool_results = [{ call_id: client_tool_calls[0].call_id, output: {} }];
    expect((await browser.send('POST', path, { body: { conversation_id, tool_results } })).body.content).toBe('done');
    const more = { conversation_id, content: textContent('More') };
    expect((await browser.send('POST', path, { body: more })).body.content).toBe('You said: More');
    expect((await browser.send('GET', `${path}/${conversation_id}/history`)).status).toBe(200);
    const messages = `/v1/runner/conversation/${conversation_id}/messages`;
    expect((await browser.send('GET', messages)).status).toBe(200);
    expect((await service.send('GET', messages, { key: service.keys.live })).status).toBe(200);
    expect((await service.send('GET', messages, { key: service.keys.test })).status).toBe(404);
    const read = 'query ($id: ID!) { conversation(id: $id) { name } }';
    expect((await browser.graphql(read, { id: conversation_id })).body.data.conversation).not.toBeNull();
    expectError(await service.send('GET', messages, { key: null }), 'unauthorized');
  });

  it('has no lists and no access to other deployments', async () => {
    const [{ id, browser }, other] = [await hosted(), await hosted()];
    const lists = [`/v1/runner/${id}/conversations`, '/v1/runner/conversations', `/v1/runner/${id}/triggers`, '/v1/me'];
    for (const path of lists) expectError(await browser.send('GET', path), 'unauthorized');
    expectGraphqlError(await browser.graphql('{ conversations { totalCount } }'), 'unauthorized');
    expectError(await start(browser, other.id), 'unauthorized');
    // Nor under the name of the other's cookie.
    expectError(await start(browserWith(browserCookie(other.id, other.cookie, id)), id), 'unauthorized');
  });

  it('can be a visitor of several deployments in one browser', async () => {
    const [one, two] = [await hosted(), await hosted()];
    const both = browserWith(`${one.cookie}; ${two.cookie}`);
    expect([(await start(both, one.id)).status, (await start(both, two.id)).status]).toEqual([200, 200]);
  });

  it('loses access while the page is off or unpublished, and regains it afterwards', async () => {
    const { id, browser } = await hosted();
    await setHosted(id, false);
    expectError(await start(browser, id), 'unauthorized');
    await setHosted(id, true);
    expect((await start(browser, id)).status).toBe(200);
    await service.graphql(
      'mutation ($id: ID!) { unpublishDeployment(input: { deploymentId: $id }) { __typename ... on UnpublishDeploymentPayload { deployment { deploymentId } } ... on Error { code message path } } }',
      { id },
    );
    expectError(await start(browser, id), 'unauthorized');
  });

  it('is disconnected during a reply when the page is turned off', async () => {
    const { id, cookie } = await hosted();
    const document = `subscription ($id: ID!) { replyStream(input: { deploymentId: $id
      content: [{ text: "/slow 60\\n/say late" }] }) { event } }`;
    const stream = await subscribe(service, document, { id }, null, { cookie });
    expect((await stream.next()).data.replyStream.event).toBe('START');
    await setHosted(id, false);
    let last = await stream.next();
    while (last?.data?.replyStream.event === 'DELTA') last = await stream.next();
    expect(last.errors[0].extensions.code).toBe('UNAUTHORIZED');
    expect(await stream.next()).toBeUndefined();
  });

  it('has no access with a changed or expired cookie, or one of another key', async () => {
    const { id, cookie } = await hosted();
    const [name, token = ''] = cookie.split('=');
    const seal = (secret: string, until: number) =>
      Buffer.from(new SecretBox(secret).seal(JSON.stringify(['v', until]), `visitor of ${id}`)).toString('base64url');
    const later = Date.now() + 60_000;
    const changed = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const bad of [
      changed,
      '',
      'x',
      seal(SECRET, Date.now() - 1),
      seal('a secret of somebody else, long enough', later),
    ]) {
      expectError(await start(browserWith(`${name}=${bad}`), id), 'unauthorized');
    }
    // A previous SECRET_KEY still opens it.
    expect((await start(browserWith(`${name}=${seal(SECRET, later)}`), id)).status).toBe(200);
  });

  it('has no access from a page of another origin', async () => {
    const { id, browser } = await hosted();
    expectError(await start(browser, id, 'Hi', { 'sec-fetch-site': 'same-site' }), 'unauthorized');
    expectError(await start(browser, id, 'Hi', { origin: 'https://evil.com' }), 'unauthorized');
    expect((await start(browser, id, 'Hi', { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('is not checked against the allowlist, unlike other callers', async () => {
    const { id, browser } = await hosted({ authRequired: false, allowlist: ['shop.example.com'] });
    expect((await start(browser, id, 'Hi', { origin: browser.url })).status).toBe(200);
    expectError(await start(service, id, 'Hi', { authorization: '', origin: browser.url }), 'origin_not_allowed');
  });
});

describe('a credential next to the cookie', () => {
  it('takes precedence in a header', async () => {
    const { id, browser } = await hosted();
    const bad = `sk_live_${'a'.repeat(43)}`;
    const turn = { body: { content: textContent('Hi') } };
    expectError(await browser.send('POST', `/v2/runner/${id}/conversation`, { ...turn, key: bad }), 'unauthorized');
  });

  it('is ignored if it is a session cookie without access, so the browser is a visitor', async () => {
    const { id, cookie } = await hosted();
    const { id: workspaceId } = await makeWorkspace(service);
    const stranger = await openSessionOf(service, await makeMember(service, 'owner', { workspaceId }));
    const own = { 'sec-fetch-site': 'same-origin' };
    for (const token of [stranger, await openSession(service, 'viewer')]) {
      const both = browserWith(`${cookie}; parley_session=${token}`);
      const { body } = await start(both, id, 'Hi', own);
      expect(body.content).toBe('You said: Hi');
      expect((await both.send('GET', '/v1/me')).status).toBe(200);
    }
    const member = await openSession(service, 'developer');
    const test = await start(browserWith(`${cookie}; parley_session=${member}`), id, 'Hi', {
      ...own,
      'x-environment': 'test',
    });
    const messages = `/v1/runner/conversation/${test.body.conversation_id}/messages`;
    expect((await service.send('GET', messages, { key: service.keys.test })).status).toBe(200);
  });
});

describe('visitors are limited', () => {
  const wrong = (browser: Client, id: string, from?: string) =>
    browser.send('POST', `/v2/runner/${id}/conversation`, {
      body: {},
      headers: { ...(from && { 'x-forwarded-for': from }) },
    });

  const rejectedCount = (codes: readonly number[]) => codes.filter((status) => status === 429).length;

  it('to 60 starts per minute and IP address, like any caller without credentials', async () => {
    const { id, browser } = await hosted();
    const many = Array.from({ length: 61 }, (_, index) => index);
    const sameAddress = await Promise.all(many.map(async () => (await wrong(browser, id)).status));
    expect(rejectedCount(sameAddress)).toBe(1);
    expect((await wrong(browser, id, '2001:db8:ffff:1::1')).status).toBe(400);
  });
});

/** The token of one deployment's cookie under the name of another's. */
function browserCookie(from: string, cookie: string, to: string): string {
  return cookie.replace(from, to);
}

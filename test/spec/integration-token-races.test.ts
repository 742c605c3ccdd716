import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { publishScripted } from '../support/actions.ts';
import {
  ALL_TOOLS,
  disconnect,
  moveTo,
  NEEDS_SIGN_IN,
  NO_SIGN_IN,
  receivedBy,
  respond,
  SignIns,
  signIn,
  signInOf,
  signOut,
  started,
  startProblem,
  storedSignIn,
  toolsOf,
  updateIntegration,
} from '../support/integration-sign-in.ts';
import { holdNext, type OAuthPair } from '../support/oauth-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
let session: string;
const signIns = new SignIns(() => ({ service, session }));

beforeAll(async () => {
  service = await startService();
  session = await openSession(service, 'owner');
});
afterAll(() => service?.close());
afterEach(() => signIns.close());

/** Waits for the requests that revoke tokens. Returns the tokens. */
async function revocations(pair: OAuthPair, count: number): Promise<readonly (string | null)[]> {
  await until(async () => pair.at('/revoke').length >= count);
  const tokens = pair.at('/revoke').map(({ body }) => body.get('token'));
  expect(tokens).toEqual(Array(count).fill(expect.stringMatching(/^refresh-/)));
  return tokens;
}

const expired = () => ({ tokens: { expires_in: 0 } });

describe('the tokens of a server', () => {
  it('do not go to the former URL with a request that began before the change', async () => {
    const { pair, id } = await signIns.signedIn(expired());
    const other = await signIns.startPair();
    const held = holdNext(pair, '/token');
    const list = toolsOf(service, id);
    await held.arrived;
    await updateIntegration(service, id, { url: other.mcp.url });
    expect(await signIn(service, session, other, id)).toBe('done');
    held.release();
    expect(await list).toBe('The URL of the integration was changed. Try again.');
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
    const [token] = receivedBy(other);
    expect(token).toMatch(/^Bearer access-/);
    expect(receivedBy(pair)).not.toContain(token);
  });

  it('do not go to another URL that was stored without a new sign-in', async () => {
    const { id } = await signIns.signedIn();
    const other = await signIns.startPair();
    await moveTo(service, id, other.mcp.url);
    expect(await toolsOf(service, id)).toBe(NEEDS_SIGN_IN);
    expect(receivedBy(other)).toEqual([]);
  });

  it('are not requested after a start during which the URL changed', async () => {
    const { pair, id } = await signIns.connected();
    const held = holdNext(pair, '/register');
    const problem = startProblem(service, session, id);
    await held.arrived;
    await updateIntegration(service, id, { url: `${pair.mcp.url}?other` });
    held.release();
    expect(await problem).toContain('was changed at the same time');
    expect(await storedSignIn(service, id)).toEqual(NO_SIGN_IN);
  });

  it('are not requested with the response for another URL', async () => {
    const { pair, id } = await signIns.connected();
    const { url, cookie } = await started(service, session, id);
    await moveTo(service, id, (await signIns.startPair()).mcp.url);
    expect(await respond(service, pair.allow(url), { session, cookie })).toBe('expired');
    expect(pair.at('/token')).toEqual([]);
  });
});

describe('the exchange of tokens', () => {
  it('keeps its result although a member starts a sign-in meanwhile, and the sign-in works too', async () => {
    const { pair, id } = await signIns.signedIn(expired());
    pair.options.tokens = {};
    const held = holdNext(pair, '/token');
    const list = toolsOf(service, id);
    await held.arrived;
    const attempts = [await started(service, session, id), await started(service, session, id)];
    held.release();
    expect(await list).toEqual(ALL_TOOLS);
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
    expect(pair.at('/token')).toHaveLength(2);
    const { url = '', cookie } = attempts[1] ?? {};
    expect(await respond(service, pair.allow(url), { session, cookie })).toBe('done');
  });

  it('that fails while a member starts a sign-in leaves the tokens', async () => {
    const { pair, id } = await signIns.signedIn(expired());
    const held = holdNext(pair, '/token');
    const list = toolsOf(service, id);
    await held.arrived;
    await started(service, session, id);
    pair.options.answer = (path, response) => path === '/token' && Boolean(response.writeHead(503).end('busy'));
    held.release();
    expect(await list).toBe('The authorization server failed. Try again later.');
    expect((await signInOf(service, id)).state).toBe('SIGNED_IN');
  });

  it('does not replace the tokens of a new sign-in', async () => {
    const { pair, id } = await signIns.signedIn(expired());
    pair.options.tokens = {};
    const { url, cookie } = await started(service, session, id);
    const held = holdNext(pair, '/token');
    const list = toolsOf(service, id);
    await held.arrived;
    expect(await respond(service, pair.allow(url), { session, cookie })).toBe('done');
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
    const [current] = receivedBy(pair);
    held.release();
    expect(await list).toEqual(ALL_TOOLS);
    expect(receivedBy(pair).every((token) => token === current)).toBe(true);
    // The server could then revoke all tokens of the member.
    expect(pair.at('/revoke')).toEqual([]);
  });

  it('stores nothing after a sign-out, and revokes both refresh tokens', async () => {
    const { pair, id } = await signIns.signedIn(expired());
    const held = holdNext(pair, '/token');
    const list = toolsOf(service, id);
    await held.arrived;
    await signOut(service, id);
    held.release();
    expect(await list).toBe(NEEDS_SIGN_IN);
    expect(await signInOf(service, id)).toMatchObject({ state: 'NEEDED', renewsAutomatically: false });
    expect(new Set(await revocations(pair, 2)).size).toBe(2);
  });
});

describe('the exchange of a code', () => {
  it('keeps its result although other tokens are exchanged, and another sign-in starts meanwhile', async () => {
    const { pair, id } = await signIns.signedIn(expired());
    pair.options.tokens = {};
    const { url, cookie } = await started(service, session, id);
    const held = holdNext(pair, '/token');
    const outcome = respond(service, pair.allow(url), { session, cookie });
    await held.arrived;
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
    const newer = await started(service, session, id);
    held.release();
    expect(await outcome).toBe('done');
    expect(await respond(service, pair.allow(newer.url), { session, ...newer })).toBe('done');
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
  });

  it.each([
    ['a sign-out', (id: string) => signOut(service, id)],
    ['another URL', async (id: string) => updateIntegration(service, id, { url: 'http://127.0.0.1:9/mcp' })],
    ['a disconnect', (id: string) => disconnect(service, id)],
  ])('stores nothing after %s, and revokes what it got', async (_, end) => {
    const { pair, id } = await signIns.connected();
    const { url, cookie } = await started(service, session, id);
    const held = holdNext(pair, '/token');
    const outcome = respond(service, pair.allow(url), { session, cookie });
    await held.arrived;
    await end(id);
    held.release();
    expect(await outcome).toBe('expired');
    expect(await storedSignIn(service, id)).toEqual(NO_SIGN_IN);
    await revocations(pair, 1);
  });

  it('leaves scopes that the server has asked for since the sign-in began', async () => {
    const { pair, name, id } = await signIns.signedIn({
      scopes: { admin: 'admin' },
      resource: { scopes_supported: ['read'] },
    });
    const server = { name: 'desk', integration: name, approval: { mode: 'NEVER' } };
    const { call } = await publishScripted(service, workflowsOf(service), { mcpServers: [server] });
    const { url, cookie } = await started(service, session, id);
    await call('/call desk_admin {}');
    expect(await respond(service, pair.allow(url), { session, cookie })).toBe('done');
    expect(await signInOf(service, id)).toMatchObject({ state: 'INCOMPLETE', scopes: ['read', 'admin'] });
    expect(await signIn(service, session, pair, id)).toBe('done');
    expect(await signInOf(service, id)).toMatchObject({ state: 'SIGNED_IN', scopes: ['read', 'admin'] });
  });
});

describe('a request that waits for a token', () => {
  it('fails after its time limit, and the token is stored for others', async () => {
    const { pair, name, id } = await signIns.signedIn();
    const server = { name: 'desk', integration: name, timeoutSeconds: 1, approval: { mode: 'NEVER' } };
    const { call } = await publishScripted(service, workflowsOf(service), { mcpServers: [server] });
    await call('/call desk_weather {}');
    pair.revokeAccess();
    const held = holdNext(pair, '/token');
    const { outputs } = await call('/call desk_weather {}');
    const error = 'The authorization server did not issue a new access token within 1 s.';
    expect(outputs).toEqual([{ error }]);
    held.release();
    await until(async () => pair.at('/token').length === 2 && !(await isRefreshing(id)));
    expect(JSON.stringify((await call('/call desk_weather {}')).outputs)).toContain('Sunny');
    expect(pair.at('/token')).toHaveLength(2);
  });

  it('ends with its turn, and the token is stored for others', async () => {
    const { pair, name, id } = await signIns.signedIn();
    const server = { name: 'desk', integration: name, timeoutSeconds: 60, approval: { mode: 'NEVER' } };
    const { call, turn } = await publishScripted(service, workflowsOf(service), { mcpServers: [server] });
    const { conversationId } = await call('/call desk_weather {}');
    pair.revokeAccess();
    const held = holdNext(pair, '/token');
    const stopped = turn('/call desk_weather {}', { conversation_id: conversationId });
    await held.arrived;
    const document = `mutation ($id: ID!) { stopTurn(input: { conversationId: $id }) { __typename } }`;
    await service.graphql(document, { id: conversationId });
    expect((await stopped).body.run_status).not.toBe('completed');
    held.release();
    await until(async () => pair.at('/token').length === 2 && !(await isRefreshing(id)));
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
    expect(pair.at('/token')).toHaveLength(2);
  });
});

async function isRefreshing(id: string): Promise<boolean> {
  const { signIn: state } = await storedSignIn(service, id);
  return (state as { readonly status: string }).status === 'refreshing';
}

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { publishScripted } from '../support/actions.ts';
import {
  ALL_TOOLS,
  changeState,
  disconnect,
  NEEDS_SIGN_IN,
  NO_SIGN_IN,
  SignIns,
  signIn,
  signInOf,
  signOut,
  startProblem,
  storedSignIn,
  toolsOf,
  updateIntegration,
} from '../support/integration-sign-in.ts';
import type { OAuthPair } from '../support/oauth-server.ts';
import { errorOf, resultOf } from '../support/results.ts';
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

const isRevoked = ({ at }: OAuthPair) =>
  until(async () => at('/revoke').some(({ body }) => body.get('token')?.startsWith('refresh-')));

describe('the tokens', () => {
  it('are exchanged before they expire, by one of many requests', async () => {
    const { pair, id } = await signIns.signedIn({ tokens: { expires_in: 0 } });
    pair.options.tokens = {};
    const lists = await Promise.all([1, 2, 3, 4, 5].map(() => toolsOf(service, id)));
    expect(lists).toEqual(lists.map(() => ALL_TOOLS));
    const grants = pair.at('/token').map(({ body }) => body.get('grant_type'));
    expect(grants).toEqual(['authorization_code', 'refresh_token']);
    expect(pair.at('/token')[1]?.body.get('resource')).toBe(pair.mcp.url);
  });

  it('are exchanged once if the server refuses a fresh one', async () => {
    const { pair, id } = await signIns.signedIn();
    pair.revokeAccess();
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
    expect(pair.at('/token')).toHaveLength(2);
    expect((await signInOf(service, id)).state).toBe('SIGNED_IN');
  });

  it('are given up if the server refuses the exchanged one too', async () => {
    const { pair, id } = await signIns.signedIn();
    pair.mcp.respondWith((response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
    expect(await toolsOf(service, id)).toBe(NEEDS_SIGN_IN);
    expect(pair.at('/token')).toHaveLength(2);
    expect(await signInOf(service, id)).toMatchObject({
      state: 'NEEDED',
      problem: 'The MCP server no longer accepts the sign-in.',
      renewsAutomatically: false,
    });
    expect(await toolsOf(service, id)).toBe(NEEDS_SIGN_IN);
    expect(pair.at('/token')).toHaveLength(2);
  });

  it('are given up if the authorization server refuses the refresh token, and a new sign-in works', async () => {
    const { pair, id } = await signIns.signedIn({ tokens: { expires_in: 0 } });
    pair.revokeRefresh();
    expect(await toolsOf(service, id)).toBe(NEEDS_SIGN_IN);
    expect(await signInOf(service, id)).toMatchObject({
      state: 'NEEDED',
      problem: 'The authorization server refused the request (invalid_grant). Sign in again.',
      lastError: NEEDS_SIGN_IN,
    });
    expect(await signIn(service, session, pair, id)).toBe('done');
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
  });

  it('stay if the authorization server fails, and the next attempt waits some seconds', async () => {
    const { pair, id } = await signIns.signedIn({ tokens: { expires_in: 0 } });
    pair.options.answer = (path, response) => path === '/token' && Boolean(response.writeHead(503).end('busy'));
    expect(await toolsOf(service, id)).toBe('The authorization server failed. Try again later.');
    expect(await toolsOf(service, id)).toContain('The next attempt is in a few seconds');
    expect(pair.at('/token')).toHaveLength(2);
    expect((await signInOf(service, id)).state).toBe('SIGNED_IN');
  });

  it('of a process that died during the exchange need a new sign-in', async () => {
    const { pair, id } = await signIns.signedIn();
    const state = {
      ...((await storedSignIn(service, id)).signIn as object),
      status: 'refreshing',
      busyUntil: new Date(0).toISOString(),
    };
    await service.service.services.stores.prisma.integration.updateMany({ where: { id }, data: { signIn: state } });
    expect(await toolsOf(service, id)).toBe(NEEDS_SIGN_IN);
    expect(await signInOf(service, id)).toMatchObject({
      state: 'NEEDED',
      problem: expect.stringContaining('interrupted'),
    });
    expect(pair.at('/token')).toHaveLength(1);
  });

  it('without a refresh token work until they expire', async () => {
    const { pair, id } = await signIns.signedIn({ tokens: { refresh_token: undefined, expires_in: 20 } });
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
    expect((await signInOf(service, id)).renewsAutomatically).toBe(false);
    await updateIntegration(service, id, { name: 'Renamed' });
    expect((await signInOf(service, id)).state).toBe('SIGNED_IN');
    await changeState(service, id, { expiresAt: new Date(0).toISOString() });
    expect(await toolsOf(service, id)).toBe(NEEDS_SIGN_IN);
    expect(await signInOf(service, id)).toMatchObject({ state: 'NEEDED', problem: 'The sign-in has expired.' });
    expect(pair.at('/token')).toHaveLength(1);
  });

  it('that expire at once are exchanged once for each request', async () => {
    const { pair, id } = await signIns.signedIn({ tokens: { expires_in: 0 } });
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
    expect(pair.at('/token')).toHaveLength(3);
  });

  it.each([
    ['is no bearer token', { token_type: 'DPoP' }],
    ['cannot be a header', { access_token: 'two\nlines' }],
    ['is too long', { access_token: 'x'.repeat(8_001) }],
  ])('are rejected if one %s', async (_, tokens) => {
    const { pair, id } = await signIns.connected({ tokens });
    expect(await signIn(service, session, pair, id)).toBe('failed');
  });

  it('are deleted and revoked if the integration gets another URL, or an Authorization header', async () => {
    const { pair, id } = await signIns.signedIn();
    expect(resultOf(await updateIntegration(service, id, { url: `${pair.mcp.url}?other` })).signIn.state).toBe(
      'NOT_NEEDED',
    );
    expect(await storedSignIn(service, id)).toEqual(NO_SIGN_IN);
    await isRevoked(pair);
    const second = await signIns.signedIn();
    await updateIntegration(service, second.id, { headers: [{ name: 'authorization', value: 'Bearer own' }] });
    expect(await storedSignIn(service, second.id)).toEqual(NO_SIGN_IN);
    await isRevoked(second.pair);
    expect(await startProblem(service, session, second.id)).toContain('Remove the header');
  });

  it('are deleted and revoked by a sign-out, and when the integration is disconnected', async () => {
    const { pair, id } = await signIns.signedIn();
    expect(resultOf(await signOut(service, id)).signIn.state).toBe('NOT_NEEDED');
    expect(await storedSignIn(service, id)).toEqual(NO_SIGN_IN);
    expect(pair.at('/revoke').map(({ body }) => body.get('token'))).toEqual([expect.stringMatching(/^refresh-/)]);
    expect(await toolsOf(service, id)).toBe(NEEDS_SIGN_IN);
    const second = await signIns.signedIn();
    await disconnect(service, second.id);
    expect(await storedSignIn(service, second.id)).toEqual(NO_SIGN_IN);
    await isRevoked(second.pair);
    expect(errorOf(await signOut(service, second.id))?.code).toBe('invalid_request');
  });

  it('are deleted by a sign-out although the authorization server is gone', async () => {
    const { pair, id } = await signIns.signedIn();
    pair.options.answer = (_, response) => Boolean(response.destroy());
    expect(resultOf(await signOut(service, id)).signIn.state).toBe('NOT_NEEDED');
    expect(await storedSignIn(service, id)).toEqual(NO_SIGN_IN);
  });
});

describe('further scopes', () => {
  it('are asked for in the next sign-in, and the other tools work until then', async () => {
    const { pair, name, id } = await signIns.signedIn({
      scopes: { admin: 'admin' },
      resource: { scopes_supported: ['read'] },
    });
    const server = { name: 'desk', integration: name, approval: { mode: 'NEVER' } };
    const { call } = await publishScripted(service, workflowsOf(service), { mcpServers: [server] });
    expect(JSON.stringify((await call('/call desk_admin {}')).outputs)).toContain('asks for further permissions');
    expect(await signInOf(service, id)).toMatchObject({
      state: 'INCOMPLETE',
      scopes: ['read', 'admin'],
      problem: 'The MCP server asks for further permissions.',
    });
    expect(JSON.stringify((await call('/call desk_weather {}')).outputs)).toContain('Sunny');
    expect(await signIn(service, session, pair, id)).toBe('done');
    expect(JSON.stringify((await call('/call desk_admin {}')).outputs)).toContain('Done');
    expect((await signInOf(service, id)).state).toBe('SIGNED_IN');
  });

  it('are asked for a limited number of times', async () => {
    const { pair, name, id } = await signIns.signedIn();
    const server = { name: 'desk', integration: name, approval: { mode: 'NEVER' } };
    const { call } = await publishScripted(service, workflowsOf(service), { mcpServers: [server] });
    for (let index = 0; index < 8; index += 1) {
      pair.options.scopes = { admin: `scope-${index}` };
      await call('/call desk_admin {}');
    }
    expect((await signInOf(service, id)).scopes).toHaveLength(5);
  });
});

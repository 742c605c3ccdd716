import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { publishScripted } from '../support/actions.ts';
import {
  ALL_TOOLS,
  NEEDS_SIGN_IN,
  receivedBy,
  SignIns,
  signInOf,
  started,
  toolsOf,
  updateIntegration,
} from '../support/integration-sign-in.ts';
import type { OAuthOptions } from '../support/oauth-server.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';
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

/** A function that calls a tool of an open server, and returns its output as text. */
async function calling(options: OAuthOptions) {
  const { pair, name, id } = await signIns.connected({ isOpen: () => true, ...options });
  const server = { name: 'desk', integration: name, approval: { mode: 'NEVER' } };
  const { call } = await publishScripted(service, workflowsOf(service), { mcpServers: [server] });
  return {
    ...{ pair, id },
    call: async (tool: string) => JSON.stringify((await call(`/call desk_${tool} {}`)).outputs),
  };
}

const stateOf = async (id: string) => (await signInOf(service, id)).state;

describe('the need for a sign-in', () => {
  it.each([
    ['without a challenge', {}],
    ['with a challenge of another kind', { 'www-authenticate': 'Basic realm="mcp"' }],
  ])('does not begin with a 401 %s', async (_, headers) => {
    const { pair, id } = await signIns.connected();
    pair.mcp.respondWith((response) => response.writeHead(401, headers).end());
    expect(await toolsOf(service, id)).toBe('The MCP server responded with 401: it rejected the credentials.');
    expect(await stateOf(id)).toBe('NOT_NEEDED');
  });

  it('ends when the server accepts the request that it refused, and not with another one', async () => {
    const { pair, id, call } = await calling({});
    pair.options.refuse = ({ message }) =>
      message?.params?.name === 'weather' ? { status: 401, challenge: 'Bearer' } : undefined;
    expect(await call('weather')).toContain(NEEDS_SIGN_IN);
    expect(await call('admin')).toContain('Done');
    expect(await signInOf(service, id)).toMatchObject({
      state: 'NEEDED',
      problem: 'The MCP server asks for a sign-in.',
    });
    pair.options.refuse = undefined;
    expect(await call('weather')).toContain('Sunny');
    expect(await signInOf(service, id)).toMatchObject({ state: 'NOT_NEEDED', problem: null });
    expect(receivedBy(pair)).toEqual([]);
  });

  it('stays for a tool that needs further scopes, and the others work', async () => {
    const { pair, id, call } = await calling({});
    pair.options.refuse = ({ message }) =>
      message?.params?.name === 'admin'
        ? { status: 403, challenge: 'Bearer error="insufficient_scope", scope="admin"' }
        : undefined;
    expect(await call('admin')).toContain('asks for further permissions');
    expect(await call('weather')).toContain('Sunny');
    expect(await signInOf(service, id)).toMatchObject({ state: 'NEEDED', scopes: ['admin'] });
  });

  it('ends with other headers, and the client ID that a member entered stays', async () => {
    const { id } = await signIns.connected();
    await toolsOf(service, id);
    expect(await stateOf(id)).toBe('NEEDED');
    await started(service, session, id, { clientId: 'parley-1' });
    const headers = [{ name: 'x-key', value: 'a key' }];
    expect(resultOf(await updateIntegration(service, id, { headers })).signIn.state).toBe('NOT_NEEDED');
    expect(await stateOf(id)).toBe('NOT_NEEDED');
    const { url } = await started(service, session, id);
    expect(new URL(url).searchParams.get('client_id')).toBe('parley-1');
  });

  it('ends with another URL', async () => {
    const { pair, id } = await signIns.connected();
    await toolsOf(service, id);
    await updateIntegration(service, id, { url: `${pair.mcp.url}?other` });
    expect(await stateOf(id)).toBe('NOT_NEEDED');
  });
});

describe('a sign-in', () => {
  it('stays if the integration gets other headers', async () => {
    const { pair, id } = await signIns.signedIn();
    const headers = [{ name: 'x-key', value: 'a key' }];
    expect(resultOf(await updateIntegration(service, id, { headers })).signIn.state).toBe('SIGNED_IN');
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
    expect(receivedBy(pair)[0]).toMatch(/^Bearer access-/);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import {
  ALL_TOOLS,
  connectPair,
  NEEDS_SIGN_IN,
  respond,
  SignIns,
  signIn,
  signInOf,
  signOut,
  start,
  started,
  startProblem,
  toolsOf,
} from '../support/integration-sign-in.ts';
import { errorOf, resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeWorkspace, openSession } from '../support/tenants.ts';
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

describe('the sign-in to an MCP server', () => {
  it('is needed after the server has asked for one, and then its tools work', async () => {
    const { pair, id } = await signIns.connected();
    expect(await signInOf(service, id)).toMatchObject({ state: 'NOT_NEEDED', problem: null, scopes: [] });
    expect(await toolsOf(service, id)).toBe(NEEDS_SIGN_IN);
    expect(await signInOf(service, id)).toMatchObject({
      state: 'NEEDED',
      problem: 'The MCP server asks for a sign-in.',
      lastError: NEEDS_SIGN_IN,
    });
    const { url, cookie } = await started(service, session, id);
    const asked = Object.fromEntries(new URL(url).searchParams);
    expect(asked).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: pair.mcp.url,
      redirect_uri: `http://127.0.0.1/sign-in/integration/callback/${id}`,
    });
    expect(await respond(service, pair.allow(url), { session, cookie })).toBe('done');
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
    const state = await signInOf(service, id, session);
    expect(state).toMatchObject({
      state: 'SIGNED_IN',
      problem: null,
      issuer: pair.issuer,
      renewsAutomatically: true,
      signedInBy: { email: expect.stringContaining('@') },
    });
    expect(Date.parse(state.accessExpiresAt) - Date.now()).toBeGreaterThan(3_500_000);
    expect(pair.at('/token').map(({ body }) => body.get('resource'))).toEqual([pair.mcp.url]);
  });

  it('serves the workflows of its environment, and the model never gets the token', async () => {
    const { pair, name } = await signIns.signedIn();
    const server = { name: 'desk', integration: name, approval: { mode: 'NEVER' } };
    const { call } = await publishScripted(service, workflowsOf(service), { mcpServers: [server] });
    const { outputs } = await call('/call desk_weather {}\n/call desk_echo {}');
    expect(JSON.stringify(outputs)).toContain('Sunny');
    expect(JSON.stringify(outputs)).toContain('You sent [secret]');
    expect(JSON.stringify(outputs)).not.toContain('access-');
    expect(pair.mcp.requests.some(({ headers }) => headers.authorization?.startsWith('Bearer access-'))).toBe(true);
  });

  it('leaves no token in the API, the log of the service, the audit log and exports', async () => {
    const { id, pair } = await signIns.signedIn();
    const entries = await service.graphql(
      '{ auditLog(first: 20) { nodes { action subjectId details } } }',
      {},
      { key: session },
    );
    const { nodes } = entries.body.data.auditLog;
    expect(
      nodes.find(({ action, subjectId }: never) => action === 'INTEGRATION_SIGNED_IN' && subjectId === id),
    ).toMatchObject({
      details: { issuer: pair.issuer },
    });
    const exported = await fetch(`${service.url}/v1/export`, { headers: { 'x-api-key': service.key } });
    const texts = [JSON.stringify(entries.body), service.logLines.join('\n'), await exported.text()];
    const { prisma } = service.service.services.stores;
    texts.push(JSON.stringify(await prisma.integration.findMany({ omit: { sealedSignIn: true } })));
    const secrets = pair.mcp.requests.map(({ headers }) => headers.authorization?.slice(7) ?? 'access-');
    for (const secret of ['access-', 'refresh-', 'code-', ...secrets]) {
      for (const text of texts) expect(text.includes(secret)).toBe(false);
    }
  });

  it('finds the authorization server without a description of the MCP server', async () => {
    const { pair, id } = await signIns.connected({ resource: null, challenge: 'realm="mcp"' });
    // The authorization server then has the origin of the MCP server, which describes nothing in this test.
    expect(await startProblem(service, session, id)).toMatch(/^The sign-in could not be started/);
    pair.options.challenge = `resource_metadata="${pair.issuer}/resource"`;
    pair.options.resource = {};
    expect(await signIn(service, session, pair, id)).toBe('done');
  });

  it('finds an authorization server by the discovery of OpenID Connect', async () => {
    const pair = await signIns.startPair({
      answer: (path, response) => {
        if (path === '/.well-known/oauth-authorization-server') response.writeHead(404).end();
        else if (path === '/.well-known/openid-configuration') {
          const members = {
            issuer: pair.issuer,
            authorization_endpoint: `${pair.issuer}/authorize`,
            token_endpoint: `${pair.issuer}/token`,
            registration_endpoint: `${pair.issuer}/register`,
            jwks_uri: `${pair.issuer}/jwks`,
            response_types_supported: ['code'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: ['RS256'],
            code_challenge_methods_supported: ['S256'],
          };
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(members));
        } else return false;
        return true;
      },
    });
    const id = await connectPair(service, pair, 'By OpenID');
    expect(await signIn(service, session, pair, id)).toBe('done');
    expect(await toolsOf(service, id)).toEqual(ALL_TOOLS);
  });

  it('asks for the scopes of the challenge, and otherwise for those of the description', async () => {
    const { pair, id } = await signIns.connected({ resource: { scopes_supported: ['read', 'write'] } });
    const scopeOf = async () => new URL((await started(service, session, id)).url).searchParams.get('scope');
    expect(await scopeOf()).toBe('read write');
    pair.options.challenge = `resource_metadata="${pair.issuer}/resource", scope="read"`;
    expect(await scopeOf()).toBe('read');
    pair.options.metadata = { scopes_supported: ['read', 'offline_access'] };
    expect(await scopeOf()).toBe('read offline_access');
  });

  it('registers once, and uses the client again', async () => {
    const { pair, id } = await signIns.connected();
    const [first, second] = [await started(service, session, id), await started(service, session, id)];
    const clientOf = ({ url }: { readonly url: string }) => new URL(url).searchParams.get('client_id');
    expect(clientOf(first)).toBe(clientOf(second));
    expect(pair.at('/register').map(({ json }) => json)).toEqual([
      expect.objectContaining({
        client_name: 'Parley',
        redirect_uris: [`http://127.0.0.1/sign-in/integration/callback/${id}`],
        grant_types: ['authorization_code', 'refresh_token'],
      }),
    ]);
  });

  it('uses the client that a member enters, and only at the authorization server that it belongs to', async () => {
    const { pair, id } = await signIns.connected({ metadata: { registration_endpoint: undefined } });
    expect(await startProblem(service, session, id)).toContain('Enter a client ID');
    expect(await startProblem(service, session, id, { clientSecret: 'x' })).toContain('required with a client secret');
    const client = { clientId: 'parley-1', clientSecret: 'the secret of a client' };
    expect(await signIn(service, session, pair, id, client)).toBe('done');
    const basic = Buffer.from('parley-1:the secret of a client').toString('base64');
    expect(pair.at('/token').map(({ authorization }) => authorization)).toEqual([`Basic ${basic}`]);
    expect(pair.at('/register')).toEqual([]);
    const other = await signIns.startPair();
    pair.options.resource = { authorization_servers: [other.issuer] };
    expect(await startProblem(service, session, id)).toContain('names another authorization server than before');
    expect(other.at('/token')).toEqual([]);
  });

  it('uses its document as the client ID if the authorization server reads such documents', async () => {
    const settings = service.service.services.settings as { publicUrl: string };
    const before = settings.publicUrl;
    settings.publicUrl = 'https://parley.example.com';
    try {
      const { pair, id } = await signIns.connected({ metadata: { client_id_metadata_document_supported: true } });
      const response = resultOf(await start(service, session, id));
      const clientId = new URL(response.authorizationUrl).searchParams.get('client_id');
      expect(clientId).toBe(`https://parley.example.com/oauth/client/${id}.json`);
      expect(pair.at('/register')).toEqual([]);
      const document = await service.send('GET', `/oauth/client/${id}.json`, { key: null });
      expect(document.body).toEqual({
        client_id: clientId,
        client_uri: 'https://parley.example.com',
        client_name: 'Parley',
        redirect_uris: [`https://parley.example.com/sign-in/integration/callback/${id}`],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      });
    } finally {
      settings.publicUrl = before;
    }
  });
});

describe('a sign-in', () => {
  it('needs a session with the scope, and its own environment', async () => {
    const { id } = await signIns.connected();
    const withKey = await start(service, service.key, id);
    expect(errorOf(withKey)?.message).toContain('Only a signed-in member');
    const viewer = await start(service, await openSession(service, 'viewer'), id);
    expect(viewer.body.errors[0].extensions.code).toBe('FORBIDDEN');
    const test = await start(service, session, id, {}, { 'x-environment': 'test' });
    expect(errorOf(test)?.code).toBe('not_found');
    const other = await makeWorkspace(service);
    expect(errorOf(await signOut(service, id, other.keys.live))?.code).toBe('not_found');
    expect(errorOf(await start(service, session, 'int_00000000000000000000000000'))?.code).toBe('not_found');
  });

  it('of the test environment returns to that environment', async () => {
    const pair = await signIns.startPair();
    const id = await connectPair(service, pair, 'Test desk', service.keys.test);
    const { url, cookie } = await started(service, session, id, {}, { 'x-environment': 'test' });
    expect(await respond(service, pair.allow(url), { session, cookie })).toBe('done');
    expect(await toolsOf(service, id, service.keys.test)).toEqual(ALL_TOOLS);
  });

  it('is refused for an HTTP API', async () => {
    const id = await connect(service, { kind: 'http', name: 'An API', url: 'http://127.0.0.1:9' });
    expect(await startProblem(service, session, id)).toContain('must be a connected MCP server');
  });
});

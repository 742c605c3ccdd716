import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../support/actions.ts';
import { NO_SIGN_IN, respond, SignIns, started, startProblem, storedSignIn } from '../support/integration-sign-in.ts';
import type { OAuthOptions } from '../support/oauth-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
let session: string;
const signIns = new SignIns(() => ({ service, session }));

beforeAll(async () => {
  service = await startService();
  session = await openSession(service, 'owner');
});
afterAll(() => service?.close());
afterEach(() => signIns.close());

const registered = (fields: object) =>
  JSON.stringify({ redirect_uris: ['http://127.0.0.1/'], client_id: 'parley-1', ...fields });

describe('an authorization server', () => {
  it('can have addresses and client IDs of 2,000 characters, and unknown methods', async () => {
    const clientId = 'x'.repeat(2_000);
    const { pair, id } = await signIns.connected({
      metadata: {
        authorization_endpoint: `https://example.com/${'x'.repeat(1_980)}`,
        token_endpoint_auth_methods_supported: [...Array(500).fill('private_key_jwt'), 'none'],
      },
      answer: (path, response) =>
        path === '/register' && Boolean(response.writeHead(201).end(registered({ client_id: clientId }))),
    });
    const { url, cookie } = await started(service, session, id);
    expect(new URL(url).searchParams.get('client_id')).toBe(clientId);
    expect((await storedSignIn(service, id)).sealedSignIn?.length).toBeLessThan(10_000);
    expect(await respond(service, pair.allow(url), { session, cookie })).toBe('done');
  });

  it.each([
    [
      'names an issuer that it is not',
      { metadata: { issuer: 'https://other.example' } },
      'comes from another authorization server',
    ],
    [
      'names a page that is no https URL',
      { metadata: { authorization_endpoint: 'http://example.com/a' } },
      'not an https URL',
    ],
    [
      'names a script as its page',
      { metadata: { authorization_endpoint: 'javascript:alert(1)' } },
      'does not follow the protocol',
    ],
    [
      'does not support PKCE with S256',
      { metadata: { code_challenge_methods_supported: ['plain'] } },
      'does not follow the protocol',
    ],
    [
      'is described for another MCP server',
      { resource: { resource: 'https://other.example/mcp' } },
      'is about another address',
    ],
    [
      'names an authorization server with a long address',
      { resource: { authorization_servers: [`https://example.com/${'x'.repeat(2_000)}`] } },
      'too long',
    ],
    [
      'has a long token endpoint',
      { metadata: { token_endpoint: `https://example.com/${'x'.repeat(2_000)}` } },
      'too long',
    ],
    [
      'has a long page',
      { metadata: { authorization_endpoint: `https://example.com/${'x'.repeat(2_000)}` } },
      'too long',
    ],
    [
      'has a long address to revoke tokens',
      { metadata: { revocation_endpoint: `https://example.com/${'x'.repeat(2_000)}` } },
      'too long',
    ],
    ['has an address that cannot be stored', { metadata: { token_endpoint: 'https://example.com/\0' } }, 'too long'],
    ['has a scope that cannot be stored', { resource: { scopes_supported: ['a\0b'] } }, 'too many scopes'],
    ['has too many scopes', { resource: { scopes_supported: ['x'.repeat(1_001)] } }, 'too many scopes'],
    ['has a description that is too large', { metadata: { more: 'x'.repeat(300_000) } }, 'larger than'],
    ['has a description of another type', { metadata: { token_endpoint: 7 } }, 'does not follow the protocol'],
    [
      'has an address without https',
      { resource: { authorization_servers: ['http://example.com'] } },
      'not an https URL',
    ],
  ] satisfies [string, OAuthOptions, string][])('cannot be used if it %s', async (_, options, problem) => {
    const { id } = await signIns.connected(options);
    expect(await startProblem(service, session, id)).toContain(problem);
    expect(await storedSignIn(service, id)).toEqual(NO_SIGN_IN);
  });

  it.each([
    ['refuses to register', 400, '{"error":"invalid_redirect_uri"}', 'refused to register this service (400)'],
    ['issues a long client ID', 201, registered({ client_id: 'x'.repeat(2_001) }), 'too long'],
    ['issues a long secret', 201, registered({ client_secret: 'x'.repeat(2_001) }), 'too long'],
    ['registers with a page', 200, '<html>', 'does not follow the protocol'],
  ])('cannot be used if it %s', async (_, status, body, problem) => {
    const { id } = await signIns.connected({
      answer: (path, response) => path === '/register' && Boolean(response.writeHead(status).end(body)),
    });
    expect(await startProblem(service, session, id)).toContain(problem);
  });

  it('that does not respond fails the start after 10 seconds', async () => {
    const { id } = await signIns.connected({ answer: (path) => path === '/.well-known/oauth-authorization-server' });
    const begin = performance.now();
    expect(await startProblem(service, session, id)).toContain('did not respond within 10 s');
    expect(performance.now() - begin).toBeLessThan(15_000);
  }, 20_000);
});

describe('the addresses of a sign-in', () => {
  let guarded: TestService;
  const asked: string[] = [];
  beforeAll(async () => {
    guarded = await startService(
      { allowLoopback: false },
      {
        outbound: {
          resolveName: async (name) => {
            asked.push(name);
            return [{ address: name === 'mcp.example' ? '93.184.216.34' : '10.0.0.1', family: 4 }];
          },
        },
      },
    );
  });
  afterAll(() => guarded?.close());

  it('are not requested if they are private', async () => {
    const id = await connect(guarded, { kind: 'mcp', name: 'Ours', url: 'https://mcp.example/mcp' });
    await guarded.service.services.stores.prisma.integration.updateMany({
      where: { id },
      data: { config: { url: 'https://private.example/mcp', headerNames: [], trustsHints: false } },
    });
    const problem = await startProblem(guarded, await openSession(guarded, 'owner'), id);
    expect(problem).toContain('public');
    expect(asked).toContain('private.example');
  });
});

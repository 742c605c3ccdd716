import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { respond, SignIns, signInOf, started } from '../support/integration-sign-in.ts';
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

/** The authorization server publishes no metadata, so the service guesses its endpoints. */
const UNDESCRIBED: OAuthOptions = {
  answer: (path, response) => path.startsWith('/.well-known') && Boolean(response.writeHead(404).end()),
};

/** The page of a hostile authorization server sends the browser to an honest one, with the values of its own request. */
function sentOn(url: string, issuer: string): string {
  const page = new URL(url);
  return new URL(`${issuer}/authorize${page.search}`).href;
}

describe('a hostile MCP server', () => {
  it.each([
    ['without metadata', UNDESCRIBED],
    ['with metadata', {}],
  ])('%s does not get the code of another authorization server that names itself', async (_, options) => {
    const [hostile, honest] = [await signIns.connected(options), await signIns.connected()];
    const { url, cookie } = await started(service, session, hostile.id);
    const response = honest.pair.allow(sentOn(url, honest.pair.issuer));
    expect(await respond(service, response, { session, cookie })).toBe('failed');
    expect(hostile.pair.at('/token')).toEqual([]);
    expect((await signInOf(service, hostile.id)).state).toBe('NOT_NEEDED');
  });

  it('does not get the code of an authorization server that returns the browser to the address of another integration', async () => {
    const hostile = await signIns.connected({ metadata: { authorization_response_iss_parameter_supported: false } });
    const honest = await signIns.signedIn({ metadata: { authorization_response_iss_parameter_supported: false } });
    const { url, cookie } = await started(service, session, hostile.id);
    // The honest server knows only the address for which the client was registered.
    const known = new URL((await started(service, session, honest.id)).url).searchParams.get('redirect_uri') ?? '';
    const asked = new URL(sentOn(url, honest.pair.issuer));
    asked.searchParams.set('redirect_uri', known);
    const response = honest.pair.allow(asked.href, { iss: '' });
    expect(response.pathname).toContain(honest.id);
    expect(await respond(service, response, { session, cookie })).toBe('expired');
    expect(hostile.pair.at('/token')).toEqual([]);
  });
});

describe('an authorization server without metadata', () => {
  it.each([
    ['its address', ''],
    ['its address with a slash', '/'],
  ])('can name itself with %s', async (_, end) => {
    const { pair, id } = await signIns.connected(UNDESCRIBED);
    const { url, cookie } = await started(service, session, id);
    const response = pair.allow(url, { iss: `${pair.issuer}${end}` });
    expect(await respond(service, response, { session, cookie })).toBe('done');
  });
});

describe('the addresses of an integration', () => {
  it('have the form of its ID, and do not disclose whether it exists', async () => {
    const unknown = 'int_00000000000000000000000000';
    const document = await service.send('GET', `/oauth/client/${unknown}.json`, { key: null });
    expect(document.body.redirect_uris).toEqual([`http://127.0.0.1/sign-in/integration/callback/${unknown}`]);
    const page = await fetch(`${service.url}/sign-in/integration/callback/${unknown}?code=1`);
    expect(page.status).toBe(200);
    for (const id of ['int_1', 'wf_00000000000000000000000000', '%22%3E', '..%2F']) {
      for (const path of [`/oauth/client/${id}.json`, `/sign-in/integration/callback/${id}`]) {
        expect((await fetch(`${service.url}${path}`)).status).toBe(404);
      }
    }
  });
});

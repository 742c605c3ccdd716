import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Accounts } from '../support/accounts.ts';
import { type FakeOidc, startFakeOidc } from '../support/fake-oidc.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { accept, invite } from '../support/members.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { saveProvider } from '../support/sign-on.ts';
import { makeMember, makeWorkspace, openSession, openSessionOf } from '../support/tenants.ts';

const STRANGE = 'the password of a stranger';
const OWN = 'the password of the owner';

let service: TestService;
let server: MailServer;
let provider: FakeOidc;
let accounts: Accounts;
let demo: string;
let owner: string;
let hostile: string;
beforeAll(async () => {
  server = await startMailServer();
  service = await startService({ trustProxy: 'loopback', mail: { url: server.url, from: 'parley@example.com' } });
  provider = await startFakeOidc();
  demo = await saveProvider(service, provider.issuer, { domain: 'corp.test' });
  owner = await openSession(service, 'owner');
  hostile = (await makeWorkspace(service)).id;
  accounts = new Accounts(service, provider, demo);
});
afterAll(async () => {
  provider.close();
  await service.close();
  await server.close();
});

/** Runs `request`, then reads the token of the link that the service sent. */
async function tokenOf(email: string, subject: string, request: () => Promise<unknown>): Promise<string> {
  await request();
  return /#token=(\w+)\n/.exec((await server.take(email, subject)).text)?.[1] ?? '';
}

const invited = (email: string) =>
  tokenOf(email, 'You are invited to a workspace in Parley', () => invite(service, owner, email));

const forgotten = (email: string, headers: Record<string, string>) =>
  tokenOf(email, 'Set a new password for Parley', () =>
    service.send('POST', '/v1/password-reset-requests', { body: { email }, key: null, headers }),
  );

/** An account that a stranger created with the link of an invitation that they saw. Returns a session of it. */
async function squat(email: string): Promise<string> {
  const userId = await makeMember(service, 'viewer', {
    email,
    password: STRANGE,
    workspaceId: hostile,
    verified: false,
  });
  return openSessionOf(service, userId);
}

async function offerOf(token: string) {
  const document = 'query ($token: String!) { invitationOffer(token: $token) { hasAccount emailed } }';
  return (await service.graphql(document, { token }, { key: null })).body.data.invitationOffer;
}

const status = async (key: string) => (await service.send('GET', '/v1/me', { key })).status;

describe('an invitation that only the owner of the address received', () => {
  it('verifies the address of a new account', async () => {
    const email = accounts.address();
    const token = await invited(email);
    expect(await offerOf(token)).toEqual({ hasAccount: false, emailed: true });
    await accept(service, { token, name: 'A', password: OWN });
    expect(await accounts.find(email)).toMatchObject({ emailVerifiedAt: expect.any(Date) });
    await accounts.signOn(email);
    expect(await accounts.opens(email, OWN, demo)).toBe(true);
  });

  it('replaces the password that a stranger set, and ends their sessions', async () => {
    const email = accounts.address();
    const stolen = await squat(email);
    const token = await invited(email);
    expect(await offerOf(token)).toEqual({ hasAccount: false, emailed: true });
    expect(errorOf(await accept(service, { token }, stolen))).toMatchObject({ param: 'password' });
    const repeated = await accept(service, { token, name: 'A', password: STRANGE });
    expect(errorOf(repeated)).toMatchObject({ code: 'invalid_request', param: 'password' });
    expect(errorOf(await accept(service, { token, name: 'Owner', password: OWN }))).toBeUndefined();
    expect(await status(stolen)).toBe(401);
    expect(await accounts.find(email)).toMatchObject({ name: 'Owner', emailVerifiedAt: expect.any(Date) });
    for (const workspace of [demo, hostile]) {
      expect(await accounts.opens(email, STRANGE, workspace)).toBe(false);
      expect(await accounts.opens(email, OWN, workspace)).toBe(true);
    }
  });

  it('needs the password or a session of a verified account', async () => {
    const email = accounts.address();
    const userId = await makeMember(service, 'viewer', { email, password: OWN, workspaceId: hostile });
    const token = await invited(email);
    expect(await offerOf(token)).toEqual({ hasAccount: true, emailed: true });
    const wrong = await accept(service, { token, name: 'A', password: STRANGE });
    expect(errorOf(wrong)).toMatchObject({ code: 'unauthorized', param: 'password' });
    expect(errorOf(await accept(service, { token }, await openSessionOf(service, userId)))).toBeUndefined();
    expect(await accounts.opens(email, OWN, demo)).toBe(true);
  });
});

describe('a link for a new password', () => {
  it('verifies the address, and the new password opens every workspace of the account', async () => {
    const email = accounts.address();
    const stolen = await squat(email);
    await accounts.signOn(email);
    expect(await status(stolen)).toBe(401);
    const headers = { 'x-forwarded-for': '198.51.100.250' };
    const token = await forgotten(email, headers);
    await service.send('POST', '/v1/password-resets', { body: { token, password: OWN }, key: null, headers });
    for (const workspace of [demo, hostile]) expect(await accounts.opens(email, OWN, workspace)).toBe(true);
  });

  it('takes an account from the stranger who created it', async () => {
    const email = accounts.address();
    const stolen = await squat(email);
    const headers = { 'x-forwarded-for': '198.51.100.251' };
    const token = await forgotten(email, headers);
    await service.send('POST', '/v1/password-resets', { body: { token, password: OWN }, key: null, headers });
    expect(await status(stolen)).toBe(401);
    expect(await accounts.opens(email, STRANGE)).toBe(false);
    expect(await accounts.find(email)).toMatchObject({ emailVerifiedAt: expect.any(Date) });
  });
});

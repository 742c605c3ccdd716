import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RATE_LIMITS } from '../../src/domain/access/rate-limits.ts';
import { CREATE_KEY, ROTATE_KEY } from '../support/keys.ts';
import { countMails, type Mailing, startMailing } from '../support/mailing.ts';
import { removeMember, updateMember } from '../support/members.ts';
import { mutationOf, resultOf } from '../support/results.ts';
import { startService } from '../support/service.ts';
import { makeKey, makeMember, makeWorkspace, openSessionOf } from '../support/tenants.ts';

let mailing: Mailing;
beforeAll(async () => {
  mailing = await startMailing();
});
afterAll(() => mailing.close());

const PASSWORD = 'a right and long password';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const SIGN_IN = 'New sign-in to your Parley account';

/** Subjects of the mails to an address, after all mails were sent. */
async function subjectsTo(address: string): Promise<string[]> {
  await mailing.sent();
  return mailing.server.mails.filter(({ to }) => to.includes(address)).map(({ subject }) => subject);
}

async function signIn(email: string, address: string, userAgent: string): Promise<void> {
  const headers = { 'x-forwarded-for': address, 'user-agent': userAgent };
  const body = { email, password: PASSWORD };
  const response = await mailing.service.send('POST', '/v1/sessions', { body, key: null, headers });
  expect(response.status).toBe(201);
}

const member = (email: string, name = 'Ann') =>
  makeMember(mailing.service, 'developer', { email, name, password: PASSWORD });

describe('a sign-in', () => {
  it('from a new network or device sends a mail, and from a known one does not', async () => {
    const email = 'known@example.com';
    await member(email);
    await signIn(email, '198.51.100.7', FIREFOX);
    await signIn(email, '198.51.100.7', FIREFOX);
    // An update of the browser.
    await signIn(email, '198.51.100.7', FIREFOX.replaceAll('140', '141'));
    expect(await subjectsTo(email)).toEqual([SIGN_IN]);
    await signIn(email, '198.51.100.8', FIREFOX);
    await signIn(email, '198.51.100.7', 'curl/8');
    await signIn(email, '2001:db8:1:2::1', FIREFOX);
    await signIn(email, '2001:db8:1:2::99', FIREFOX);
    expect(await subjectsTo(email)).toHaveLength(4);
    const mail = await mailing.server.take(email, SIGN_IN);
    expect(mail.text).toContain('IP address: 198.51.100.7\nDevice: Firefox on Linux\n');
  });

  it('repeats no text that the client chose', async () => {
    const email = 'agent@example.com';
    await member(email);
    await signIn(email, '198.51.100.20', 'Call +1 555 0100 or http://evil.test now');
    const mail = await mailing.server.take(email, SIGN_IN);
    expect(mail.text).toContain('Device: an unknown program on an unknown system\n');
    expect(mail.source).not.toMatch(/evil|555/);
  });

  it('cannot flood the member with mails', async () => {
    const email = 'flooded@example.com';
    await member(email);
    for (let count = 0; count < RATE_LIMITS.notices.points + 5; count += 1) {
      // Sign-ins with the password are limited to 10 per minute, so these sessions come from elsewhere.
      await mailing.service.service.services.stores.rateLimiter.refund(RATE_LIMITS.signInByAccount, email);
      await signIn(email, `203.0.113.${count}`, FIREFOX);
    }
    expect(await subjectsTo(email)).toHaveLength(RATE_LIMITS.notices.points);
    expect(mailing.service.logLines.join('')).toContain('its recipient got too many of its kind');
  });
});

describe('a change of a member', () => {
  it('sends the member a mail about the role, the password and the removal', async () => {
    const { service, server } = mailing;
    const email = 'changed@example.com';
    const id = await member(email);
    const owner = await openSessionOf(service, await makeMember(service, 'owner', { name: 'Eve" http://evil.test' }));
    await updateMember(service, owner, id, 'viewer');
    await updateMember(service, owner, id, 'viewer');
    const role = await server.take(email, 'Your role in a Parley workspace was changed');
    expect(role.text).toContain('from developer to viewer.\n\nWorkspace: "Demo"\nBy: "Eve\' http: evil. test"\n');
    const session = await openSessionOf(service, id);
    const input = { currentPassword: PASSWORD, newPassword: 'another long password' };
    resultOf(await service.graphql(mutationOf('changePassword', '{ me { __typename } }'), { input }, { key: session }));
    await server.take(email, 'The password of your Parley account was changed');
    await removeMember(service, owner, id);
    await server.take(email, 'You were removed from a Parley workspace');
    expect(await subjectsTo(email)).toHaveLength(3);
  });
});

describe('a new secret of an API key', () => {
  it('sends a mail to the member who made it and to the owners of the workspace, once each', async () => {
    const { service, server } = mailing;
    const { id: workspaceId, environments } = await makeWorkspace(service);
    const options = { workspaceId };
    await makeMember(service, 'owner', { ...options, email: 'owner-1@example.com' });
    const owner = await makeMember(service, 'owner', { ...options, email: 'owner-2@example.com' });
    const admin = await makeMember(service, 'admin', { ...options, email: 'admin@example.com', name: 'Adam' });
    await makeMember(service, 'viewer', { ...options, email: 'viewer@example.com' });
    const input = { name: 'Server\u202e <b>x.io</b>', scopes: ['EVENTS_READ'] };
    const created = resultOf(
      await service.graphql(CREATE_KEY, { input }, { key: await openSessionOf(service, admin) }),
    );
    for (const to of ['owner-1@example.com', 'owner-2@example.com', 'admin@example.com']) {
      const { text } = await server.take(to, 'A new API key in a Parley workspace');
      expect(text).toContain(`Key: "Server 'b'x. io' b'", in the live environment\n`);
      expect(text).toContain('Workspace: "Another"\nBy: "Adam"\n');
    }
    const id = created.apiKey.apiKeyId;
    resultOf(await service.graphql(ROTATE_KEY, { input: { id } }, { key: await openSessionOf(service, owner) }));
    await server.take('owner-2@example.com', 'A rotated API key in a Parley workspace');
    expect(await subjectsTo('owner-2@example.com')).toHaveLength(2);
    expect(await subjectsTo('viewer@example.com')).toEqual([]);
    const key = await makeKey(service, { environmentId: environments.live });
    resultOf(await service.graphql(CREATE_KEY, { input: { ...input, name: 'By a key' } }, { key }));
    expect((await server.take('owner-1@example.com', 'A new API key in a Parley workspace')).text).toContain(
      'By: a caller with an API key\n',
    );
    expect(await subjectsTo('admin@example.com')).toHaveLength(1);
  });

  it('sends no mail if the service has no mail server', async () => {
    const silent = await startService();
    const key = await openSessionOf(silent, await makeMember(silent, 'owner'));
    resultOf(await silent.graphql(CREATE_KEY, { input: { name: 'A', scopes: ['EVENTS_READ'] } }, { key }));
    expect(await countMails(silent)).toBe(0);
    await silent.close();
  });
});

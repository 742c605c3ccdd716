import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIL_PACE } from '../../src/domain/access/mail-delivery/pace.ts';
import { hashToken } from '../../src/domain/access/tokens.ts';
import { loseClaims, STALLED } from '../support/lost-claims.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { countMails } from '../support/mailing.ts';
import { invite } from '../support/members.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember, openSession, openSessionOf } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let service: TestService;
let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
  const mail = { url: server.url, from: 'parley@example.com' };
  service = await startService({ trustProxy: 'loopback', mail }, { mail: { ...MAIL_PACE, pollMs: 50 } });
});
afterAll(async () => {
  await service.close();
  await server.close();
});

let addresses = 0;
const fresh = () => {
  addresses += 1;
  return { 'x-forwarded-for': `192.0.2.${addresses}` };
};

const request = (email: string, headers = fresh()) =>
  service.send('POST', '/v1/password-reset-requests', { body: { email }, key: null, headers });

const complete = (token: string, password: string) =>
  service.send('POST', '/v1/password-resets', { body: { token, password }, key: null, headers: fresh() });

const signIn = (email: string, password: string) =>
  service.send('POST', '/v1/sessions', { body: { email, password }, key: null, headers: fresh() });

const tokenIn = (text: string) => /\/dashboard\/reset-password#token=(reset_[\dA-Za-z]{43})\n/.exec(text)?.[1] ?? '';

/** Requests a link and reads its token from the message. */
async function requestToken(email: string): Promise<string> {
  expect((await request(email)).status).toBe(202);
  return tokenIn((await server.take(email.trim().toLowerCase(), SUBJECT)).text);
}

const SUBJECT = 'Set a new password for Parley';

const NEW = 'a new and long password';

describe('a link for a new password by email', () => {
  it('sets the password once and ends all sessions of the user', async () => {
    const email = 'reset@example.com';
    const userId = await makeMember(service, 'developer', { email, password: 'the old password' });
    const session = await openSessionOf(service, userId);
    const token = await requestToken('  Reset@Example.com ');
    const mail = server.mails.find(({ to }) => to.includes(email));
    expect(mail).toMatchObject({ from: 'parley@example.com', to: [email] });
    expect(mail?.source).toMatch(/^From: parley@example\.com\r\nTo: reset@example\.com\r\n/m);
    const response = await complete(token, NEW);
    expect([response.status, response.body]).toEqual([200, { data: { email } }]);
    expect((await service.send('GET', '/v1/me', { key: session })).status).toBe(401);
    expect((await signIn(email, 'the old password')).status).toBe(401);
    expect((await signIn(email, NEW)).status).toBe(201);
    expect(errorOf(await complete(token, NEW))).toMatchObject({ code: 'not_found', param: 'token' });
  });

  it('checks the length of the password before it looks up the link', async () => {
    const response = await complete('reset_nobodys', 'short');
    expect(errorOf(response)).toMatchObject({ code: 'invalid_request', param: 'password' });
  });

  it('works in GraphQL too', async () => {
    const email = 'graphql@example.com';
    await makeMember(service, 'viewer', { email });
    const requested = await service.graphql(
      'mutation { requestPasswordReset(input: { email: "graphql@example.com" }) { __typename ... on RequestPasswordResetPayload { minutes } } }',
      {},
      { key: null, headers: fresh() },
    );
    expect(requested.body.data.requestPasswordReset.minutes).toBe(60);
    const input = { token: tokenIn((await server.take(email, SUBJECT)).text), password: NEW };
    const { body } = await service.graphql(
      'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) { __typename ... on ResetPasswordPayload { email } ... on Error { code } } }',
      { input },
      { key: null, headers: fresh() },
    );
    expect(body.data.resetPassword.email).toBe(email);
  });

  it('is invalid after an hour, and with another token', async () => {
    const email = 'late@example.com';
    await makeMember(service, 'viewer', { email });
    const token = await requestToken(email);
    const { prisma } = service.service.services.stores;
    const row = await prisma.passwordReset.findUniqueOrThrow({ where: { tokenHash: hashToken(token) } });
    expect(row.expiresAt.getTime() - row.createdAt.getTime()).toBe(3_600_000);
    await prisma.passwordReset.update({
      where: { tokenHash: row.tokenHash },
      data: { expiresAt: new Date(Date.now() - 1) },
    });
    expect(errorOf(await complete(token, NEW))?.code).toBe('not_found');
    for (const other of ['', 'reset_', token.slice(0, -1), row.tokenHash]) {
      expect(errorOf(await complete(other, NEW))?.code).toBe('not_found');
    }
  });

  it('works for one of several requests at the same time, and ends the other links of the user', async () => {
    const email = 'race@example.com';
    await makeMember(service, 'viewer', { email });
    const [token, other] = [await requestToken(email), await requestToken(email)];
    const responses = await Promise.all([1, 2, 3].map(() => complete(token, NEW)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect((await complete(other, NEW)).status).toBe(404);
  });

  it('keeps working after a password that is too short', async () => {
    const email = 'short@example.com';
    await makeMember(service, 'viewer', { email });
    const token = await requestToken(email);
    expect(errorOf(await complete(token, 'short'))).toMatchObject({ code: 'invalid_request', param: 'password' });
    expect((await complete(token, NEW)).status).toBe(200);
  });

  it('is audited, without the token, and the database has only its hash', async () => {
    const { prisma } = service.service.services.stores;
    const email = 'audited@example.com';
    const subjectId = await makeMember(service, 'viewer', { email });
    const token = await requestToken(email);
    expect(JSON.stringify(await prisma.passwordReset.findMany())).not.toContain(token);
    await complete(token, NEW);
    const entries = await prisma.auditEntry.findMany({ where: { subjectId }, orderBy: { id: 'asc' } });
    expect(entries.map(({ action, actorKind }) => [action, actorKind])).toEqual([
      ['password.link_created', 'anonymous'],
      ['password.reset', 'anonymous'],
    ]);
    expect(service.logLines.join('')).not.toContain(token);
  });
});

describe('a request for a link', () => {
  it('gets the same response for unknown addresses, which get no message', async () => {
    const known = 'known@example.com';
    await makeMember(service, 'viewer', { email: known });
    const responses = [];
    for (const email of ['unknown@example.com', 'not an address', known]) {
      const { status, headers, body } = await request(email);
      responses.push({ status, body, names: [...headers.keys()] });
    }
    expect(responses[0]).toMatchObject({ status: 202, body: { data: { minutes: 60 } } });
    expect(responses[1]).toEqual(responses[0]);
    expect(responses[2]).toEqual(responses[0]);
    await server.take(known, SUBJECT);
    await until(async () => (await service.service.services.stores.prisma.outgoingMail.count()) === 0);
    expect(
      server.mails.filter(({ to }) => to.some((address) => address.startsWith('unknown') || / /.test(address))),
    ).toEqual([]);
  });

  it('runs the same statements before its response, whether there is a user or not', async () => {
    await makeMember(service, 'viewer', { email: 'quick@example.com' });
    const { prisma } = service.service.services.stores;
    const isEmpty = async () => (await prisma.outgoingMail.count()) === 0;
    const statements = [];
    for (const email of ['nobody@example.com', 'quick@example.com']) {
      await until(isEmpty);
      service.takeAllStatements();
      expect((await request(email)).status).toBe(202);
      statements.push(service.takeAllStatements().filter((sql) => /INSERT INTO outgoing_mail|user_account/.test(sql)));
    }
    // Only the dispatcher looks for the user.
    expect(statements.map((texts) => texts.slice(0, 1))).toEqual([
      [expect.stringContaining('INSERT INTO outgoing_mail')],
      [expect.stringContaining('INSERT INTO outgoing_mail')],
    ]);
    await until(isEmpty);
    expect(server.mails.filter(({ to }) => to.includes('nobody@example.com'))).toEqual([]);
  });

  it('is limited to 3 per account and 10 per IP address in 15 minutes', async () => {
    const email = 'limited@example.com';
    const statuses = [];
    for (let index = 0; index < 4; index += 1) statuses.push((await request(email)).status);
    expect(statuses).toEqual([202, 202, 202, 429]);
    const headers = fresh();
    const byAddress = [];
    for (let index = 0; index < 11; index += 1) byAddress.push((await request(`${index}@example.com`, headers)).status);
    expect(byAddress).toEqual([...Array(10).fill(202), 429]);
  });

  it.each(['victim@example.com\r\nBcc: eve@evil.test', 'victim@example.com,eve@evil.test', 'a@b.test\0'])(
    'cannot add headers or recipients: %j',
    async (email) => {
      expect([202, 400]).toContain((await request(email)).status);
      await until(async () => (await service.service.services.stores.prisma.outgoingMail.count()) === 0);
      expect(server.mails.filter(({ to }) => to.some((address) => /victim|eve|a@b/.test(address)))).toEqual([]);
    },
  );

  it('succeeds when the message cannot be sent, and logs no address', async () => {
    await makeMember(service, 'viewer', { email: 'bounced@example.com' });
    server.reject = 550;
    const lines = service.logLines.length;
    expect((await request('bounced@example.com')).status).toBe(202);
    const logged = () => service.logLines.slice(lines).find((line) => line.includes('a mail was given up'));
    await until(async () => logged() !== undefined);
    server.reject = 0;
    expect(JSON.parse(logged() ?? '')).toMatchObject({ response_code: 550 });
    expect(service.logLines.join('')).not.toContain('bounced@');
  });

  it('sends one message if its process stalls before its response, and another one gets the retry', async () => {
    const email = 'stalled@example.com';
    await makeMember(service, 'developer', { email });
    await loseClaims(service.service.services.stores.prisma);
    const headers = { ...fresh(), 'idempotency-key': `${STALLED}reset` };
    const attempt = () => service.send('POST', '/v1/password-reset-requests', { body: { email }, headers });
    expect([(await attempt()).status, (await attempt()).status]).toEqual([202, 202]);
    await server.take(email, SUBJECT);
    await until(async () => (await countMails(service)) === 0);
    expect(server.mails.filter(({ to }) => to.includes(email))).toHaveLength(1);
  });

  it('is rejected if the service sends no email', async () => {
    const silent = await startService();
    try {
      const body = { email: 'owner@example.com' };
      const response = await silent.send('POST', '/v1/password-reset-requests', { body, key: null });
      expect(errorOf(response)).toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('operator'),
      });
    } finally {
      await silent.close();
    }
  });
});

describe('an invitation', () => {
  it('is sent by email, and its link is shown to nobody else', async () => {
    const userId = await makeMember(service, 'owner', { name: 'Eve\r\nBcc: eve@evil.test' });
    const key = await openSessionOf(service, userId);
    const { body } = await invite(service, key, 'guest@example.com');
    expect(body.data.inviteMember.url).toBeNull();
    const mail = await server.take('guest@example.com', 'You are invited to a workspace in Parley');
    expect(mail.to).toEqual(['guest@example.com']);
    expect(mail.text).toMatch(/\/dashboard\/invitation#token=invite_[\dA-Za-z]{43}\n/);
    expect(mail.text).toContain('Workspace: "Demo"\nInvited by: "Eve Bcc: eve at evil. test"\n');
    expect(mail.source).not.toMatch(/^Bcc:/im);
  });

  it('says whether it is sent', async () => {
    const { body } = await service.graphql(
      'mutation { inviteMember(input: { email: "said@example.com", role: VIEWER }) { __typename ... on InviteMemberPayload { emailed } } }',
      {},
      { key: await openSession(service, 'owner') },
    );
    expect(body.data.inviteMember.emailed).toBe(true);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { MailQueue } from '../../src/domain/access/mail/mail-queue.ts';
import { hashToken } from '../../src/domain/access/tokens.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { invite } from '../support/members.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember, openSession, openSessionOf } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let service: TestService;
let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
  service = await startService({ trustProxy: 'loopback', mail: { url: server.url, from: 'parley@example.com' } });
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
  const count = server.mails.length;
  expect((await request(email)).status).toBe(202);
  return tokenIn((await server.received(count + 1)).text);
}

const NEW = 'a new and long password';

describe('a link for a new password by email', () => {
  it('sets the password once and ends all sessions of the user', async () => {
    const email = 'reset@example.com';
    const userId = await makeMember(service, 'developer', { email, password: 'the old password' });
    const session = await openSessionOf(service, userId);
    const token = await requestToken('  Reset@Example.com ');
    expect(server.mails.at(-1)).toMatchObject({ from: 'parley@example.com', to: [email] });
    expect(server.mails.at(-1)?.source).toMatch(/^From: parley@example\.com\r\nTo: reset@example\.com\r\n/);
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
    const count = server.mails.length;
    const requested = await service.graphql(
      'mutation { requestPasswordReset(input: { email: "graphql@example.com" }) { __typename ... on RequestPasswordResetPayload { minutes } } }',
      {},
      { key: null, headers: fresh() },
    );
    expect(requested.body.data.requestPasswordReset.minutes).toBe(60);
    const input = { token: tokenIn((await server.received(count + 1)).text), password: NEW };
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
    const { prisma } = service.service.services;
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
    const { prisma } = service.service.services;
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
    const count = server.mails.length;
    const responses = [];
    for (const email of ['unknown@example.com', 'not an address', known]) {
      const { status, headers, body } = await request(email);
      responses.push({ status, body, names: [...headers.keys()] });
    }
    expect(responses[0]).toMatchObject({ status: 202, body: { data: { minutes: 60 } } });
    expect(responses[1]).toEqual(responses[0]);
    expect(responses[2]).toEqual(responses[0]);
    // The queue sends in order, so the messages of the others would have come before.
    expect((await server.received(count + 1)).to).toEqual([known]);
    expect(server.mails).toHaveLength(count + 1);
  });

  it('does not read the database before its response', async () => {
    await makeMember(service, 'viewer', { email: 'quick@example.com' });
    const count = server.mails.length;
    const { mail, prisma } = service.service.services;
    const before = await prisma.passwordReset.count();
    // Occupies both senders, so the request cannot do its work before it responds.
    const release: (() => void)[] = [];
    for (let index = 0; index < 2; index += 1) {
      mail.add(() => new Promise((resolve) => release.push(() => resolve(undefined))));
    }
    expect((await request('quick@example.com')).status).toBe(202);
    expect(await prisma.passwordReset.count()).toBe(before);
    for (const one of release) one();
    await server.received(count + 1);
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
      const count = server.mails.length;
      expect([202, 400]).toContain((await request(email)).status);
      await makeMember(service, 'viewer', { email: `after-${count}@example.com` });
      await request(`after-${count}@example.com`);
      expect((await server.received(count + 1)).to).toEqual([`after-${count}@example.com`]);
    },
  );

  it('succeeds when the message cannot be sent, and logs no address', async () => {
    await makeMember(service, 'viewer', { email: 'bounced@example.com' });
    server.reject = true;
    const lines = service.logLines.length;
    expect((await request('bounced@example.com')).status).toBe(202);
    const logged = () => service.logLines.slice(lines).find((line) => line.includes('could not be sent'));
    await until(async () => logged() !== undefined);
    server.reject = false;
    expect(JSON.parse(logged() ?? '')).toMatchObject({ response_code: 550 });
    expect(service.logLines.join('')).not.toContain('bounced@');
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
  it('is sent by email, and its link is still shown', async () => {
    const userId = await makeMember(service, 'owner', { name: 'Eve\r\nBcc: eve@evil.test' });
    const key = await openSessionOf(service, userId);
    const count = server.mails.length;
    const { body } = await invite(service, key, 'guest@example.com');
    const { url } = body.data.inviteMember;
    const mail = await server.received(count + 1);
    expect(mail.to).toEqual(['guest@example.com']);
    expect(mail.text).toContain(`${url}\n`);
    expect(mail.text).toContain('Eve Bcc: eve@evil.test invites you to the workspace "Demo" in Parley.');
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

describe('the queue of messages', () => {
  it('drops messages over its limit, and sends the others', async () => {
    const sent: string[] = [];
    const warnings: string[] = [];
    const log = {
      info: () => {},
      error: () => {},
      warn: (_facts: object, message: string) => void warnings.push(message),
    };
    const send = async ({ to }: { readonly to: string }) => void sent.push(to);
    const queue = new MailQueue({ send, close: () => {} }, log);
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const message = (index: number) => async () => {
      await gate;
      return { to: String(index), subject: '', text: '' };
    };
    // Two are sent at the same time, and the others wait.
    const accepted = LIMITS.waitingMails + 2;
    for (let index = 0; index < accepted + 1; index += 1) queue.add(message(index));
    expect(warnings).toEqual(['a message was dropped, because too many wait to be sent']);
    release();
    await queue.close();
    expect(sent).toHaveLength(accepted);
  });
});

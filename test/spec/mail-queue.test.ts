import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { claimMails } from '../../src/domain/access/mail-delivery/claim.ts';
import { removeMail, retryMail } from '../../src/domain/access/mail-delivery/settle.ts';
import { busyMs } from '../support/event-loop.ts';
import { enqueue, manyAddresses, outgoingMailRow } from '../support/mail-queue.ts';
import { countMails, type Mailing, startMailing } from '../support/mailing.ts';
import { invite } from '../support/members.ts';
import { errorOf } from '../support/results.ts';
import { startService } from '../support/service.ts';
import { makeMember, makeWorkspace, openSessionOf } from '../support/tenants.ts';
import { until } from '../support/until.ts';

const RESET = 'Set a new password for Parley';

/** Longer than a test, so a mail that failed once stays stored. */
const LATER = { retriesMs: [600_000] };

let mailing: Mailing;
afterEach(() => mailing?.close());

/** How many mails to others the server received before its first mail to this address. */
async function placeOf({ server }: Mailing, address: string): Promise<number> {
  return until(async () => {
    const place = server.mails.findIndex(({ to }) => to.includes(address));
    return place >= 0 ? place + 1 : undefined;
  });
}

describe('a slow mail server', () => {
  it('does not delay a link for a new password after the mails of a workspace', async () => {
    mailing = await startMailing();
    const { service, server, reset } = mailing;
    await makeMember(service, 'viewer', { email: 'waiting@example.com' });
    server.delayMs = 12_000;
    await enqueue(service, (await makeWorkspace(service)).id, manyAddresses(20, 'flood'));
    await until(
      async () =>
        (await service.service.services.stores.prisma.outgoingMail.count({ where: { leaseOwner: { not: null } } })) >=
        2,
    );
    const startedAt = Date.now();
    await reset('waiting@example.com');
    await server.take('waiting@example.com', RESET);
    // Every connection for other mails is busy for longer.
    expect(Date.now() - startedAt).toBeLessThan(busyMs(10_000));
    expect(server.mails.length).toBeLessThanOrEqual(3);
    server.delayMs = 0;
  });

  it('serves workspaces in turns, however many mails one of them has', async () => {
    mailing = await startMailing();
    const { service, server } = mailing;
    server.delayMs = 300;
    await enqueue(service, (await makeWorkspace(service)).id, manyAddresses(30, 'many'));
    await until(async () => server.mails.length >= 2);
    const others = [(await makeWorkspace(service)).id, (await makeWorkspace(service)).id];
    for (const [index, id] of others.entries()) await enqueue(service, id, manyAddresses(3, `few-${index}`));
    const before = server.mails.length;
    for (const address of ['few-0-0@example.com', 'few-1-0@example.com']) {
      expect((await placeOf(mailing, address)) - before).toBeLessThan(8);
    }
    expect((await placeOf(mailing, 'few-1-2@example.com')) - before).toBeLessThan(16);
    server.delayMs = 0;
    await mailing.sent();
    expect(server.mails).toHaveLength(36);
  });
});

describe('a flood of mails', () => {
  it('of one workspace ends at its limit, and others and resets pass', async () => {
    mailing = await startMailing(LATER);
    const { service, server, reset } = mailing;
    server.reject = 451;
    const flooding = await makeWorkspace(service);
    const owner = await makeMember(service, 'owner', { workspaceId: flooding.id });
    const { waitingMailsOfWorkspace } = LIMITS;
    const addresses = manyAddresses(waitingMailsOfWorkspace + 10, 'flood');
    expect(await enqueue(service, flooding.id, addresses, 'invitation')).toBe(waitingMailsOfWorkspace);
    const session = await openSessionOf(service, owner);
    expect((await inviteEmailed(session, 'late@example.com')).inviteMember.emailed).toBe(false);
    const lines = service.logLines.join('');
    expect(lines).toContain('a mail was not stored: too many wait to be sent');
    expect(lines).not.toContain('flood-');
    server.reject = 0;
    const other = await openSessionOf(service, await makeMember(service, 'owner'));
    expect((await inviteEmailed(other, 'other@example.com')).inviteMember.emailed).toBe(true);
    await makeMember(service, 'viewer', { email: 'reset@example.com' });
    await reset('reset@example.com');
    await server.take('reset@example.com', RESET);
    await server.take('other@example.com', 'You are invited to a workspace in Parley');
  });

  it('of many workspaces ends at the limit of all, and leaves space for resets', async () => {
    mailing = await startMailing(LATER);
    const { service, server, reset } = mailing;
    await service.service.services.stores.sql.execute`
      INSERT INTO outgoing_mail (id, kind, urgent, workspace_id, turn_key, sealed_content, next_attempt_at, expires_at)
      SELECT gen_random_uuid(), 'invitation', false, gen_random_uuid(), n::text, 'x', now() + interval '1 hour',
             now() + interval '1 day'
      FROM generate_series(1, ${LIMITS.waitingMails}::int) AS n`;
    const session = await openSessionOf(service, await makeMember(service, 'owner'));
    // Row-level security hides the mails of other workspaces from this statement.
    expect((await inviteEmailed(session, 'one@example.com')).inviteMember.emailed).toBe(false);
    await makeMember(service, 'viewer', { email: 'reset@example.com' });
    await reset('reset@example.com');
    await server.take('reset@example.com', RESET);
  });

  it('of requests for links ends with 429, for every address the same', async () => {
    mailing = await startMailing();
    const { service } = mailing;
    await service.service.services.stores.sql.execute`
      INSERT INTO outgoing_mail (id, kind, urgent, turn_key, sealed_content, next_attempt_at, expires_at)
      SELECT gen_random_uuid(), 'password_reset', true, n::text, 'x', now() + interval '1 hour', now() + interval '2 hours'
      FROM generate_series(1, ${LIMITS.waitingAccountMails}::int) AS n`;
    await makeMember(service, 'viewer', { email: 'known@example.com' });
    const messages = [];
    for (const email of ['known@example.com', 'unknown@example.com']) {
      const headers = { 'x-forwarded-for': '198.51.100.1' };
      const response = await service.send('POST', '/v1/password-reset-requests', {
        body: { email },
        key: null,
        headers,
      });
      expect(response.status).toBe(429);
      messages.push(errorOf(response)?.message);
    }
    expect(messages[0]).toBe(messages[1]);
  });
});

describe('a mail server that refuses', () => {
  it('for the moment gets the mail again, with the same link', async () => {
    mailing = await startMailing({ retriesMs: [100, 100, 100, 100, 100, 100, 100, 100, 100, 100] });
    const { service, server, reset } = mailing;
    const { prisma } = service.service.services.stores;
    const subjectId = await makeMember(service, 'viewer', { email: 'later@example.com' });
    server.reject = 451;
    await reset('later@example.com');
    await until(async () => ((await prisma.outgoingMail.findFirst())?.attempts ?? 0) >= 2);
    server.reject = 0;
    await server.take('later@example.com', RESET);
    await mailing.sent();
    expect(await prisma.passwordReset.count()).toBe(1);
    expect(await prisma.auditEntry.count({ where: { subjectId, action: 'password.link_created' } })).toBe(1);
    expect(service.logLines.join('')).not.toContain('later@');
  });

  it.each([[550], [451]])('with %i for each attempt gets no mail in the end, and the log says so', async (status) => {
    mailing = await startMailing({ retriesMs: [50] });
    const { service, server } = mailing;
    server.reject = status;
    await enqueue(service, null, ['bounced@example.com'], 'sign_in');
    await mailing.sent();
    const attempts = status === 550 ? 0 : 1;
    const line = service.logLines.find((one) => one.includes('a mail was given up'));
    expect(JSON.parse(line ?? '')).toMatchObject({ kind: 'sign_in', response_code: status, failed_attempts: attempts });
    expect(service.logLines.join('')).not.toContain('bounced@');
    expect((await service.send('GET', '/metrics', { key: null })).body).toMatch(
      /^parley_mails_total\{kind="sign_in",outcome="given_up"\} 1$/m,
    );
  });

  it('gets no mail whose link was revoked or has expired meanwhile', async () => {
    mailing = await startMailing({ retriesMs: [3_000, 3_000, 3_000] });
    const { service, server, reset } = mailing;
    const { prisma } = service.service.services.stores;
    await makeMember(service, 'viewer', { email: 'expired@example.com' });
    const session = await openSessionOf(service, await makeMember(service, 'owner'));
    server.reject = 451;
    await inviteEmailed(session, 'revoked@example.com');
    await inviteEmailed(session, 'revoked@example.com');
    await reset('expired@example.com');
    const failed = { kind: 'password_reset', attempts: 1, leaseOwner: null };
    await until(async () => (await prisma.outgoingMail.count({ where: failed })) === 1);
    await prisma.passwordReset.updateMany({ data: { expiresAt: new Date(0) } });
    server.reject = 0;
    await mailing.sent();
    // The second invitation replaced the first.
    expect(server.mails.map(({ to }) => to)).toEqual([['revoked@example.com']]);
  });
});

describe('the stored mail', () => {
  it('is encrypted, and is removed when it is sent or expires', async () => {
    mailing = await startMailing(LATER);
    const { service, server } = mailing;
    const { prisma } = service.service.services.stores;
    server.reject = 451;
    await enqueue(service, null, ['secret@example.com'], 'sign_in');
    const row = await until(async () =>
      prisma.outgoingMail.findFirst({ where: { attempts: 1 } }).then((one) => one ?? undefined),
    );
    const stored = JSON.stringify(row) + Buffer.from(row.sealedContent).toString('latin1');
    expect(stored).not.toMatch(/secret|A text/);
    await prisma.outgoingMail.update({ where: { id: row.id }, data: { expiresAt: new Date(0) } });
    await mailing.sent();
    expect(service.logLines.join('')).toContain('a mail was given up: it expired before it was sent');
    expect(server.mails).toEqual([]);
  });

  it('belongs to the process that claimed it last', async () => {
    // Without a mail server, this service claims no mail.
    const service = await startService();
    const { sql, prisma } = service.service.services.stores;
    const { id } = await outgoingMailRow(prisma, randomUUID());
    await prisma.outgoingMail.update({ where: { id }, data: { nextAttemptAt: new Date(0) } });
    const claim = async (leaseMs: number) => {
      const [mail] = await claimMails(sql, { capacity: { urgent: 0, ordinary: 1 }, leaseMs, served: [] });
      return mail;
    };
    const slow = await claim(1);
    await until(async () => (await prisma.outgoingMail.count({ where: { leaseExpiresAt: { lt: new Date() } } })) > 0);
    const fast = await claim(60_000);
    if (!slow || !fast) throw new Error('The mail was not claimed.');
    expect(await claim(60_000)).toBeUndefined();
    expect(await removeMail(sql, slow)).toBe(false);
    expect(await retryMail(sql, slow, 1)).toBe(false);
    expect(await removeMail(sql, fast)).toBe(true);
    await service.close();
  });

  it('that is being sent is sent and removed before the process ends', async () => {
    mailing = await startMailing();
    const { service, server } = mailing;
    server.delayMs = 1_000;
    await enqueue(service, null, ['last@example.com'], 'sign_in');
    await until(
      async () =>
        (await service.service.services.stores.prisma.outgoingMail.count({ where: { leaseOwner: { not: null } } })) > 0,
    );
    await mailing.close();
    expect(server.mails.map(({ to }) => to)).toEqual([['last@example.com']]);
  });
});

const INVITE = `mutation ($email: String!) {
  inviteMember(input: { email: $email, role: VIEWER }) { __typename ... on InviteMemberPayload { emailed } } }`;

async function inviteEmailed(key: string, email: string) {
  return (await mailing.service.graphql(INVITE, { email }, { key })).body.data;
}

describe('150 invitations to one address', () => {
  it('are rejected after the limits, and the address gets few mails from all workspaces', async () => {
    mailing = await startMailing();
    const { service, server } = mailing;
    const statuses: number[] = [];
    for (let workspaces = 0; workspaces < 3; workspaces += 1) {
      const { id: workspaceId } = await makeWorkspace(service);
      const key = await openSessionOf(service, await makeMember(service, 'owner', { workspaceId }));
      for (let count = 0; count < 50; count += 1) {
        const { headers, body } = await invite(service, key, 'victim@example.com');
        const isLimited = errorOf({ body })?.code === 'rate_limited';
        statuses.push(isLimited ? 429 : 200);
        if (isLimited) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(15);
    await mailing.sent();
    expect(server.mails.length).toBeGreaterThan(0);
    expect(server.mails.length).toBeLessThanOrEqual(5);
  });

  it('by one member to many addresses are rejected after their limit', async () => {
    mailing = await startMailing();
    const { service } = mailing;
    const key = await openSessionOf(service, await makeMember(service, 'owner'));
    const codes: (string | undefined)[] = [];
    for (const address of manyAddresses(52, 'guest')) codes.push(errorOf(await invite(service, key, address))?.code);
    expect(codes).toEqual([...Array(50).fill(undefined), 'rate_limited', 'rate_limited']);
    expect(await countMails(service)).toBeLessThanOrEqual(50);
  });
});

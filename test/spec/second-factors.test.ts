import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { codeOf, FactorClient } from '../support/second-factors.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember, openSessionOf } from '../support/tenants.ts';

const PASSWORD = 'the password of a member';

let service: TestService;
let factors: FactorClient;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback', publicUrl: 'https://parley.example.com' });
  factors = new FactorClient(service);
});
afterAll(() => service.close());

async function member() {
  const email = `${randomUUID()}@example.com`;
  const userId = await makeMember(service, 'developer', { email, password: PASSWORD });
  return { email, userId, key: await openSessionOf(service, userId) };
}

/** A member with an authenticator app. */
async function enrolled() {
  const person = await member();
  return { ...person, ...(await factors.enrol(person.key, PASSWORD)) };
}

const ticketOf = async (email: string) => (await factors.signIn({ email, password: PASSWORD })).ticket as string;
const status = async (key: string) => (await service.send('GET', '/v1/me', { key })).status;
const REJECTED = { __typename: 'InvalidCredentials' };
const INVALID = { __typename: 'InvalidInput' };
const DONE = { __typename: 'CompleteSignInPayload' };

describe('an authenticator app', () => {
  it('is added after its first code, and then completes each sign-in', async () => {
    const { email, key, secret, recoveryCodes } = await enrolled();
    expect(recoveryCodes).toHaveLength(LIMITS.recoveryCodes);
    const required = await factors.signIn({ email, password: PASSWORD });
    expect(required).toMatchObject({
      __typename: 'SecondFactorRequired',
      methods: ['TOTP', 'RECOVERY_CODE'],
      enrolmentRequired: false,
      passkeyOptions: null,
    });
    const completed = await factors.complete({ ticket: required.ticket, code: codeOf(secret) });
    expect(completed).toMatchObject({ ...DONE, role: 'DEVELOPER', workspace: { name: 'Demo' } });
    const { body } = await service.graphql(
      '{ me { secondFactors { name kind lastUsedAt } recoveryCodesLeft } sessions { secondFactor } }',
      {},
      { key: completed.token },
    );
    expect(body.data.me).toEqual({
      secondFactors: [{ name: 'Phone', kind: 'TOTP', lastUsedAt: expect.any(String) }],
      recoveryCodesLeft: LIMITS.recoveryCodes,
    });
    expect(body.data.sessions).toEqual([{ secondFactor: true }, { secondFactor: true }]);
    expect(await status(key)).toBe(200);
  });

  it('accepts each code once, and those of one step before and after', async () => {
    const { email, secret } = await enrolled();
    const code = codeOf(secret, 1);
    for (const far of [-3, 3]) {
      const rejected = await factors.complete({ ticket: await ticketOf(email), code: codeOf(secret, far) });
      expect(rejected).toMatchObject(REJECTED);
    }
    const tickets = [await ticketOf(email)];
    const twice = await Promise.all([...tickets, ...tickets].map((ticket) => factors.complete({ ticket, code })));
    expect(twice.filter(({ token }) => token)).toHaveLength(1);
    expect(await factors.complete({ ticket: await ticketOf(email), code })).toMatchObject(REJECTED);
    // An earlier step does not work after a later one.
    expect(await factors.complete({ ticket: await ticketOf(email), code: codeOf(secret) })).toMatchObject(REJECTED);
  });

  it('is stored encrypted, and needs the password', async () => {
    const { key, secret, userId } = await enrolled();
    const [row] = await service.service.services.stores.prisma.secondFactor.findMany({ where: { userId } });
    expect(Buffer.from(row?.sealedSecret ?? []).toString('latin1')).not.toContain(secret);
    for (const password of [undefined, 'wrong']) {
      expect(await factors.start({ kind: 'TOTP', name: 'A', password }, key)).toMatchObject(INVALID);
    }
    expect(await factors.start({ kind: 'TOTP', name: ' ', password: PASSWORD }, key)).toMatchObject(INVALID);
    expect(await factors.start({ kind: 'TOTP', name: 'A' }, null)).toMatchObject(REJECTED);
  });

  it('is not added with a wrong code, after it expired, or by another member', async () => {
    const { key, userId } = await member();
    const other = await member();
    const { enrolmentId, totp } = await factors.start({ kind: 'TOTP', name: 'A', password: PASSWORD }, key);
    expect(await factors.confirm({ enrolmentId, code: '000000' }, key)).toMatchObject(INVALID);
    const code = codeOf(totp.secret);
    expect(await factors.confirm({ enrolmentId, code }, other.key)).toMatchObject({ __typename: 'NotFound' });
    await service.service.services.stores.prisma.secondFactor.updateMany({
      where: { userId },
      data: { expiresAt: new Date(0) },
    });
    expect(await factors.confirm({ enrolmentId, code }, key)).toMatchObject({ __typename: 'NotFound' });
  });

  it('ends the other sessions of the member', async () => {
    const person = await member();
    const other = await openSessionOf(service, person.userId);
    await factors.enrol(person.key, PASSWORD);
    expect([await status(person.key), await status(other)]).toEqual([200, 401]);
  });
});

describe('a ticket', () => {
  it('is given only for the right password', async () => {
    const { email } = await enrolled();
    const wrong = await factors.signIn({ email, password: 'wrong' });
    const unknown = await factors.signIn({ email: 'nobody@example.com', password: 'wrong' });
    expect(wrong).toEqual(unknown);
  });

  it('allows a limited number of attempts, and is stored as a hash', async () => {
    const { email, secret } = await enrolled();
    const ticket = await ticketOf(email);
    for (let count = 0; count < LIMITS.secondFactorAttempts; count += 1) {
      expect(await factors.complete({ ticket, code: '000000' })).toMatchObject(REJECTED);
    }
    expect(await factors.complete({ ticket, code: codeOf(secret) })).toMatchObject({
      message: expect.stringContaining('Sign in again'),
    });
    const stored = await service.service.services.stores.prisma.signInTicket.findMany();
    expect(JSON.stringify(stored)).not.toContain(ticket);
  });

  it('works once, expires, and needs exactly one proof', async () => {
    const { email, secret, userId } = await enrolled();
    const { prisma } = service.service.services.stores;
    const ticket = await ticketOf(email);
    expect(await factors.complete({ ticket })).toMatchObject(INVALID);
    expect(await factors.complete({ ticket, code: '1', recoveryCode: 'a' })).toMatchObject(INVALID);
    expect(await factors.complete({ ticket, code: codeOf(secret) })).toMatchObject(DONE);
    expect(await factors.complete({ ticket, code: codeOf(secret, 1) })).toMatchObject(REJECTED);
    const later = await ticketOf(email);
    await prisma.signInTicket.updateMany({ where: { userId }, data: { expiresAt: new Date(0) } });
    expect(await factors.complete({ ticket: later, code: codeOf(secret, 1) })).toMatchObject(REJECTED);
  });

  it('ends with a new password', async () => {
    const { email, secret, key } = await enrolled();
    const ticket = await ticketOf(email);
    const document = `mutation { changePassword(input: { currentPassword: "${PASSWORD}", newPassword: "another password" }) { __typename } }`;
    await service.graphql(document, {}, { key });
    expect(await factors.complete({ ticket, code: codeOf(secret) })).toMatchObject(REJECTED);
  });

  it('is limited by account', async () => {
    const { email } = await enrolled();
    const results = [];
    for (let count = 0; count < 11; count += 1) {
      const ticket = await ticketOf(email);
      if (ticket) results.push(await factors.complete({ ticket, code: '000000' }));
    }
    expect(results.at(-1)).toMatchObject({ extensions: { code: 'RATE_LIMITED' } });
  });

  it('cannot add a second factor next to another one', async () => {
    const { email } = await enrolled();
    const input = { kind: 'TOTP', name: 'Thief', ticket: await ticketOf(email) };
    expect(await factors.start(input)).toMatchObject({ ...INVALID, path: ['ticket'] });
  });
});

describe('a recovery code', () => {
  it('replaces the second factor once, in any case and with or without hyphens', async () => {
    const { email, recoveryCodes } = await enrolled();
    const [one = '', two = ''] = recoveryCodes ?? [];
    const first = await factors.complete({
      ticket: await ticketOf(email),
      recoveryCode: one.toUpperCase().replaceAll('-', ' '),
    });
    expect(first).toMatchObject(DONE);
    expect(await factors.complete({ ticket: await ticketOf(email), recoveryCode: one })).toMatchObject(REJECTED);
    expect(await factors.complete({ ticket: await ticketOf(email), recoveryCode: two })).toMatchObject(DONE);
    const { prisma } = service.service.services.stores;
    expect(JSON.stringify(await prisma.recoveryCode.findMany())).not.toContain(two);
  });

  it('is replaced by new ones, with the password', async () => {
    const { email, key, recoveryCodes } = await enrolled();
    expect(await factors.change('createRecoveryCodes', { password: 'wrong' }, key)).toMatchObject(INVALID);
    const { recoveryCodes: fresh } = await factors.change('createRecoveryCodes', { password: PASSWORD }, key);
    const old = recoveryCodes?.[0];
    expect(await factors.complete({ ticket: await ticketOf(email), recoveryCode: old })).toMatchObject(REJECTED);
    expect(await factors.complete({ ticket: await ticketOf(email), recoveryCode: fresh[0] })).toMatchObject(DONE);
    const without = await member();
    expect(await factors.change('createRecoveryCodes', { password: PASSWORD }, without.key)).toMatchObject(INVALID);
  });
});

describe('the last second factor', () => {
  it('is removed with the password, and then the password is enough', async () => {
    const { email, key } = await enrolled();
    const { body } = await service.graphql('{ me { secondFactors { secondFactorId } } }', {}, { key });
    const [{ secondFactorId }] = body.data.me.secondFactors;
    const remove = (input: object) => factors.change('removeSecondFactor', { secondFactorId, ...input }, key);
    expect(await remove({ password: 'wrong' })).toMatchObject(INVALID);
    const other = await enrolled();
    const theirs = await factors.change('removeSecondFactor', { secondFactorId, password: PASSWORD }, other.key);
    expect(theirs).toMatchObject({ __typename: 'NotFound' });
    expect(await remove({ password: PASSWORD })).toMatchObject({ __typename: 'RemoveSecondFactorPayload' });
    expect(await factors.signIn({ email, password: PASSWORD })).toMatchObject({ __typename: 'SignInPayload' });
  });
});

describe('POST /v1/sessions', () => {
  it('returns 401 with the ticket, and POST /v1/sessions/second-factor the session', async () => {
    const { email, secret } = await enrolled();
    const { status: code, body } = await factors.restSignIn({ email, password: PASSWORD });
    expect([code, body.error]).toMatchObject([
      401,
      { code: 'second_factor_required', methods: ['totp', 'recovery_code'], enrolment_required: false },
    ]);
    const { ticket } = body.error;
    const sent = { body: { ticket, code: codeOf(secret) }, key: null };
    const completed = await service.send('POST', '/v1/sessions/second-factor', sent);
    expect([completed.status, completed.body.data.token]).toEqual([201, expect.stringMatching(/^sess_/)]);
  });
});

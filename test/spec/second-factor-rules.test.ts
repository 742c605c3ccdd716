import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Accounts } from '../support/accounts.ts';
import { type FakeOidc, startFakeOidc } from '../support/fake-oidc.ts';
import { accept, inviteToken } from '../support/members.ts';
import { errorOf } from '../support/results.ts';
import { codeOf, FactorClient } from '../support/second-factors.ts';
import { startService, type TestService } from '../support/service.ts';
import { firstWorkspace, saveProvider, updateSettings } from '../support/sign-on.ts';
import { makeMember, makeWorkspace, openSession, openSessionOf } from '../support/tenants.ts';

const PASSWORD = 'the password of a member';

let service: TestService;
let factors: FactorClient;
let provider: FakeOidc;
let accounts: Accounts;
let owner: string;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
  factors = new FactorClient(service);
  provider = await startFakeOidc();
  await saveProvider(service, provider.issuer, { domain: 'corp.test' });
  accounts = new Accounts(service, provider, await firstWorkspace(service));
  owner = await openSession(service, 'owner');
});
afterAll(async () => {
  provider.close();
  await service.close();
});

const status = async (key: string) => (await service.send('GET', '/v1/me', { key })).status;

async function member(options: { workspaceId?: string; role?: 'owner' | 'viewer' | 'admin'; verified?: boolean } = {}) {
  const email = `${randomUUID()}@corp.test`;
  const { role = 'viewer', ...where } = options;
  const userId = await makeMember(service, role, { email, password: PASSWORD, ...where });
  return { email, userId, key: await openSessionOf(service, userId) };
}

/** A workspace that requires a second factor, with a session of its owner. */
async function strictWorkspace() {
  const { id } = await makeWorkspace(service);
  const boss = await member({ workspaceId: id, role: 'owner' });
  await factors.enrol(boss.key, PASSWORD);
  const response = await updateSettings(service, boss.key, { secondFactorRequired: true });
  expect(errorOf(response)).toBeUndefined();
  return { id, boss };
}

describe('a workspace that requires a second factor', () => {
  it('is set by an owner who proved one, and ends the sessions of passwords alone', async () => {
    const { id } = await makeWorkspace(service);
    const boss = await member({ workspaceId: id, role: 'owner' });
    const admin = await member({ workspaceId: id, role: 'admin' });
    const update = (key: string) => updateSettings(service, key, { secondFactorRequired: true });
    expect(errorOf(await update(admin.key))).toMatchObject({ code: 'forbidden' });
    expect(errorOf(await update(boss.key))).toMatchObject({ code: 'invalid_request', param: 'secondFactorRequired' });
    await factors.enrol(boss.key, PASSWORD);
    expect(errorOf(await update(boss.key))).toBeUndefined();
    expect([await status(boss.key), await status(admin.key)]).toEqual([200, 401]);
    const { body } = await service.graphql('{ signInSettings { secondFactorRequired } }', {}, { key: boss.key });
    expect(body.data.signInSettings).toEqual({ secondFactorRequired: true });
  });

  it('makes a member set up their first factor with the ticket, before a session exists', async () => {
    const { id } = await strictWorkspace();
    const email = `${randomUUID()}@corp.test`;
    await makeMember(service, 'viewer', { email, password: PASSWORD, workspaceId: id });
    const required = await factors.signIn({ email, password: PASSWORD });
    expect(required).toMatchObject({ enrolmentRequired: true, methods: [] });
    const { ticket } = required;
    expect(await factors.complete({ ticket, code: '000000' })).toMatchObject({ __typename: 'InvalidCredentials' });
    const { enrolmentId, totp } = await factors.start({ kind: 'TOTP', name: 'Phone', ticket });
    expect(await factors.complete({ ticket, code: codeOf(totp.secret) })).toMatchObject({
      __typename: 'InvalidCredentials',
    });
    const confirmed = await factors.confirm({ enrolmentId, ticket, code: codeOf(totp.secret) });
    expect(confirmed.recoveryCodes).toHaveLength(10);
    expect(await factors.complete({ ticket })).toMatchObject({ token: expect.stringMatching(/^sess_/) });
    expect(await factors.complete({ ticket })).toMatchObject({ __typename: 'InvalidCredentials' });
    expect(await factors.signIn({ email, password: PASSWORD })).toMatchObject({ enrolmentRequired: false });
  });

  it('keeps the last second factor of its members', async () => {
    const { boss } = await strictWorkspace();
    const { body } = await service.graphql('{ me { secondFactors { secondFactorId } } }', {}, { key: boss.key });
    const [{ secondFactorId }] = body.data.me.secondFactors;
    const removed = await factors.change('removeSecondFactor', { secondFactorId, password: PASSWORD }, boss.key);
    expect(removed).toMatchObject({ __typename: 'InvalidInput', path: ['secondFactorId'] });
  });

  it('gives a ticket instead of a session to a person who accepts an invitation', async () => {
    const { id, boss } = await strictWorkspace();
    const email = `${randomUUID()}@corp.test`;
    const token = await inviteToken(service, boss.key, email);
    const { body } = await accept(service, { token, name: 'A', password: PASSWORD });
    expect(body.data.acceptInvitation).toMatchObject({ __typename: 'SecondFactorRequired' });
    const { prisma } = service.service.services.stores;
    expect(await prisma.membership.count({ where: { workspaceId: id, user: { email } } })).toBe(1);
    expect(await factors.signIn({ email, password: PASSWORD })).toMatchObject({ enrolmentRequired: true });
  });
});

describe('an account with a second factor', () => {
  it('needs it also to accept an invitation, unless the session proved it', async () => {
    const { id } = await makeWorkspace(service);
    const [one, two] = [await member({ workspaceId: id }), await member({ workspaceId: id })];
    const { secret } = await factors.enrol(one.key, PASSWORD);
    const token = await inviteToken(service, owner, one.email);
    const { body } = await accept(service, { token, password: PASSWORD });
    expect(body.data.acceptInvitation).toMatchObject({ __typename: 'SecondFactorRequired' });
    expect(await factors.signIn({ email: one.email, password: PASSWORD })).toMatchObject({
      methods: ['TOTP', 'RECOVERY_CODE'],
    });
    expect(secret).toBeDefined();
    await factors.enrol(two.key, PASSWORD);
    const joined = await accept(service, { token: await inviteToken(service, owner, two.email) }, two.key);
    expect(joined.body.data.acceptInvitation.token).toMatch(/^sess_/);
  });

  it('does not need it for single sign-on, and keeps it after a new password', async () => {
    const { email, key } = await member();
    await factors.enrol(key, PASSWORD);
    const { session } = await accounts.signOn(email);
    expect(await status(session ?? '')).toBe(200);
    await accounts.resetByOperator(email, 'another long password');
    const required = await factors.signIn({ email, password: 'another long password' });
    expect(required).toMatchObject({ __typename: 'SecondFactorRequired', methods: ['TOTP', 'RECOVERY_CODE'] });
  });

  it('loses factors that were set up before its address was verified', async () => {
    const { email, key } = await member({ verified: false });
    await factors.enrol(key, PASSWORD);
    await accounts.resetByOperator(email, 'another long password');
    expect(await factors.signIn({ email, password: 'another long password' })).toMatchObject({
      __typename: 'SignInPayload',
    });
    const other = await member({ verified: false });
    await factors.enrol(other.key, PASSWORD);
    await accounts.signOn(other.email);
    const { prisma } = service.service.services.stores;
    expect(await prisma.secondFactor.count({ where: { userId: other.userId } })).toBe(0);
  });

  it('without a password cannot have one', async () => {
    const { session } = await accounts.signOn(accounts.address());
    const started = await factors.start({ kind: 'TOTP', name: 'A', password: '' }, session ?? null);
    expect(started).toMatchObject({ __typename: 'InvalidInput', message: expect.stringContaining('no password') });
  });
});

describe('a reset of second factors', () => {
  const reset = (userId: string, key: string) => factors.change('resetSecondFactors', { userId }, key);

  it('by an administrator ends the sessions, and the password is enough again', async () => {
    const { email, userId, key } = await member();
    await factors.enrol(key, PASSWORD);
    const list = '{ members(first: 100) { nodes { userId hasSecondFactor } } }';
    const { body } = await service.graphql(list, {}, { key: owner });
    expect(body.data.members.nodes).toContainEqual({ userId, hasSecondFactor: true });
    expect(await reset(userId, owner)).toMatchObject({ __typename: 'ResetSecondFactorsPayload' });
    expect(await status(key)).toBe(401);
    expect(await factors.signIn({ email, password: PASSWORD })).toMatchObject({ __typename: 'SignInPayload' });
    const audited =
      '{ auditLog(filter: { actions: [SECOND_FACTOR_RESET, SECOND_FACTOR_ADDED] }) { nodes { action } } }';
    const log = await service.graphql(audited, {}, { key: owner });
    expect(log.body.data.auditLog.nodes.slice(0, 2)).toEqual([
      { action: 'SECOND_FACTOR_RESET' },
      { action: 'SECOND_FACTOR_ADDED' },
    ]);
  });

  it('by an administrator is not for members of other workspaces, owners or oneself', async () => {
    const { id } = await makeWorkspace(service);
    const shared = await member({ workspaceId: id });
    const token = await inviteToken(service, owner, shared.email);
    await accept(service, { token, password: PASSWORD });
    expect(await reset(shared.userId, owner)).toMatchObject({ __typename: 'InvalidInput' });
    const elsewhere = await member({ workspaceId: id });
    expect(await reset(elsewhere.userId, owner)).toMatchObject({ __typename: 'NotFound' });
    const [boss, admin] = [await member({ role: 'owner' }), await member({ role: 'admin' })];
    expect(await reset(boss.userId, admin.key)).toMatchObject({ extensions: { code: 'FORBIDDEN' } });
    expect(await reset(boss.userId, boss.key)).toMatchObject({ __typename: 'InvalidInput' });
  });

  it('by the operator works for every account', async () => {
    const { email, key } = await member();
    await factors.enrol(key, PASSWORD);
    await accounts.resetFactorsByOperator(email);
    expect(await status(key)).toBe(401);
    expect(await factors.signIn({ email, password: PASSWORD })).toMatchObject({ __typename: 'SignInPayload' });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Accounts } from '../support/accounts.ts';
import { type FakeOidc, startFakeOidc } from '../support/fake-oidc.ts';
import { accept, inviteToken } from '../support/members.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { problemOn, saveProvider } from '../support/sign-on.ts';
import { makeMember, makeWorkspace, openSession, openSessionOf } from '../support/tenants.ts';

const STRANGE = 'the password of a stranger';
const OWN = 'the password of the owner';

let service: TestService;
let provider: FakeOidc;
let accounts: Accounts;
/** The workspace whose members use single sign-on, and a session of its owner. */
let corporate: string;
let corporateOwner: string;
/** The workspace of the attacker, and a session of its owner. */
let hostile: string;
let attacker: string;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
  provider = await startFakeOidc();
  corporate = await saveProvider(service, provider.issuer, { domain: 'corp.test' });
  corporateOwner = await openSession(service, 'owner');
  hostile = (await makeWorkspace(service)).id;
  attacker = await openSessionOf(service, await makeMember(service, 'owner', { workspaceId: hostile }));
  accounts = new Accounts(service, provider, corporate);
});
afterAll(async () => {
  provider.close();
  await service.close();
});

/** The attacker invites an address and accepts with a password of their choice. Returns the session. */
async function squat(email: string): Promise<string> {
  const token = await inviteToken(service, attacker, email, 'admin');
  const { body } = await accept(service, { token, name: 'Squatter', password: STRANGE });
  return body.data.acceptInvitation.token;
}

const status = async (key: string) => (await service.send('GET', '/v1/me', { key })).status;

describe('an account that a stranger created for an address', () => {
  it('loses its password and sessions when its owner first signs in with single sign-on', async () => {
    const email = accounts.address();
    const stolen = await squat(email);
    expect(await accounts.opens(email, STRANGE, hostile)).toBe(true);
    const { session, userId } = await accounts.signOn(email);
    expect(await status(stolen)).toBe(401);
    expect(await status(session ?? '')).toBe(200);
    for (const workspace of [corporate, hostile, undefined]) {
      expect(await accounts.opens(email, STRANGE, workspace)).toBe(false);
    }
    const entries = await service.service.services.stores.prisma.auditEntry.findMany({
      where: { action: 'password.removed', subjectId: userId ?? '' },
      select: { workspaceId: true, actorKind: true },
      orderBy: { workspaceId: 'asc' },
    });
    const expected = [corporate, hostile].sort().map((workspaceId) => ({ workspaceId, actorKind: 'service' }));
    expect(entries).toEqual(expected);
    expect(await accounts.methods(session)).toEqual(['SINGLE_SIGN_ON']);
  });

  it('loses them too if the stranger removed it from their workspace before', async () => {
    const email = accounts.address();
    await squat(email);
    await accounts.remove(email, attacker);
    const { session } = await accounts.signOn(email);
    expect(await status(session ?? '')).toBe(200);
    expect(await accounts.opens(email, STRANGE)).toBe(false);
    expect(await accounts.opens(email, STRANGE, corporate)).toBe(false);
  });

  it('loses them too if the stranger is an administrator of the same workspace', async () => {
    const email = accounts.address();
    const token = await inviteToken(service, corporateOwner, email);
    const joined = await accept(service, { token, name: 'Colleague', password: STRANGE });
    expect(await accounts.opens(email, STRANGE, corporate)).toBe(true);
    await accounts.signOn(email);
    expect(await accounts.opens(email, STRANGE, corporate)).toBe(false);
    expect(await status(joined.body.data.acceptInvitation.token)).toBe(401);
  });

  it('loses them at the next single sign-on of a member who was linked by an earlier release', async () => {
    const email = accounts.address();
    const { userId } = await accounts.signOn(email);
    await accounts.makeLegacy(email, STRANGE);
    expect(await accounts.opens(email, STRANGE, corporate)).toBe(true);
    await accounts.signOn(email, { address: accounts.address() });
    expect(await accounts.opens(email, STRANGE, corporate)).toBe(false);
    expect((await accounts.find(email)).id).toBe(userId);
    expect((await accounts.find(email)).emailVerifiedAt).toBeNull();
  });

  it('cannot join another workspace with a link that its inviter saw', async () => {
    const email = accounts.address();
    const stolen = await squat(email);
    const token = await inviteToken(service, corporateOwner, email, 'owner');
    const withPassword = await accept(service, { token, password: STRANGE });
    expect(errorOf(withPassword)).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('verified'),
    });
    expect(errorOf(await accept(service, { token }, stolen))).toMatchObject({ code: 'invalid_request' });
    expect(errorOf(await accept(service, { token, name: 'A', password: OWN }))).toMatchObject({ code: 'unauthorized' });
    expect(await accounts.opens(email, STRANGE, corporate)).toBe(false);
  });

  it('belongs to the next invited person if it has no workspace', async () => {
    const email = accounts.address();
    await squat(email);
    await accounts.remove(email, attacker);
    const token = await inviteToken(service, corporateOwner, email);
    expect(errorOf(await accept(service, { token, name: 'Owner', password: OWN }))).toBeUndefined();
    expect(await accounts.opens(email, OWN, corporate)).toBe(true);
    expect(await accounts.opens(email, STRANGE, corporate)).toBe(false);
    expect(await accounts.find(email)).toMatchObject({ name: 'Owner', emailVerifiedAt: null });
  });

  it('goes to one of two invited persons who accept at the same time', async () => {
    for (let round = 0; round < 3; round += 1) {
      const email = accounts.address();
      await squat(email);
      await accounts.remove(email, attacker);
      const one = await inviteToken(service, corporateOwner, email);
      const two = await inviteToken(service, attacker, email);
      const results = await Promise.all([
        accept(service, { token: one, name: 'One', password: OWN }),
        accept(service, { token: two, name: 'Two', password: STRANGE }),
      ]);
      const joined = results.map((result) => errorOf(result) === undefined);
      expect(joined.filter(Boolean)).toHaveLength(1);
      expect(await accounts.opens(email, OWN, corporate)).toBe(joined[0]);
      expect(await accounts.opens(email, STRANGE, corporate)).toBe(false);
    }
  });

  it('is not changed by the provider of a workspace without the domain, also with the same issuer', async () => {
    const email = accounts.address();
    const stolen = await squat(email);
    const another = await makeWorkspace(service);
    const owner = await makeMember(service, 'owner', { workspaceId: another.id });
    await saveProvider(service, provider.issuer, { workspaceId: another.id, domain: `${another.id}.test`, owner });
    const { page } = await accounts.signOn(email, { workspace: another.id });
    expect(problemOn(page)).toBe('domain_not_allowed');
    expect(await status(stolen)).toBe(200);
    expect(await accounts.opens(email, STRANGE, hostile)).toBe(true);
  });
});

describe('a verified account', () => {
  it('keeps its password and sessions when it is linked, but the password does not open the new workspace', async () => {
    const email = accounts.address();
    const userId = await makeMember(service, 'viewer', { email, password: OWN, workspaceId: hostile });
    const session = await openSessionOf(service, userId);
    await accounts.signOn(email);
    expect(await status(session)).toBe(200);
    expect(await accounts.opens(email, OWN, hostile)).toBe(true);
    const there = await accounts.signIn(email, OWN, corporate);
    expect(errorOf(there)).toMatchObject({ code: 'unauthorized', message: expect.stringContaining('does not accept') });
    expect((await accounts.signIn(email, OWN)).body.data.workspace.id).toBe(hostile);
    const { body } = await service.graphql('{ me { belongsTo { workspaceId signInMethods } } }', {}, { key: session });
    expect(body.data.me.belongsTo).toEqual([
      { workspaceId: hostile, signInMethods: ['PASSWORD'] },
      { workspaceId: corporate, signInMethods: ['SINGLE_SIGN_ON'] },
    ]);
  });

  it('keeps its password for a workspace that admitted it with the password', async () => {
    const email = accounts.address();
    await makeMember(service, 'viewer', { email, password: OWN });
    const { session } = await accounts.signOn(email);
    expect(await accounts.opens(email, OWN, corporate)).toBe(true);
    expect(await accounts.methods(session)).toEqual(['PASSWORD', 'SINGLE_SIGN_ON']);
  });

  it('opens all its workspaces with a password that the operator set', async () => {
    const email = accounts.address();
    await makeMember(service, 'viewer', { email, password: OWN, workspaceId: hostile });
    await accounts.signOn(email);
    await accounts.resetByOperator(email, 'a password from the operator');
    for (const workspace of [hostile, corporate]) {
      expect(await accounts.opens(email, 'a password from the operator', workspace)).toBe(true);
    }
  });

  it('has no password if single sign-on created it', async () => {
    const email = accounts.address();
    const { session } = await accounts.signOn(email);
    expect(await accounts.find(email)).toMatchObject({ passwordHash: null, emailVerifiedAt: expect.any(Date) });
    const { body } = await service.graphql('{ me { emailVerifiedAt signInMethods } }', {}, { key: session ?? null });
    expect(body.data.me).toEqual({ emailVerifiedAt: expect.any(String), signInMethods: ['SINGLE_SIGN_ON'] });
    const change = `mutation { changePassword(input: { currentPassword: "", newPassword: "${OWN}" }) { __typename } }`;
    const changed = await service.graphql(change, {}, { key: session ?? null });
    expect(changed.body.data.changePassword.__typename).toBe('InvalidInput');
  });

  it('is what the first start and the operator create', async () => {
    expect(await accounts.find(service.owner.email)).toMatchObject({ emailVerifiedAt: expect.any(Date) });
    const email = accounts.address();
    await accounts.createByOperator(email, OWN);
    expect(await accounts.find(email)).toMatchObject({ emailVerifiedAt: expect.any(Date) });
    expect(await accounts.opens(email, OWN, corporate)).toBe(true);
  });
});

describe('a member of an earlier release', () => {
  it('uses the password where it created the account or joined without single sign-on', async () => {
    const email = accounts.address();
    await makeMember(service, 'viewer', { email, password: OWN, workspaceId: hostile, createdAt: new Date(1) });
    await accounts.signOn(email);
    await accounts.makeLegacy(email, OWN);
    expect(await accounts.opens(email, OWN, hostile)).toBe(true);
    expect(await accounts.opens(email, OWN, corporate)).toBe(false);
    await service.service.services.stores.prisma.ssoIdentity.deleteMany({ where: { membership: { user: { email } } } });
    expect(await accounts.opens(email, OWN, corporate)).toBe(true);
  });
});

describe('a session', () => {
  it('is not opened with a password that was replaced in the meantime', async () => {
    const email = accounts.address();
    const userId = await makeMember(service, 'viewer', { email, password: OWN });
    await expect(accounts.openWithHash(userId, 'the hash of before')).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('the members of a workspace', () => {
  it('are listed with how they sign in', async () => {
    const email = accounts.address();
    const { userId } = await accounts.signOn(email);
    const gone = await makeMember(service, 'viewer', { verified: false });
    await service.service.services.stores.prisma.user.update({ where: { id: gone }, data: { passwordHash: null } });
    const document = '{ members(first: 100) { nodes { userId signInMethods } } }';
    const { body } = await service.graphql(document, {}, { key: corporateOwner });
    const methodsOf = (id: string | undefined) =>
      body.data.members.nodes.find((node: { userId: string }) => node.userId === id)?.signInMethods;
    expect(methodsOf(userId)).toEqual(['SINGLE_SIGN_ON']);
    expect(methodsOf(gone)).toEqual([]);
  });
});

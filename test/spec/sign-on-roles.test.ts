import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../src/contract/roles.ts';
import { type FakeOidc, startFakeOidc } from '../support/fake-oidc.ts';
import { invite, removeMember } from '../support/members.ts';
import { startService, type TestService } from '../support/service.ts';
import { callbackOf, PageClient, problemOn, saveProvider, updateSettings } from '../support/sign-on.ts';
import { makeMember, openSession, openSessionOf } from '../support/tenants.ts';

let service: TestService;
let provider: FakeOidc;
let workspaceId: string;
const roleMap = [
  { value: 'staff', role: 'DEVELOPER' },
  { value: 'admins', role: 'ADMIN' },
];
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
  provider = await startFakeOidc();
  workspaceId = await saveProvider(service, provider.issuer, {
    domain: 'acme.test',
    fields: { roleClaim: 'groups', roleMap },
  });
});
afterAll(async () => {
  provider.close();
  await service.close();
});

async function signOn(name: string, groups: unknown) {
  const browser = new PageClient(service);
  const { location } = await browser.open(`/sign-in/oidc?workspace=${workspaceId}`);
  if (!location) throw new Error('There is no redirect');
  provider.plan(location, {
    claims: { sub: name, email: `${name}@acme.test`, ...(groups !== undefined && { groups }) },
  });
  const page = await browser.open(callbackOf(location));
  const { body } = await service.send('GET', '/v1/me', { key: browser.session ?? null });
  return { role: body.data?.role as Role | undefined, session: browser.session ?? '', problem: problemOn(page) };
}

const setMap = async (mapping: readonly object[]) => {
  const { issuer } = provider;
  const oidc = { issuer, clientId: 'parley', defaultRole: 'VIEWER', jitMembership: true, roleClaim: 'groups' };
  await updateSettings(service, await openSession(service, 'owner'), { oidc: { ...oidc, roleMap: mapping } });
};

describe('the role claim', () => {
  it.each<[role: Role, groups: unknown]>([
    ['developer', ['staff']],
    ['developer', 'staff'],
    ['admin', ['staff', 'admins']],
    ['viewer', ['others']],
    ['viewer', undefined],
    ['viewer', { staff: true }],
    ['viewer', ['owner']],
  ])('gives a new member the role %s for %j', async (role, groups) => {
    expect((await signOn(`new-${JSON.stringify(groups)}`.replace(/\W+/g, '-'), groups)).role).toBe(role);
  });

  it('sets the role with each sign-in, and ends open invitations above it', async () => {
    const first = await signOn('moving', ['admins']);
    expect(first.role).toBe('admin');
    await invite(service, first.session, 'invited@acme.test', 'admin');
    expect((await signOn('moving', ['staff'])).role).toBe('developer');
    // The session of before has the new role too.
    const { body } = await service.send('GET', '/v1/me', { key: first.session });
    expect(body.data.role).toBe('developer');
    const { prisma } = service.service.services.stores;
    expect(await prisma.invitation.count({ where: { email: 'invited@acme.test' } })).toBe(0);
    const changes = await prisma.auditEntry.findMany({ where: { action: 'member.role_changed' } });
    expect(changes.map(({ actorKind, details }) => [actorKind, details])).toContainEqual([
      'service',
      { from: 'admin', to: 'developer' },
    ]);
  });

  it('does not change owners unless a value is mapped to owner', async () => {
    const userId = await makeMember(service, 'owner', { email: 'chief@acme.test' });
    expect((await signOn('chief', ['staff'])).role).toBe('owner');
    await setMap([...roleMap, { value: 'chiefs', role: 'OWNER' }]);
    expect((await signOn('chief', ['staff'])).role).toBe('developer');
    expect((await signOn('chief', ['chiefs'])).role).toBe('owner');
    await setMap(roleMap);
    expect(userId).toBeTruthy();
  });

  it('never takes the role from the last owner', async () => {
    await setMap([...roleMap, { value: 'chiefs', role: 'OWNER' }]);
    const { role } = await signOn('chief', ['chiefs']);
    expect(role).toBe('owner');
    const { prisma } = service.service.services.stores;
    const chief = await prisma.user.findUniqueOrThrow({ where: { email: 'chief@acme.test' } });
    await prisma.membership.updateMany({
      where: { workspaceId, role: 'owner', userId: { not: chief.id } },
      data: { role: 'viewer' },
    });
    expect((await signOn('chief', ['staff'])).role).toBe('owner');
    await makeMember(service, 'owner');
    expect((await signOn('chief', ['staff'])).role).toBe('developer');
    await setMap(roleMap);
  });
});

describe('a removed member', () => {
  it('loses the link to the provider, and can be invited again', async () => {
    const key = await openSession(service, 'owner');
    const { session } = await signOn('leaver', ['staff']);
    const { prisma } = service.service.services.stores;
    const { id } = await prisma.user.findUniqueOrThrow({ where: { email: 'leaver@acme.test' } });
    await removeMember(service, key, id);
    expect((await service.send('GET', '/v1/me', { key: session })).status).toBe(401);
    expect(await prisma.ssoIdentity.count({ where: { subject: 'leaver' } })).toBe(0);
    const { issuer } = provider;
    const oidc = { issuer, clientId: 'parley', defaultRole: 'VIEWER', roleClaim: 'groups', roleMap };
    await updateSettings(service, key, { oidc });
    expect((await signOn('leaver', ['staff'])).problem).toBe('not_member');
    await invite(service, key, 'leaver@acme.test', 'viewer');
    expect((await signOn('leaver', ['staff'])).role).toBe('developer');
  });
});

describe('the list of members', () => {
  it('says who uses single sign-on', async () => {
    const key = await openSessionOf(service, await makeMember(service, 'owner', { email: 'reader@acme.test' }));
    const { body } = await service.graphql(
      '{ members(first: 100) { nodes { ssoLinkedAt user { email } } } sessions { singleSignOn } }',
      {},
      { key },
    );
    const linked = (email: string) =>
      body.data.members.nodes.find(({ user }: { user: { email: string } }) => user.email === email).ssoLinkedAt;
    expect(linked('moving@acme.test')).toMatch(/^\d{4}-/);
    expect(linked('reader@acme.test')).toBeNull();
    expect(body.data.sessions).toEqual([{ singleSignOn: false }]);
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../src/contract/roles.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { inviteToken, removeMember, updateMember } from '../support/members.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeMember, makeWorkspace, openSession, openSessionOf } from '../support/tenants.ts';

let service: TestService;
let owner: string;
let admin: string;
beforeAll(async () => {
  service = await startService();
  owner = await openSession(service, 'owner');
  admin = await openSession(service, 'admin');
});
afterAll(() => service.close());

const me = (key: string) => service.send('GET', '/v1/me', { key });

/** A workspace with one owner and one other member. */
async function smallWorkspace(role: Role = 'admin') {
  const { id: workspaceId } = await makeWorkspace(service);
  const [first, second] = [
    // A minute before: members of the same millisecond have no order.
    await makeMember(service, 'owner', { workspaceId, createdAt: new Date(Date.now() - 60_000) }),
    await makeMember(service, role, { workspaceId }),
  ];
  const keys = { first: await openSessionOf(service, first), second: await openSessionOf(service, second) };
  return { first, second, keys };
}

async function auditEntries(subjectId: string, key = owner) {
  const { body } = await service.graphql(
    'query ($id: ID!) { auditLog(filter: { subjectId: $id }) { nodes { action details } } }',
    { id: subjectId },
    { key },
  );
  return body.data.auditLog.nodes;
}

describe('the members of a workspace', () => {
  it('are listed newest first, page by page, and found by their global IDs', async () => {
    const { first, second, keys } = await smallWorkspace('developer');
    const list = `query ($after: String) { members(first: 1, after: $after) {
      nodes { id userId role joinedAt user { userId email name } } pageInfo { hasNextPage endCursor } totalCount } }`;
    const read = async (after: string | null) =>
      (await service.graphql(list, { after }, { key: keys.first })).body.data.members;
    const one = await read(null);
    const two = await read(one.pageInfo.endCursor);
    expect([one.totalCount, two.pageInfo.hasNextPage]).toEqual([2, false]);
    expect(one.nodes[0]).toMatchObject({ userId: second, role: 'DEVELOPER', user: { userId: second } });
    expect(two.nodes[0]).toMatchObject({ userId: first, role: 'OWNER' });
    const node = 'query ($id: ID!) { node(id: $id) { ... on Member { userId } } }';
    const { id } = one.nodes[0];
    expect((await service.graphql(node, { id }, { key: keys.first })).body.data.node).toEqual({ userId: second });
    expect((await service.graphql(node, { id }, { key: owner })).body.data.node).toBeNull();
    const empty = Buffer.from('Member:x').toString('base64');
    expect((await service.graphql(node, { id: empty }, { key: owner })).body.data.node).toBeNull();
  });

  it('get another role, which applies from their next request on', async () => {
    const userId = await makeMember(service, 'viewer');
    const session = await openSessionOf(service, userId);
    const make = () => service.send('POST', '/v1/resources', { key: session, body: { type: 'note', fields: {} } });
    expect((await make()).status).toBe(403);
    const { body } = await updateMember(service, admin, userId, 'developer');
    expect(body.data.updateMember.member).toMatchObject({ userId, role: 'DEVELOPER' });
    expect((await make()).status).toBe(201);
    await updateMember(service, admin, userId, 'developer');
    expect(await auditEntries(userId)).toEqual([
      { action: 'MEMBER_ROLE_CHANGED', details: { from: 'viewer', to: 'developer' } },
    ]);
  });

  it('lose their open subscriptions with their membership, and reconnect after a change of their role', async () => {
    const userId = await makeMember(service, 'developer');
    const key = await openSessionOf(service, userId);
    const follow = () => subscribe(service, 'subscription { eventAppended { cursor } }', {}, key);
    const developer = await follow();
    const broken = expect(developer.next()).rejects.toThrow('terminated');
    expect(errorOf(await updateMember(service, owner, userId, 'viewer'))).toBeUndefined();
    await broken;
    const viewer = await follow();
    expect(viewer.rejection).toBeUndefined();
    const ended = viewer.next();
    expect(errorOf(await removeMember(service, owner, userId))).toBeUndefined();
    expect(await ended).toBeUndefined();
  });

  it('lose all their sessions in this workspace when they are removed, and no others', async () => {
    const userId = await makeMember(service, 'developer', { name: 'Gone' });
    const [one, two] = [await openSessionOf(service, userId), await openSessionOf(service, userId)];
    const { prisma } = service.service.services.stores;
    const { id: workspaceId } = await makeWorkspace(service);
    await prisma.membership.create({ data: { workspaceId, userId, role: 'viewer', createdAt: new Date() } });
    const elsewhere = await openSessionOf(service, userId, { workspace: workspaceId });
    expect((await removeMember(service, admin, userId)).body.data.removeMember.member).toEqual({
      userId,
      role: 'DEVELOPER',
    });
    expect([(await me(one)).status, (await me(two)).status, (await me(elsewhere)).status]).toEqual([401, 401, 200]);
    expect(await auditEntries(userId)).toMatchObject([{ action: 'MEMBER_REMOVED', details: { role: 'developer' } }]);
    expectGraphqlError(await removeMember(service, admin, userId), 'not_found', { param: 'userId' });
  });

  it('are never members of another workspace', async () => {
    const { second } = await smallWorkspace();
    expectGraphqlError(await removeMember(service, owner, second), 'not_found', { param: 'userId' });
    expectGraphqlError(await updateMember(service, owner, second, 'viewer'), 'not_found', { param: 'userId' });
    expectGraphqlError(await updateMember(service, owner, randomUUID(), 'viewer'), 'not_found', { param: 'userId' });
  });
});

describe('no member can grant a role above their own', () => {
  const facts = { required_roles: ['owner'] };

  it('does not let an admin add, change or remove an owner', async () => {
    const [member, anOwner] = [await makeMember(service, 'viewer'), await makeMember(service, 'owner')];
    expectGraphqlError(await updateMember(service, admin, member, 'owner'), 'forbidden', { param: 'role', facts });
    expectGraphqlError(await updateMember(service, admin, anOwner, 'viewer'), 'forbidden', { param: 'userId', facts });
    expectGraphqlError(await removeMember(service, admin, anOwner), 'forbidden', { param: 'userId', facts });
    expect((await updateMember(service, admin, member, 'admin')).body.data.updateMember.member.role).toBe('ADMIN');
  });

  it('lets an owner add, change and remove owners', async () => {
    const member = await makeMember(service, 'viewer');
    expect((await updateMember(service, owner, member, 'owner')).body.data.updateMember.member.role).toBe('OWNER');
    expect((await updateMember(service, owner, member, 'admin')).body.data.updateMember.member.role).toBe('ADMIN');
    const another = await makeMember(service, 'owner');
    expect((await removeMember(service, owner, another)).body.data.removeMember.member.role).toBe('OWNER');
  });
});

describe('the last owner', () => {
  it('cannot be removed or demoted, not even by that owner', async () => {
    const { first, keys } = await smallWorkspace();
    expectGraphqlError(await updateMember(service, keys.first, first, 'admin'), 'invalid_request', { param: 'role' });
    expectGraphqlError(await removeMember(service, keys.first, first), 'invalid_request', { param: 'userId' });
    expect((await me(keys.first)).body.data.role).toBe('owner');
  });

  it.each(['demotions', 'removals'])('remains if two %s race', async (description) => {
    for (let round = 0; round < 5; round += 1) {
      const { first, second, keys } = await smallWorkspace('owner');
      const end = (key: string, id: string) =>
        description === 'removals' ? removeMember(service, key, id) : updateMember(service, key, id, 'viewer');
      const responses = await Promise.all([end(keys.first, second), end(keys.second, first)]);
      expect(responses.filter((response) => !errorOf(response))).toHaveLength(1);
      const roles = await Promise.all([me(keys.first), me(keys.second)]);
      expect(roles.filter(({ body }) => body.data?.role === 'owner')).toHaveLength(1);
    }
  });
});

describe('a member who loses the right to invite', () => {
  it('loses their open invitations', async () => {
    const { first, second, keys } = await smallWorkspace('owner');
    const [high, low] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
    await inviteToken(service, keys.second, high, 'owner');
    await inviteToken(service, keys.second, low, 'viewer');
    const open = async () => {
      const { body } = await service.graphql('{ invitations { nodes { email } } }', {}, { key: keys.first });
      return body.data.invitations.nodes.map(({ email }: { email: string }) => email);
    };
    expect(await open()).toEqual([low, high]);
    await updateMember(service, keys.first, second, 'admin');
    expect(await open()).toEqual([low]);
    await removeMember(service, keys.first, second);
    expect(await open()).toEqual([]);
    expect((await me(keys.first)).body.data.user.id).toBe(first);
  });
});

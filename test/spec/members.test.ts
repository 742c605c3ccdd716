import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../src/contract/roles.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { invited, removeMember, updateMember } from '../support/members.ts';
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

/** The one owner of a workspace of its own, and another member of it. */
async function small(role: Role = 'admin') {
  const { id: workspaceId } = await makeWorkspace(service);
  const [first, second] = [
    await makeMember(service, 'owner', { workspaceId }),
    await makeMember(service, role, { workspaceId }),
  ];
  const keys = { first: await openSessionOf(service, first), second: await openSessionOf(service, second) };
  return { first, second, keys };
}

async function audited(subjectId: string, key = owner) {
  const { body } = await service.graphql(
    'query ($id: String!) { auditLog(filter: { subjectId: $id }) { nodes { action details } } }',
    { id: subjectId },
    { key },
  );
  return body.data.auditLog.nodes;
}

describe('members of a workspace', () => {
  it('are listed newest first, page by page, and found by their global ids', async () => {
    const { first, second, keys } = await small('developer');
    const list = `query ($after: String) { members(first: 1, after: $after) {
      nodes { id userId role joinedAt user { userId email name } } pageInfo { nextCursor } totalCount } }`;
    const read = async (after: string | null) =>
      (await service.graphql(list, { after }, { key: keys.first })).body.data.members;
    const one = await read(null);
    const two = await read(one.pageInfo.nextCursor);
    expect([one.totalCount, two.pageInfo.nextCursor]).toEqual([2, null]);
    expect(one.nodes[0]).toMatchObject({ userId: second, role: 'developer', user: { userId: second } });
    expect(two.nodes[0]).toMatchObject({ userId: first, role: 'owner' });
    const node = 'query ($id: ID!) { node(id: $id) { ... on Member { userId } } }';
    const { id } = one.nodes[0];
    expect((await service.graphql(node, { id }, { key: keys.first })).body.data.node).toEqual({ userId: second });
    expect((await service.graphql(node, { id }, { key: owner })).body.data.node).toBeNull();
    const none = Buffer.from('Member:x').toString('base64');
    expect((await service.graphql(node, { id: none }, { key: owner })).body.data.node).toBeNull();
  });

  it('get another role, which holds from their next request on', async () => {
    const userId = await makeMember(service, 'viewer');
    const session = await openSessionOf(service, userId);
    const make = () => service.send('POST', '/v1/resources', { key: session, body: { type: 'note', fields: {} } });
    expect((await make()).status).toBe(403);
    const { body } = await updateMember(service, admin, userId, 'developer');
    expect(body.data.updateMember).toMatchObject({ userId, role: 'developer' });
    expect((await make()).status).toBe(201);
    await updateMember(service, admin, userId, 'developer');
    expect(await audited(userId)).toEqual([
      { action: 'member.role_changed', details: { from: 'viewer', to: 'developer' } },
    ]);
  });

  it('end what they have open with their role, and with their membership', async () => {
    for (const change of [
      (id: string) => updateMember(service, owner, id, 'viewer'),
      (id: string) => removeMember(service, owner, id),
    ]) {
      const userId = await makeMember(service, 'developer');
      const key = await openSessionOf(service, userId);
      const stream = await subscribe(service, 'subscription { eventAppended { cursor } }', {}, key);
      const ended = stream.next();
      expect((await change(userId)).body.errors).toBeUndefined();
      expect(await ended).toBeUndefined();
    }
  });

  it('are out at once when they are removed, with all their sessions here, and nowhere else', async () => {
    const userId = await makeMember(service, 'developer', { name: 'Gone' });
    const [one, two] = [await openSessionOf(service, userId), await openSessionOf(service, userId)];
    const { prisma } = service.service.services;
    const { id: workspaceId } = await makeWorkspace(service);
    await prisma.membership.create({ data: { workspaceId, userId, role: 'viewer', createdAt: new Date() } });
    const elsewhere = await openSessionOf(service, userId, { workspace: workspaceId });
    expect((await removeMember(service, admin, userId)).body.data.removeMember).toEqual({ userId, role: 'developer' });
    expect([(await me(one)).status, (await me(two)).status, (await me(elsewhere)).status]).toEqual([401, 401, 200]);
    expect(await audited(userId)).toMatchObject([{ action: 'member.removed', details: { role: 'developer' } }]);
    expectGraphqlError(await removeMember(service, admin, userId), 'not_found', { param: 'userId' });
  });

  it('are never of another workspace', async () => {
    const { second } = await small();
    expectGraphqlError(await removeMember(service, owner, second), 'not_found', { param: 'userId' });
    expectGraphqlError(await updateMember(service, owner, second, 'viewer'), 'not_found', { param: 'userId' });
    expectGraphqlError(await updateMember(service, owner, randomUUID(), 'viewer'), 'not_found', { param: 'userId' });
  });
});

describe('nobody gives a role above their own', () => {
  const facts = { required_roles: ['owner'] };

  it('an admin makes no owner, and changes and removes none', async () => {
    const [member, anOwner] = [await makeMember(service, 'viewer'), await makeMember(service, 'owner')];
    expectGraphqlError(await updateMember(service, admin, member, 'owner'), 'forbidden', { param: 'role', facts });
    expectGraphqlError(await updateMember(service, admin, anOwner, 'viewer'), 'forbidden', { param: 'userId', facts });
    expectGraphqlError(await removeMember(service, admin, anOwner), 'forbidden', { param: 'userId', facts });
    expect((await updateMember(service, admin, member, 'admin')).body.data.updateMember.role).toBe('admin');
  });

  it('an owner makes, changes and removes owners', async () => {
    const member = await makeMember(service, 'viewer');
    expect((await updateMember(service, owner, member, 'owner')).body.data.updateMember.role).toBe('owner');
    expect((await updateMember(service, owner, member, 'admin')).body.data.updateMember.role).toBe('admin');
    const another = await makeMember(service, 'owner');
    expect((await removeMember(service, owner, another)).body.data.removeMember.role).toBe('owner');
  });
});

describe('the last owner stays', () => {
  it('and cannot be removed or demoted, by themselves either', async () => {
    const { first, keys } = await small();
    expectGraphqlError(await updateMember(service, keys.first, first, 'admin'), 'invalid_request', { param: 'role' });
    expectGraphqlError(await removeMember(service, keys.first, first), 'invalid_request', { param: 'userId' });
    expect((await me(keys.first)).body.data.role).toBe('owner');
  });

  it.each(['demotions', 'removals'])('where two %s race, one owner is left', async (what) => {
    for (let round = 0; round < 5; round += 1) {
      const { first, second, keys } = await small('owner');
      const end = (key: string, id: string) =>
        what === 'removals' ? removeMember(service, key, id) : updateMember(service, key, id, 'viewer');
      const answers = await Promise.all([end(keys.first, second), end(keys.second, first)]);
      expect(answers.filter(({ body }) => !body.errors)).toHaveLength(1);
      const roles = await Promise.all([me(keys.first), me(keys.second)]);
      expect(roles.filter(({ body }) => body.data?.role === 'owner')).toHaveLength(1);
    }
  });
});

describe('whoever may not invite any more has left no way in', () => {
  it('their invitations end with their role', async () => {
    const { first, second, keys } = await small('owner');
    const [high, low] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
    await invited(service, keys.second, high, 'owner');
    await invited(service, keys.second, low, 'viewer');
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

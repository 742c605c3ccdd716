import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { accept, invite, invited } from '../support/members.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember, makeWorkspace, openSession, openSessionOf } from '../support/tenants.ts';

let service: TestService;
let owner: string;
let admin: string;
beforeAll(async () => {
  service = await startService({ trustProxy: 1, publicUrl: 'https://parley.example.com' });
  owner = await openSession(service, 'owner');
  admin = await openSession(service, 'admin');
});
afterAll(() => service.close());

const address = () => `${randomUUID()}@example.com`;
const PASSWORD = 'long enough to be one';
const me = (key: string) => service.send('GET', '/v1/me', { key });

const revoke = (id: string, key = admin) =>
  service.graphql('mutation ($id: ID!) { revokeInvitation(id: $id) { email } }', { id }, { key });

async function audited(filter: object) {
  const { body } = await service.graphql(
    'query ($filter: AuditFilter) { auditLog(filter: $filter) { nodes { action actorKind actorId details } } }',
    { filter },
    { key: owner },
  );
  return body.data.auditLog.nodes;
}

describe('an invitation', () => {
  it('is a link that is shown once, holds for 7 days, and whose token is stored nowhere', async () => {
    const email = address();
    const { body } = await invite(service, admin, ` ${email.toUpperCase()} `, 'developer');
    const { url, invitation } = body.data.inviteMember;
    expect(url).toMatch(/^https:\/\/parley\.example\.com\/dashboard\/invitation#token=invite_[0-9A-Za-z]{43}$/);
    expect(invitation).toMatchObject({
      email,
      role: 'developer',
      invitedBy: { email: expect.stringMatching(/^admin/) },
    });
    expect(invitation.invitationId).toMatch(/^inv_[0-9a-z]{26}$/);
    expect(Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt)).toBe(7 * 86_400_000);
    const token = url.split('#token=')[1];
    const { prisma } = service.service.services;
    const stored = await prisma.$queryRaw<
      object[]
    >`SELECT t::text FROM invitation t UNION SELECT t::text FROM audit_entry t`;
    expect(JSON.stringify(stored)).not.toContain(token);
    const list = await service.graphql('{ invitations { nodes { invitationId email } } }', {}, { key: owner });
    expect(list.body.data.invitations.nodes[0]).toEqual({ invitationId: invitation.invitationId, email });
  });

  it('tells whoever holds its link what they would join, as long as it is open', async () => {
    const email = address();
    const token = await invited(service, admin, email, 'developer');
    const ask = (held: string) =>
      service.graphql(
        'query ($token: String!) { invitationOffer(token: $token) { workspaceName email role hasAccount expiresAt } }',
        { token: held },
        { key: null },
      );
    const offer = { workspaceName: 'Demo', email, role: 'developer', hasAccount: false };
    expect((await ask(token)).body.data.invitationOffer).toMatchObject(offer);
    expectGraphqlError(await ask(`${token.slice(0, -1)}_`), 'not_found', { param: 'token' });
    await accept(service, { token, name: 'Ann', password: PASSWORD });
    expectGraphqlError(await ask(token), 'not_found', { param: 'token' });
    const { id } = await makeWorkspace(service);
    const elsewhere = address();
    await makeMember(service, 'viewer', { email: elsewhere, workspaceId: id });
    const theirs = await invited(service, admin, elsewhere);
    expect((await ask(theirs)).body.data.invitationOffer).toMatchObject({ email: elsewhere, hasAccount: true });
  });

  it.each([
    ['no address', { email: 'x', role: 'viewer' }, 'email'],
    ['a long address', { email: `${'x'.repeat(250)}@a.de`, role: 'viewer' }, 'email'],
    ['an unknown role', { email: 'a@example.com', role: 'king' }, 'role'],
  ])('is not made with %s', async (_what, input, param) => {
    const document = 'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { url } }';
    expectGraphqlError(await service.graphql(document, { input }, { key: owner }), 'invalid_request', { param });
  });

  it('is not for a member, and to no role above that of whoever invites', async () => {
    expectGraphqlError(await invite(service, admin, service.owner.email), 'invalid_request', { param: 'email' });
    const facts = { required_roles: ['owner'] };
    expectGraphqlError(await invite(service, admin, address(), 'owner'), 'forbidden', { param: 'role', facts });
    const email = address();
    const { invitation } = (await invite(service, owner, email, 'owner')).body.data.inviteMember;
    expectGraphqlError(await invite(service, admin, email), 'forbidden', { param: 'email', facts });
    expectGraphqlError(await revoke(invitation.invitationId), 'forbidden', { param: 'id', facts });
    expect((await revoke(invitation.invitationId, owner)).body.data.revokeInvitation).toEqual({ email });
  });

  it('makes an account and a session in the workspace, and is told of', async () => {
    const email = address();
    const token = await invited(service, admin, email, 'developer');
    const { body } = await accept(service, { token, name: ' Ada ', password: PASSWORD });
    const { data } = (await me(body.data.acceptInvitation.token)).body;
    expect(data).toMatchObject({ user: { email, name: 'Ada' }, role: 'developer', workspace: { name: 'Demo' } });
    const entries = await audited({ actorId: data.user.id, actions: ['invitation.accepted', 'session.created'] });
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(['session.created', 'invitation.accepted']);
    expect(entries[1].details).toEqual({ email, role: 'developer' });
    const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { token } }';
    const again = await service.graphql(signIn, { input: { email, password: PASSWORD } }, { key: null });
    expect(again.body.data.signIn.token).toMatch(/^sess_/);
  });

  it.each([
    ['no name', { password: PASSWORD }, 'name'],
    ['a blank name', { name: ' ', password: PASSWORD }, 'name'],
    ['no password', { name: 'A' }, 'password'],
    ['a short password', { name: 'A', password: 'short' }, 'password'],
  ])('stays open where a new account has %s', async (_what, input, param) => {
    const token = await invited(service, admin, address());
    expectGraphqlError(await accept(service, { token, ...input }), 'invalid_request', { param });
    expect((await accept(service, { token, name: 'A', password: PASSWORD })).body.errors).toBeUndefined();
  });
});

describe('an invitation that was used, replaced or revoked, is too old or never was', () => {
  it('is refused in the same words', async () => {
    const { prisma } = service.service.services;
    const input = { name: 'A', password: PASSWORD };
    const used = await invited(service, admin, address());
    await accept(service, { token: used, ...input });
    const email = address();
    const replaced = await invited(service, admin, email);
    const open = await invited(service, owner, email, 'admin');
    const revoked = (await invite(service, admin, address())).body.data.inviteMember;
    await revoke(revoked.invitation.invitationId);
    expectGraphqlError(await revoke(revoked.invitation.invitationId), 'not_found', { param: 'id' });
    const old = (await invite(service, admin, address())).body.data.inviteMember;
    const { invitationId: id } = old.invitation;
    await prisma.invitation.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1) } });
    const tokenOf = ({ url }: { url: string }) => url.split('#token=')[1];
    const tokens = [used, replaced, tokenOf(revoked), tokenOf(old), `invite_${'a'.repeat(43)}`, ''];
    const answers = await Promise.all(tokens.map((token) => accept(service, { token, ...input })));
    const told = answers.map(({ body }) => body.errors[0].message);
    expect(new Set(told).size).toBe(1);
    for (const answer of answers) expectGraphqlError(answer, 'not_found', { param: 'token' });
    const list = await service.graphql('{ invitations(first: 100) { nodes { invitationId } } }', {}, { key: owner });
    expect(JSON.stringify(list.body)).not.toContain(id);
    const joined = await accept(service, { token: open, ...input });
    expect((await me(joined.body.data.acceptInvitation.token)).body.data.role).toBe('admin');
  });

  it('lets one of two racing acceptances win', async () => {
    for (let round = 0; round < 5; round += 1) {
      const token = await invited(service, admin, address());
      const twice = ['A', 'B'].map((name) => accept(service, { token, name, password: `${PASSWORD} ${name}` }));
      const answers = await Promise.all(twice);
      expect(answers.filter(({ body }) => !body.errors)).toHaveLength(1);
      const lost = answers.find(({ body }) => body.errors);
      expect(lost?.body.errors[0].extensions.code).toBeOneOf(['not_found', 'unauthorized']);
    }
  });
});

describe('an address that has an account in another workspace', () => {
  async function somebody() {
    const email = address();
    const { id: workspaceId } = await makeWorkspace(service);
    const userId = await makeMember(service, 'owner', { email, name: 'Known', password: PASSWORD, workspaceId });
    return { email, userId, workspaceId };
  }

  it('joins by its own password alone, and keeps its name', async () => {
    const { email, workspaceId } = await somebody();
    const token = await invited(service, admin, email);
    const wrong = await accept(service, { token, name: 'Thief', password: 'the password of a thief' });
    expectGraphqlError(wrong, 'unauthorized', { param: 'password' });
    expectGraphqlError(await accept(service, { token, name: 'Thief' }), 'invalid_request', { param: 'password' });
    expectGraphqlError(await accept(service, { token, name: 'Thief' }, admin), 'invalid_request', {
      param: 'password',
    });
    const { body } = await accept(service, { token, password: PASSWORD });
    const { data } = (await me(body.data.acceptInvitation.token)).body;
    expect(data).toMatchObject({ user: { email, name: 'Known' }, role: 'viewer', workspace: { name: 'Demo' } });
    const belongings = await service.graphql(
      '{ me { belongsTo { workspaceId role } } }',
      {},
      { key: body.data.acceptInvitation.token },
    );
    expect(belongings.body.data.me.belongsTo).toEqual([
      { workspaceId, role: 'owner' },
      { workspaceId: data.workspace.id, role: 'viewer' },
    ]);
    const signIn = async (input: object) => {
      const document = 'mutation ($input: SignInInput!) { signIn(input: $input) { token } }';
      return service.graphql(document, { input: { email, password: PASSWORD, ...input } }, { key: null });
    };
    const whereOf = async (input: object) =>
      (await me((await signIn(input)).body.data.signIn.token)).body.data.workspace.id;
    expect(await whereOf({})).toBe(workspaceId);
    expect(await whereOf({ workspaceId: data.workspace.id })).toBe(data.workspace.id);
    expectGraphqlError(await signIn({ workspaceId: randomUUID() }), 'unauthorized');
  });

  it('joins by a session of it', async () => {
    const { email, userId } = await somebody();
    const token = await invited(service, admin, email, 'developer');
    const { body } = await accept(service, { token }, await openSessionOf(service, userId));
    expect((await me(body.data.acceptInvitation.token)).body.data).toMatchObject({ user: { id: userId } });
  });

  it('is guarded against guesses: 10 a minute by account, and by address', async () => {
    const { email } = await somebody();
    const token = await invited(service, admin, email);
    for (let count = 0; count < 10; count += 1) await accept(service, { token, password: `guess ${count}` });
    expectGraphqlError(await accept(service, { token, password: PASSWORD }), 'rate_limited');
    const document = 'mutation { acceptInvitation(input: { token: "x" }) { token } }';
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const guess = () => service.graphql(document, {}, { key: null, headers });
    for (let count = 0; count < 10; count += 1) expectGraphqlError(await guess(), 'not_found');
    expectGraphqlError(await guess(), 'rate_limited');
  });
});

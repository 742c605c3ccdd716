import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { accept, invite, inviteToken } from '../support/members.ts';
import { errorOf } from '../support/results.ts';
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
/** Input that neither a new account nor an existing one can join with. */
const WRONG = [
  {},
  { name: 'A' },
  { password: PASSWORD },
  { name: ' ', password: PASSWORD },
  { name: 'A', password: 'short' },
];
const me = (key: string) => service.send('GET', '/v1/me', { key });

const revoke = (id: string, key = admin) =>
  service.graphql(
    'mutation ($id: ID!) { revokeInvitation(input: { id: $id }) { __typename ... on RevokeInvitationPayload { invitation { email } } ... on Error { code message path } } }',
    { id },
    { key },
  );

async function auditEntries(filter: object) {
  const { body } = await service.graphql(
    'query ($filter: AuditFilter) { auditLog(filter: $filter) { nodes { action actorKind actorId details } } }',
    { filter },
    { key: owner },
  );
  return body.data.auditLog.nodes;
}

describe('an invitation', () => {
  it('is a link that is shown once, works for 7 days, and whose token is not stored', async () => {
    const email = address();
    const { body } = await invite(service, admin, ` ${email.toUpperCase()} `, 'developer');
    const { url, invitation } = body.data.inviteMember;
    expect(url).toMatch(/^https:\/\/parley\.example\.com\/dashboard\/invitation#token=invite_[0-9A-Za-z]{43}$/);
    expect(invitation).toMatchObject({
      email,
      role: 'DEVELOPER',
      invitedBy: { email: expect.stringMatching(/^admin/) },
    });
    expect(invitation.invitationId).toMatch(/^inv_[0-9a-z]{26}$/);
    expect(Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt)).toBe(7 * 86_400_000);
    const token = url.split('#token=')[1];
    const { prisma } = service.service.services.stores;
    const stored = await prisma.$queryRaw<
      object[]
    >`SELECT t::text FROM invitation t UNION SELECT t::text FROM audit_entry t`;
    expect(JSON.stringify(stored)).not.toContain(token);
    const list = await service.graphql('{ invitations { nodes { invitationId email } } }', {}, { key: owner });
    expect(list.body.data.invitations.nodes[0]).toEqual({ invitationId: invitation.invitationId, email });
  });

  it('shows its offer to everyone who has the link while it is open', async () => {
    const email = address();
    const token = await inviteToken(service, admin, email, 'developer');
    const send = (held: string) =>
      service.graphql(
        'query ($token: String!) { invitationOffer(token: $token) { workspaceName email role hasAccount expiresAt } }',
        { token: held },
        { key: null },
      );
    const offer = { workspaceName: 'Demo', email, role: 'DEVELOPER', hasAccount: false };
    expect((await send(token)).body.data.invitationOffer).toMatchObject(offer);
    expect((await send(`${token.slice(0, -1)}_`)).body).toEqual({ data: { invitationOffer: null } });
    await accept(service, { token, name: 'Ann', password: PASSWORD });
    expect((await send(token)).body).toEqual({ data: { invitationOffer: null } });
  });

  it('does not show whether the address has an account', async () => {
    const { id } = await makeWorkspace(service);
    const known = address();
    await makeMember(service, 'viewer', { email: known, workspaceId: id });
    const offers: object[] = [];
    const errors: { input: object; error: object | undefined }[] = [];
    for (const email of [known, address()]) {
      const token = await inviteToken(service, admin, email);
      const document = 'query ($token: String!) { invitationOffer(token: $token) { hasAccount emailed } }';
      offers.push((await service.graphql(document, { token }, { key: null })).body);
      for (const input of WRONG) errors.push({ input, error: errorOf(await accept(service, { token, ...input })) });
    }
    expect(offers[0]).toEqual({ data: { invitationOffer: { hasAccount: false, emailed: false } } });
    expect(offers[1]).toEqual(offers[0]);
    expect(errors.slice(WRONG.length)).toEqual(errors.slice(0, WRONG.length));
    for (const { error } of errors) expect(error).toBeDefined();
  });

  it.each([
    ['no address', { email: 'x', role: 'VIEWER' }, 'email'],
    ['a long address', { email: `${'x'.repeat(250)}@a.de`, role: 'VIEWER' }, 'email'],
    ['an unknown role', { email: 'a@example.com', role: 'king' }, 'role'],
  ])('is not created with %s', async (_description, input, param) => {
    const document =
      'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { __typename ... on InviteMemberPayload { url } ... on Error { code message path } } }';
    expectGraphqlError(await service.graphql(document, { input }, { key: owner }), 'invalid_request', { param });
  });

  it("cannot be for a member, or for a role above the inviter's", async () => {
    expectGraphqlError(await invite(service, admin, service.owner.email), 'invalid_request', { param: 'email' });
    const facts = { required_roles: ['owner'] };
    expectGraphqlError(await invite(service, admin, address(), 'owner'), 'forbidden', { param: 'role', facts });
    const email = address();
    const { invitation } = (await invite(service, owner, email, 'owner')).body.data.inviteMember;
    expectGraphqlError(await invite(service, admin, email), 'forbidden', { param: 'email', facts });
    expectGraphqlError(await revoke(invitation.invitationId), 'forbidden', { param: 'id', facts });
    expect((await revoke(invitation.invitationId, owner)).body.data.revokeInvitation.invitation).toEqual({ email });
  });

  it('creates an account and a session in the workspace, and is audited', async () => {
    const email = address();
    const token = await inviteToken(service, admin, email, 'developer');
    const { body } = await accept(service, { token, name: ' Ada ', password: PASSWORD });
    const { data } = (await me(body.data.acceptInvitation.token)).body;
    expect(data).toMatchObject({ user: { email, name: 'Ada' }, role: 'developer', workspace: { name: 'Demo' } });
    const entries = await auditEntries({ actorId: data.user.id, actions: ['INVITATION_ACCEPTED', 'SESSION_CREATED'] });
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(['SESSION_CREATED', 'INVITATION_ACCEPTED']);
    expect(entries[1].details).toEqual({ email, role: 'developer' });
    const signIn =
      'mutation ($input: SignInInput!) { signIn(input: $input) { __typename ... on SignInPayload { token } ... on Error { code message path } } }';
    const repeated = await service.graphql(signIn, { input: { email, password: PASSWORD } }, { key: null });
    expect(repeated.body.data.signIn.token).toMatch(/^sess_/);
  });

  it.each([
    ['no name', { password: PASSWORD }, 'name'],
    ['a blank name', { name: ' ', password: PASSWORD }, 'name'],
    ['no password', { name: 'A' }, 'password'],
    ['a short password', { name: 'A', password: 'short' }, 'password'],
  ])('stays open if the new account has %s', async (_description, input, param) => {
    const token = await inviteToken(service, admin, address());
    expectGraphqlError(await accept(service, { token, ...input }), 'invalid_request', { param });
    expect(errorOf(await accept(service, { token, name: 'A', password: PASSWORD }))).toBeUndefined();
  });
});

describe('an invitation that was used, replaced or revoked, has expired or never existed', () => {
  it('is rejected with the same message', async () => {
    const { prisma } = service.service.services.stores;
    const input = { name: 'A', password: PASSWORD };
    const used = await inviteToken(service, admin, address());
    await accept(service, { token: used, ...input });
    const email = address();
    const replaced = await inviteToken(service, admin, email);
    const open = await inviteToken(service, owner, email, 'admin');
    const revoked = (await invite(service, admin, address())).body.data.inviteMember;
    await revoke(revoked.invitation.invitationId);
    expectGraphqlError(await revoke(revoked.invitation.invitationId), 'not_found', { param: 'id' });
    const old = (await invite(service, admin, address())).body.data.inviteMember;
    const { invitationId: id } = old.invitation;
    await prisma.invitation.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1) } });
    const tokenOf = ({ url }: { url: string }) => url.split('#token=')[1];
    const tokens = [used, replaced, tokenOf(revoked), tokenOf(old), `invite_${'a'.repeat(43)}`, ''];
    const responses = await Promise.all(tokens.map((token) => accept(service, { token, ...input })));
    const results = responses.map((response) => errorOf(response)?.message);
    expect(new Set(results).size).toBe(1);
    for (const response of responses) expectGraphqlError(response, 'not_found', { param: 'token' });
    const list = await service.graphql('{ invitations(first: 100) { nodes { invitationId } } }', {}, { key: owner });
    expect(JSON.stringify(list.body)).not.toContain(id);
    const joined = await accept(service, { token: open, ...input });
    expect((await me(joined.body.data.acceptInvitation.token)).body.data.role).toBe('admin');
  });

  it('lets one of two racing acceptances win', async () => {
    for (let round = 0; round < 5; round += 1) {
      const token = await inviteToken(service, admin, address());
      const twice = ['A', 'B'].map((name) => accept(service, { token, name, password: `${PASSWORD} ${name}` }));
      const responses = await Promise.all(twice);
      expect(responses.filter((response) => !errorOf(response))).toHaveLength(1);
      const [lost] = responses.flatMap((response) => errorOf(response) ?? []);
      expect(lost?.code).toBeOneOf(['not_found', 'unauthorized']);
    }
  });
});

describe('an address with an account in another workspace', () => {
  async function accountElsewhere() {
    const email = address();
    const { id: workspaceId } = await makeWorkspace(service);
    const userId = await makeMember(service, 'owner', { email, name: 'Known', password: PASSWORD, workspaceId });
    return { email, userId, workspaceId };
  }

  it('joins only with its own password and keeps its name', async () => {
    const { email, workspaceId } = await accountElsewhere();
    const token = await inviteToken(service, admin, email);
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
      { workspaceId, role: 'OWNER' },
      { workspaceId: data.workspace.id, role: 'VIEWER' },
    ]);
    const signIn = async (input: object) => {
      const document =
        'mutation ($input: SignInInput!) { signIn(input: $input) { __typename ... on SignInPayload { token } ... on Error { code message path } } }';
      return service.graphql(document, { input: { email, password: PASSWORD, ...input } }, { key: null });
    };
    const whereOf = async (input: object) =>
      (await me((await signIn(input)).body.data.signIn.token)).body.data.workspace.id;
    expect(await whereOf({})).toBe(workspaceId);
    expect(await whereOf({ workspaceId: data.workspace.id })).toBe(data.workspace.id);
    expectGraphqlError(await signIn({ workspaceId: randomUUID() }), 'unauthorized');
  });

  it('joins with a session of the account', async () => {
    const { email, userId } = await accountElsewhere();
    const token = await inviteToken(service, admin, email, 'developer');
    const { body } = await accept(service, { token }, await openSessionOf(service, userId));
    expect((await me(body.data.acceptInvitation.token)).body.data).toMatchObject({ user: { id: userId } });
  });

  it('is limited to 10 attempts per minute by account and by IP address', async () => {
    const { email } = await accountElsewhere();
    const token = await inviteToken(service, admin, email);
    for (let count = 0; count < 10; count += 1) await accept(service, { token, password: `guess ${count}` });
    expectGraphqlError(await accept(service, { token, password: PASSWORD }), 'rate_limited');
    const document =
      'mutation { acceptInvitation(input: { token: "x" }) { __typename ... on AcceptInvitationPayload { token } ... on Error { code message path } } }';
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const guess = () => service.graphql(document, {}, { key: null, headers });
    for (let count = 0; count < 10; count += 1) expectGraphqlError(await guess(), 'not_found');
    expectGraphqlError(await guess(), 'rate_limited');
  });
});

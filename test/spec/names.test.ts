import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service?.close();
});

const UPDATE_ME = `mutation ($name: String!) { updateMe(input: { name: $name }) {
  __typename ... on UpdateMePayload { me { user { name } } } ... on Error { code message path } } }`;
const UPDATE_WORKSPACE = `mutation ($name: String!) { updateWorkspace(input: { name: $name }) {
  __typename ... on UpdateWorkspacePayload { workspace { name } } ... on Error { code message path } } }`;
const NAMES = '{ me { user { userId name } workspace { name } } }';
const ENTRIES = `query ($action: AuditAction!) { auditLog(filter: { actions: [$action] }) { nodes { subjectId details } } }`;

const send = (document: string, key: string, name: string) => service.graphql(document, { name }, { key });
const namesOf = async (key: string) => (await service.graphql(NAMES, {}, { key })).body.data.me;
const entriesOf = async (key: string, action: string) =>
  (await service.graphql(ENTRIES, { action }, { key })).body.data.auditLog.nodes;

describe('the name of a member', () => {
  it('is changed by the member, and the audit log keeps both names', async () => {
    const key = await openSession(service, 'viewer');
    const { user } = await namesOf(key);
    expect((await send(UPDATE_ME, key, 'Grace Hopper')).body.data.updateMe.me.user.name).toBe('Grace Hopper');
    expect((await namesOf(key)).user).toEqual({ userId: user.userId, name: 'Grace Hopper' });
    await send(UPDATE_ME, key, 'Grace Hopper');
    expect(await entriesOf(await openSession(service, 'owner'), 'MEMBER_RENAMED')).toEqual([
      { subjectId: user.userId, details: { from: user.name, to: 'Grace Hopper' } },
    ]);
  });

  it('must be a visible text of limited length, and needs a session', async () => {
    const key = await openSession(service, 'viewer');
    for (const name of ['', ' ', 'x'.repeat(200)]) {
      expect(errorOf(await send(UPDATE_ME, key, name))).toMatchObject({
        code: 'invalid_request',
        param: 'name',
      });
    }
    expect(errorOf(await send(UPDATE_ME, service.key, 'A key'))).toMatchObject({ code: 'session_required' });
  });
});

describe('the name of the workspace', () => {
  it('is changed by administrators only, and members see it at once', async () => {
    const [admin, developer] = await Promise.all([openSession(service, 'admin'), openSession(service, 'developer')]);
    const before = (await namesOf(admin)).workspace.name;
    expect(errorOf(await send(UPDATE_WORKSPACE, developer, 'Mine'))).toMatchObject({ code: 'forbidden' });
    expect((await send(UPDATE_WORKSPACE, admin, 'Analytical Engines')).body.data.updateWorkspace.workspace.name).toBe(
      'Analytical Engines',
    );
    expect((await namesOf(developer)).workspace.name).toBe('Analytical Engines');
    expect(await entriesOf(admin, 'WORKSPACE_RENAMED')).toMatchObject([
      { details: { from: before, to: 'Analytical Engines' } },
    ]);
  });
});

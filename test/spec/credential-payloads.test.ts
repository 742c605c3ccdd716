import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fullSelection } from '../support/full-selection.ts';
import { inviteToken } from '../support/members.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey, makeMember, makeResetToken, makeWorkspace, openSession, openSessionOf } from '../support/tenants.ts';

const schema = buildSchema(readFileSync('schema/schema.graphql', 'utf8'));

let service: TestService;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
});
afterAll(() => service.close());

const PASSWORD = 'long enough to be one';
const typeOf = (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
let addresses = 0;

/** Sends a mutation that selects everything in its payload. Returns the payload, if the response has no error. */
async function payloadOf(name: string, input: object, key: string | null) {
  const type = typeOf(name);
  const document = `mutation ($input: ${type}Input!) { ${name}(input: $input) {
    __typename ... on ${type}Payload { ${fullSelection(schema, `${type}Payload`)} } ... on Error { message } } }`;
  addresses += 1;
  const headers = { 'x-forwarded-for': `192.0.2.${addresses}` };
  const { body } = await service.graphql(document, { input }, { key, headers });
  expect(body.errors).toBeUndefined();
  expect(body.data[name]).toMatchObject({ __typename: `${type}Payload` });
  return body.data[name];
}

describe('the payload of a new session', () => {
  const signInInput = async () => {
    const email = `${randomUUID()}@example.com`;
    await makeMember(service, 'viewer', { email, password: PASSWORD });
    return { email, password: PASSWORD };
  };

  it('is readable without credentials, with the workspace and its environments', async () => {
    const { token, workspace } = await payloadOf('signIn', await signInInput(), null);
    expect(token).toMatch(/^sess_/);
    expect(workspace).toMatchObject({
      name: 'Demo',
      currency: 'USD',
      environments: [{ kind: 'LIVE' }, { kind: 'TEST' }],
    });
  });

  it('leads back to the workspace', async () => {
    const document =
      'mutation ($input: SignInInput!) { signIn(input: $input) { ... on SignInPayload { workspace { environments { workspace { name } } } } } }';
    const { body } = await service.graphql(document, { input: await signInInput() }, { key: null });
    const environment = { workspace: { name: 'Demo' } };
    expect(body.data.signIn.workspace.environments).toEqual([environment, environment]);
  });

  it('is readable with a credential of another workspace', async () => {
    const { id, keys } = await makeWorkspace(service);
    const { workspace } = await payloadOf('signIn', await signInInput(), keys.live);
    expect(workspace.environments).toHaveLength(2);
    expect(workspace.workspaceId).not.toBe(id);
  });

  it('is readable by a person who accepts an invitation', async () => {
    const token = await inviteToken(service, await openSession(service, 'owner'), 'payload@example.com');
    const payload = await payloadOf('acceptInvitation', { token, name: 'A', password: PASSWORD }, null);
    expect([payload.token, payload.workspace.environments.length]).toEqual([expect.stringMatching(/^sess_/), 2]);
  });
});

describe('the payload of another credential', () => {
  it('is readable by the person who sets a password', async () => {
    const input = { token: await makeResetToken(service), password: PASSWORD };
    expect((await payloadOf('resetPassword', input, null)).email).toMatch(/@example\.com$/);
    const userId = await makeMember(service, 'viewer', { password: PASSWORD });
    const change = { currentPassword: PASSWORD, newPassword: 'another long password' };
    const { me } = await payloadOf('changePassword', change, await openSessionOf(service, userId));
    expect(me.user.userId).toBe(userId);
  });

  it('is readable by a key that only manages keys', async () => {
    const key = await makeKey(service, { scopes: ['keys:manage'] });
    const created = await payloadOf('createApiKey', { name: 'A', scopes: ['KEYS_MANAGE'] }, key);
    expect(created.secret).toMatch(/^sk_live_/);
    const id = created.apiKey.id;
    expect((await payloadOf('rotateApiKey', { id }, key)).secret).toMatch(/^sk_live_/);
    await payloadOf('updateApiKey', { id, name: 'B' }, key);
    await payloadOf('revokeApiKey', { id }, key);
  });

  it('is readable by a key that only manages end users', async () => {
    const key = await makeKey(service, { scopes: ['end_users:manage'] });
    const { id: deploymentId } = await service.service.services.stores.prisma.deployment.findFirstOrThrow({
      where: { workspace: { name: 'Demo' } },
    });
    const created = await payloadOf(
      'createEndUserToken',
      { deploymentId, endUser: 'a', ttlSeconds: 60, scopes: ['CONVERSATIONS_READ'] },
      key,
    );
    expect(created.token).toMatch(/^eut_live_/);
    await payloadOf('revokeEndUserTokens', { endUser: 'a' }, key);
  });

  it('is readable by a key that only manages webhooks', async () => {
    const key = await makeKey(service, { scopes: ['webhooks:manage'] });
    const input = { url: 'https://93.184.216.34/hook', eventTypes: ['RESOURCE_CREATED'] };
    const { endpoint, secret } = await payloadOf('createWebhookEndpoint', input, key);
    expect(secret).toMatch(/^whsec_/);
    expect((await payloadOf('rotateWebhookSecret', { id: endpoint.id }, key)).secret).toMatch(/^whsec_/);
  });
});

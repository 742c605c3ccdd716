import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { connect } from './actions.ts';
import { BRANCH_ERROR_ROWS } from './branch-error-rows.ts';
import { BUDGET_ERROR_ROWS } from './budget-error-rows.ts';
import { DELETION_ERROR_ROWS } from './deletion-error-rows.ts';
import { DOCUMENT_ERROR_ROWS } from './document-operations.ts';
import { FILE_ERROR_ROWS } from './file-error-rows.ts';
import { HANDLING_ERROR_ROWS } from './handling-error-rows.ts';
import { inviteToken } from './members.ts';
import { MODEL_ERROR_ROWS } from './model-error-rows.ts';
import { resultOf } from './results.ts';
import { SECOND_FACTOR_ERROR_ROWS } from './second-factor-error-rows.ts';
import { DEMO_CHAT_ID, type TestService } from './service.ts';
import { makeResetToken, openSession } from './tenants.ts';
import { content, NO_UUID, type Provocation, type Provoke, restContent, TURN_ERROR_ROWS } from './turn-error-rows.ts';
import { changeEndpoint, makeEndpoint } from './webhooks.ts';

const EVERYTHING = { from: '2026-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };

/** A request to change a resource, in both APIs. */
function change(method: 'PATCH' | 'DELETE', id: string, ifMatch?: string): Provocation {
  const fields = method === 'PATCH' ? { fields: { a: 1 } } : {};
  return {
    input: { id, ifMatch, ...fields },
    rest: {
      method,
      path: `/v1/resources/${id}`,
      ...(method === 'PATCH' && { body: fields }),
      ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }),
    },
  };
}

async function resource(service: TestService): Promise<string> {
  const body = { type: 'note', fields: {} };
  return (await service.send('POST', '/v1/resources', { body })).body.data.id;
}

function resourceRows(name: string, method: 'PATCH' | 'DELETE'): Record<string, Provoke> {
  return {
    [`${name} invalid_request`]: async (service) => change(method, await resource(service), 'no tag'),
    [`${name} not_found`]: () => change(method, 'res_unknown'),
    [`${name} precondition_failed`]: async (service) => change(method, await resource(service), '"old"'),
  };
}

function endUserRows(name: string, path: string): Record<string, Provoke> {
  const rest = { method: 'POST', path: `/v1/end-users/${path}`, body: { end_user: ' ' } } as const;
  return { [`${name} invalid_request`]: () => ({ input: { endUser: ' ' }, rest }) };
}

async function httpIntegration(service: TestService): Promise<string> {
  return connect(service, { kind: 'http', name: randomUUID(), url: 'https://127.0.0.1:9/' });
}

const owner = (service: TestService) => openSession(service, 'owner');

/** A row of a mutation for administrators. */
const asOwner =
  (input: object): Provoke =>
  async (service) => ({ input, key: await owner(service) });

const ids = (...names: string[]): Record<string, Provoke> =>
  Object.fromEntries(names.map((name) => [`${name} not_found`, () => ({ input: { id: 'x' } })]));

/** A request for every error that a mutation declares, by the mutation and the code. */
export const ERROR_ROWS: Readonly<Record<string, Provoke>> = {
  ...TURN_ERROR_ROWS,
  ...BRANCH_ERROR_ROWS,
  ...HANDLING_ERROR_ROWS,
  'createResource invalid_request': () => ({
    input: { type: 'Not valid', fields: {} },
    rest: { method: 'POST', path: '/v1/resources', body: { type: 'Not valid', fields: {} } },
  }),
  ...FILE_ERROR_ROWS,
  ...SECOND_FACTOR_ERROR_ROWS,
  ...resourceRows('updateResource', 'PATCH'),
  ...resourceRows('deleteResource', 'DELETE'),
  'createEndUserToken invalid_request': () => ({
    input: { deploymentId: DEMO_CHAT_ID, endUser: 'a', ttlSeconds: 0 },
    rest: {
      method: 'POST',
      path: `/v1/runner/${DEMO_CHAT_ID}/end-user-tokens`,
      body: { end_user: 'a', ttl_seconds: 0 },
    },
  }),
  'createEndUserToken not_found': () => ({
    input: { deploymentId: NO_UUID, endUser: 'a', ttlSeconds: 60 },
    rest: {
      method: 'POST',
      path: `/v1/runner/${NO_UUID}/end-user-tokens`,
      body: { end_user: 'a', ttl_seconds: 60 },
    },
  }),
  ...endUserRows('revokeEndUserTokens', 'revoke'),
  ...endUserRows('eraseEndUser', 'erase'),
  'rotateApiKey invalid_request': () => ({ input: { id: 'x', overlapHours: 25 } }),
  'createTrigger invalid_request': () => ({
    input: { deploymentId: DEMO_CHAT_ID, content, ttlHours: 0 },
    rest: { method: 'POST', path: `/v1/runner/${DEMO_CHAT_ID}/trigger`, body: { content: restContent, ttl_hours: 0 } },
  }),
  'createTrigger not_found': () => ({
    input: { deploymentId: NO_UUID, content },
    rest: { method: 'POST', path: `/v1/runner/${NO_UUID}/trigger`, body: { content: restContent } },
  }),
  'setTriggerRequired not_found': () => ({
    input: { workflowId: 999_999, triggerRequired: true },
    rest: { method: 'POST', path: '/v1/workflow/999999/trigger-settings', body: { trigger_required: true } },
  }),
  'createWorkflow invalid_request': () => ({ input: { name: '' } }),
  'updateWorkflow invalid_request': () => ({ input: { workflowId: 1, name: '' } }),
  'updateWorkflow not_found': () => ({ input: { workflowId: 999_999, name: 'A' } }),
  'updateWorkflow precondition_failed': () => ({ input: { workflowId: 1, name: 'A', ifRevision: 999 } }),
  'testDraft invalid_request': () => ({ input: { workflowId: 1, content: [] } }),
  'testDraft not_found': () => ({ input: { workflowId: 999_999, content } }),
  'testModel invalid_request': () => ({ input: { model: 'gpt' } }),
  'publishWorkflow invalid_request': () => ({ input: { workflowId: 1, deploymentIds: [] } }),
  'publishWorkflow not_found': () => ({ input: { workflowId: 1, deploymentIds: [NO_UUID] } }),
  'publishWorkflow precondition_failed': () => ({
    input: { workflowId: 1, deploymentIds: [DEMO_CHAT_ID], ifRevision: 999 },
  }),
  'createDeployment invalid_request': () => ({ input: { workflowId: 1, name: '', kind: 'CHAT' } }),
  'createDeployment not_found': () => ({ input: { workflowId: 999_999, name: 'A', kind: 'CHAT' } }),
  'updateDeployment invalid_request': () => ({ input: { deploymentId: DEMO_CHAT_ID, name: '' } }),
  'updateDeployment not_found': () => ({ input: { deploymentId: NO_UUID, name: 'A' } }),
  'rollBackDeployment not_found': () => ({ input: { deploymentId: NO_UUID, version: 1 } }),
  'unpublishDeployment not_found': () => ({ input: { deploymentId: NO_UUID } }),
  ...DELETION_ERROR_ROWS,
  ...MODEL_ERROR_ROWS,
  'setModelPrice invalid_request': () => ({ input: { model: 'demo', inputPerMillion: -1, outputPerMillion: 1 } }),
  ...BUDGET_ERROR_ROWS,
  'removeModelPrice not_found': () => ({ input: { model: 'unknown' } }),
  'connectIntegration invalid_request': () => ({ input: { kind: 'MCP', name: '', url: 'https://example.com' } }),
  'updateIntegration invalid_request': async (service) => ({ input: { id: await httpIntegration(service), name: '' } }),
  'signInToIntegration invalid_request': async (service) => ({
    input: { id: await httpIntegration(service) },
    key: await owner(service),
  }),
  'signInToIntegration not_found': async (service) => ({ input: { id: NO_UUID }, key: await owner(service) }),
  'signOutOfIntegration invalid_request': async (service) => ({ input: { id: await httpIntegration(service) } }),
  ...ids('updateIntegration', 'disconnectIntegration', 'signOutOfIntegration'),
  'createWebhookEndpoint invalid_request': () => ({ input: { url: 'nonsense' } }),
  'updateWebhookEndpoint invalid_request': async (service) => {
    const { id } = await makeEndpoint(service, 'https://127.0.0.1:9/');
    return { input: { id, url: 'nonsense' } };
  },
  ...ids('updateWebhookEndpoint', 'enableWebhookEndpoint', 'disableWebhookEndpoint', 'deleteWebhookEndpoint'),
  ...ids('rotateWebhookSecret', 'sendTestWebhook', 'replayWebhookDelivery'),
  'replayWebhookDeliveries not_found': () => ({ input: { ...EVERYTHING, id: 'x' } }),
  'replayWebhookDeliveries invalid_request': async (service) => {
    const { id } = await makeEndpoint(service, 'https://127.0.0.1:9/');
    return { input: { id, from: EVERYTHING.to, to: EVERYTHING.from } };
  },
  'sendTestWebhook invalid_request': async (service) => {
    const { id } = await makeEndpoint(service, 'https://127.0.0.1:9/');
    await changeEndpoint(service, 'disableWebhookEndpoint', id);
    return { input: { id } };
  },
  'createApiKey invalid_request': () => ({ input: { name: '', scopes: [] } }),
  'updateApiKey invalid_request': () => ({ input: { id: 'x', requestsPerMinute: 0 } }),
  ...ids('updateApiKey', 'rotateApiKey', 'revokeApiKey'),
  'setEnvironmentLimits invalid_request': asOwner({ concurrentRuns: 0 }),
  'setEndUserIssuer invalid_request': asOwner({ issuer: '', audience: '', jwksUrl: '', deploymentIds: [] }),
  'setEndUserIssuer not_found': asOwner({
    ...{ issuer: 'a', audience: 'a', jwksUrl: 'https://1.1.1.1/jwks' },
    deploymentIds: [NO_UUID],
  }),
  'setRetention invalid_request': asOwner({ days: 0 }),
  'inviteMember invalid_request': asOwner({ email: 'not an address', role: 'VIEWER' }),
  'updateSignInSettings invalid_request': asOwner({ ssoOnly: true }),
  'requestPasswordReset invalid_request': () => {
    // The service of this test sends no email.
    const body = { email: 'ada@example.com' };
    return { input: body, rest: { method: 'POST', path: '/v1/password-reset-requests', body } };
  },
  'resetPassword invalid_request': async (service) => {
    const body = { token: await makeResetToken(service), password: 'short' };
    return { input: body, rest: { method: 'POST', path: '/v1/password-resets', body } };
  },
  'resetPassword not_found': () => {
    const body = { token: 'reset_unknown', password: 'long enough it is' };
    return { input: body, rest: { method: 'POST', path: '/v1/password-resets', body } };
  },
  'revokeInvitation not_found': asOwner({ id: 'inv_unknown' }),
  'updateMe invalid_request': asOwner({ name: ' ' }),
  'updateWorkspace invalid_request': asOwner({ name: ' ' }),
  'updateMember invalid_request': async (service) => lastOwner(service, { role: 'VIEWER' }),
  'updateMember not_found': asOwner({ userId: NO_UUID, role: 'VIEWER' }),
  'removeMember invalid_request': async (service) => lastOwner(service, {}),
  'removeMember not_found': asOwner({ userId: NO_UUID }),
  'revokeSession not_found': asOwner({ sessionId: NO_UUID }),
  'allowApp invalid_request': asOwner({ request: 'unknown', environment: 'LIVE', scopes: [] }),
  'allowApp not_found': asOwner({ request: 'unknown', environment: 'LIVE', scopes: ['RESOURCES_READ'] }),
  'denyApp not_found': asOwner({ request: 'unknown' }),
  'disconnectApp not_found': asOwner({ appId: NO_UUID }),
  'changePassword invalid_request': asOwner({ currentPassword: 'wrong', newPassword: 'long enough to be one' }),
  'createSavedView invalid_request': asOwner({ name: '', parameters: '' }),
  'updateSavedView invalid_request': async (service) => {
    const key = await owner(service);
    const create = `mutation ($input: CreateSavedViewInput!) { createSavedView(input: $input) {
      __typename ... on CreateSavedViewPayload { savedView { savedViewId } } ... on Error { code message path } } }`;
    const view = resultOf(await service.graphql(create, { input: { name: randomUUID(), parameters: '' } }, { key }));
    return { input: { id: view.savedViewId, name: '' }, key };
  },
  'updateSavedView not_found': asOwner({ id: 'view_unknown', name: 'A' }),
  'deleteSavedView not_found': asOwner({ id: 'view_unknown' }),
  ...DOCUMENT_ERROR_ROWS,
  'signIn unauthorized': () => {
    const body = { email: `${randomUUID()}@example.com`, password: 'wrong' };
    return { input: body, rest: { method: 'POST', path: '/v1/sessions', body } };
  },
  'acceptInvitation invalid_request': async (service) => ({
    input: { token: await inviteToken(service, await owner(service), `${randomUUID()}@example.com`) },
  }),
  'acceptInvitation not_found': () => ({
    input: { token: 'invite_unknown', name: 'A', password: 'long enough it is' },
  }),
  'acceptInvitation unauthorized': async (service) => {
    const token = await inviteToken(service, await owner(service), await accountElsewhere(service));
    return { input: { token, name: 'A', password: 'a wrong password it is' } };
  },
};

/** A user with an account who is no member of the workspace. */
async function accountElsewhere({ service }: TestService): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  const data = {
    id: randomUUID(),
    email,
    name: 'A',
    passwordHash: await hash('another password'),
    createdAt: new Date(),
    emailVerifiedAt: new Date(),
  };
  await service.services.stores.prisma.user.create({ data });
  return email;
}

/** The only owner of the workspace, who cannot lose the role. */
async function lastOwner(service: TestService, fields: object): Promise<Provocation> {
  const { prisma } = service.service.services.stores;
  const key = await owner(service);
  const owners = await prisma.membership.findMany({ where: { role: 'owner' }, orderBy: { createdAt: 'desc' } });
  const [own, ...others] = owners;
  for (const { workspaceId, userId } of others) {
    const where = { workspaceId_userId: { workspaceId, userId } };
    if (workspaceId === own?.workspaceId) await prisma.membership.update({ where, data: { role: 'admin' } });
  }
  return { input: { userId: own?.userId, ...fields }, key };
}

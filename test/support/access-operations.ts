import type { SendOperation } from './all-operations.ts';
import type { Client } from './client.ts';
import { END_USER_FIELDS } from './end-users.ts';
import { mutationOf } from './results.ts';

/** An API key of the workspace: its public ID and its global ID. */
export interface KeyFixture {
  readonly id: string;
  readonly nodeId: string;
}

export async function createKeyFixture(owner: Client, marker: string): Promise<KeyFixture> {
  const { body } = await owner.graphql(
    'mutation ($name: String!) { createApiKey(input: { name: $name, scopes: [] }) { __typename ... on CreateApiKeyPayload { apiKey { id apiKeyId } } ... on Error { code message path } } }',
    { name: marker },
  );
  const { apiKey } = body.data.createApiKey;
  return { id: apiKey.apiKeyId, nodeId: apiKey.id };
}

const graphql =
  (document: string, variables: (fixtures: { readonly key: KeyFixture }) => object = () => ({})): SendOperation =>
  (client, key, fixtures) =>
    client.graphql(document, variables(fixtures), { key });

const byId = (field: string, selection: string) =>
  graphql(mutationOf(field, selection), ({ key }) => ({ input: { id: key.id } }));

/** A session ID that no user has. */
const SESSION = '00000000-0000-4000-8000-0000000000ff';

/**
 * The request of each root field of access for the fixtures. Fields for members also work with the credential passed
 * in.
 */
export const ACCESS_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Query.apiKeys': graphql('{ apiKeys(first: 100) { nodes { name } totalCount } }'),
  'Mutation.createApiKey': graphql(
    'mutation { createApiKey(input: { name: "own", scopes: [] }) { __typename ... on CreateApiKeyPayload { secret } ... on Error { code message path } } }',
  ),
  'Mutation.updateApiKey': graphql(
    'mutation ($id: ID!) { updateApiKey(input: { id: $id, requestsPerMinute: 100000 }) { __typename ... on UpdateApiKeyPayload { apiKey { name } } ... on Error { code message path } } }',
    ({ key }) => ({ id: key.id }),
  ),
  'Mutation.rotateApiKey': byId('rotateApiKey', '{ apiKey { name } secret }'),
  'Mutation.revokeApiKey': byId('revokeApiKey', '{ apiKey { name } }'),
  ...END_USER_FIELDS,
  'Mutation.signIn': graphql(
    'mutation { signIn(input: { email: "nobody@example.com", password: "x" }) { __typename ... on SignInPayload { token } ... on Error { code message path } } }',
  ),
  'Mutation.requestPasswordReset': graphql(
    'mutation { requestPasswordReset(input: { email: "nobody@example.com" }) { __typename ... on RequestPasswordResetPayload { minutes } ... on Error { code message path } } }',
  ),
  'Mutation.resetPassword': graphql(
    'mutation { resetPassword(input: { token: "reset_nobodys", password: "long enough it is" }) { __typename ... on ResetPasswordPayload { email } ... on Error { code message path } } }',
  ),
  'Mutation.completeSignIn': graphql(
    'mutation { completeSignIn(input: { ticket: "ticket_nobodys", code: "000000" }) { __typename ... on CompleteSignInPayload { token } ... on Error { code message path } } }',
  ),
  'Mutation.startSecondFactor': graphql(
    'mutation { startSecondFactor(input: { kind: TOTP, name: "A", ticket: "ticket_nobodys" }) { __typename ... on StartSecondFactorPayload { enrolmentId } ... on Error { code message path } } }',
  ),
  'Mutation.confirmSecondFactor': graphql(
    `mutation { confirmSecondFactor(input: { enrolmentId: "${SESSION}", ticket: "ticket_nobodys" }) { __typename ... on ConfirmSecondFactorPayload { recoveryCodes } ... on Error { code message path } } }`,
  ),
  'Mutation.removeSecondFactor': graphql(
    `mutation { removeSecondFactor(input: { secondFactorId: "${SESSION}", password: "wrong" }) { __typename ... on RemoveSecondFactorPayload { deletedId } ... on Error { code message path } } }`,
  ),
  'Mutation.createRecoveryCodes': graphql(
    'mutation { createRecoveryCodes(input: { password: "wrong" }) { __typename ... on CreateRecoveryCodesPayload { recoveryCodes } ... on Error { code message path } } }',
  ),
  'Query.me': graphql('{ me { user { email } } }'),
  'Query.connectedApps': graphql('{ connectedApps { appId } }'),
  'Query.connectionRequest': graphql('{ connectionRequest(request: "nobodys") { clientId } }'),
  'Mutation.allowApp': graphql(
    'mutation { allowApp(input: { request: "nobodys", environment: LIVE, scopes: [RESOURCES_READ] }) { __typename ... on AllowAppPayload { redirectUrl } ... on Error { code message path } } }',
  ),
  'Mutation.denyApp': graphql(
    'mutation { denyApp(input: { request: "nobodys" }) { __typename ... on DenyAppPayload { redirectUrl } ... on Error { code message path } } }',
  ),
  'Mutation.disconnectApp': graphql(
    `mutation { disconnectApp(input: { appId: "${SESSION}" }) { __typename ... on DisconnectAppPayload { deletedId } ... on Error { code message path } } }`,
  ),
  'Query.sessions': graphql('{ sessions { sessionId } }'),
  'Mutation.revokeSession': graphql(
    `mutation { revokeSession(input: { sessionId: "${SESSION}" }) { __typename ... on RevokeSessionPayload { deletedId } ... on Error { code message path } } }`,
  ),
  'Mutation.signOut': graphql(
    'mutation { signOut { __typename ... on SignOutPayload { deletedId } ... on Error { code message path } } }',
  ),
  'Mutation.changePassword': graphql(
    'mutation { changePassword(input: { currentPassword: "wrong", newPassword: "long enough to be one" }) { __typename ... on ChangePasswordPayload { me { role } } ... on Error { code message path } } }',
  ),
  // The names that the tests know.
  'Mutation.updateMe': graphql(
    'mutation { updateMe(input: { name: " " }) { __typename ... on UpdateMePayload { me { role } } ... on Error { code message path } } }',
  ),
  'Mutation.updateWorkspace': graphql(
    'mutation { updateWorkspace(input: { name: " " }) { __typename ... on UpdateWorkspacePayload { workspace { name } } ... on Error { code message path } } }',
  ),
  'Query.environmentLimits': graphql('{ environmentLimits { concurrentRuns } }'),
  'Mutation.setEnvironmentLimits': graphql(
    'mutation { setEnvironmentLimits(input: { concurrentRuns: null }) { __typename ... on SetEnvironmentLimitsPayload { environmentLimits { concurrentRuns } } ... on Error { code message path } } }',
  ),
  'Query.auditLog': graphql('{ auditLog { nodes { action } totalCount } }'),
};

/** The request of each REST route of access. */
export const ACCESS_ROUTES: Readonly<Record<string, SendOperation>> = {
  'GET /v1/me': (client, key) => client.send('GET', '/v1/me', { key }),
  'POST /v1/sessions': (client, key) =>
    client.send('POST', '/v1/sessions', { key, body: { email: 'nobody@example.com', password: 'x' } }),
  'POST /v1/sessions/second-factor': (client, key) =>
    client.send('POST', '/v1/sessions/second-factor', { key, body: { ticket: 'ticket_nobodys', code: '000000' } }),
  'POST /v1/password-reset-requests': (client, key) =>
    client.send('POST', '/v1/password-reset-requests', { key, body: { email: 'nobody@example.com' } }),
  'POST /v1/password-resets': (client, key) =>
    client.send('POST', '/v1/password-resets', {
      key,
      body: { token: 'reset_nobodys', password: 'long enough it is' },
    }),
  'DELETE /v1/sessions/current': (client, key) => client.send('DELETE', '/v1/sessions/current', { key }),
};

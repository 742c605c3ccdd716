import type { Client } from './client.ts';
import type { Ask } from './every-field.ts';

/** A key of the workspace: its public id, and the global one. */
export interface PlantedKey {
  readonly id: string;
  readonly nodeId: string;
}

export async function plantKey(owner: Client, marker: string): Promise<PlantedKey> {
  const { body } = await owner.graphql(
    'mutation ($name: String!) { createApiKey(input: { name: $name, scopes: [] }) { apiKey { id apiKeyId } } }',
    { name: marker },
  );
  const { apiKey } = body.data.createApiKey;
  return { id: apiKey.apiKeyId, nodeId: apiKey.id };
}

const graphql =
  (document: string, variables: (planted: { readonly key: PlantedKey }) => object = () => ({})): Ask =>
  (client, key, planted) =>
    client.graphql(document, variables(planted), { key });

const byId = (field: string, selection: string) =>
  graphql(`mutation ($id: ID!) { ${field}(id: $id) ${selection} }`, ({ key }) => ({ id: key.id }));

/** Nobody's session. */
const SESSION = '00000000-0000-4000-8000-0000000000ff';

/** How each root field of access is asked for what was planted; those for members, by whatever credential is given. */
export const ACCESS_FIELDS: Readonly<Record<string, Ask>> = {
  'Query.apiKeys': graphql('{ apiKeys(first: 100) { nodes { name } totalCount } }'),
  'Mutation.createApiKey': graphql('mutation { createApiKey(input: { name: "own", scopes: [] }) { secret } }'),
  'Mutation.updateApiKey': graphql(
    'mutation ($id: ID!) { updateApiKey(id: $id, input: { requestsPerMinute: 100000 }) { name } }',
    ({ key }) => ({ id: key.id }),
  ),
  'Mutation.rotateApiKey': byId('rotateApiKey', '{ apiKey { name } secret }'),
  'Mutation.revokeApiKey': byId('revokeApiKey', '{ name }'),
  'Mutation.signIn': graphql('mutation { signIn(input: { email: "nobody@example.com", password: "x" }) { token } }'),
  'Query.me': graphql('{ me { user { email } } }'),
  'Query.sessions': graphql('{ sessions { sessionId } }'),
  'Mutation.revokeSession': graphql(`mutation { revokeSession(sessionId: "${SESSION}") }`),
  'Mutation.signOut': graphql('mutation { signOut }'),
  'Mutation.changePassword': graphql(
    'mutation { changePassword(input: { currentPassword: "wrong", newPassword: "long enough to be one" }) }',
  ),
  'Query.environmentLimits': graphql('{ environmentLimits { concurrentRuns } }'),
  'Mutation.setEnvironmentLimits': graphql(
    'mutation { setEnvironmentLimits(input: { concurrentRuns: null }) { concurrentRuns } }',
  ),
  'Query.auditLog': graphql('{ auditLog { nodes { action } totalCount } }'),
};

/** The same for each REST route. */
export const ACCESS_ROUTES: Readonly<Record<string, Ask>> = {
  'GET /v1/me': (client, key) => client.send('GET', '/v1/me', { key }),
};

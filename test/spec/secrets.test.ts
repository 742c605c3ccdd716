import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_FIELDS, ALL_ROUTES, sendOf } from '../support/all-operations.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { createFixtures, createFixturesFor } from '../support/fixtures.ts';
import { graphText } from '../support/graph-content.ts';
import { inviteToken } from '../support/members.ts';
import { startReceiver } from '../support/receiver.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeResetToken, openSession } from '../support/tenants.ts';
import { until } from '../support/until.ts';

const PROVIDER_KEY = `sk-provider-${randomUUID()}`;
const SECRET_KEY = `the key of this service ${randomUUID()}`;
const HEADER = `header-${randomUUID()}`;
const CLIENT_SECRET = `client-secret-${randomUUID()}`;
const PASSWORD = `password-${randomUUID()}`;

let service: TestService;
let provider: Awaited<ReturnType<typeof startFakeProvider>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
/** Echoes the request headers. */
let echo: FileServer;
/** Secrets by the location where they are set. Each was shown once or never. */
const secrets: Record<string, string> = {};
/** All later output of the service. */
const results: [where: string, text: string][] = [];

async function mutate(document: string, variables: object, key: string) {
  const response = await service.graphql(document, variables, { key });
  const error = errorOf(response);
  if (error) throw new Error(JSON.stringify(error));
  return Object.values(response.body.data as Record<string, Record<string, string>>)[0] ?? {};
}

async function createSecrets(session: string) {
  const key =
    'mutation { createApiKey(input: { name: "A", scopes: [] }) { __typename ... on CreateApiKeyPayload { secret apiKey { apiKeyId } } ... on Error { code message path } } }';
  const created = await mutate(key, {}, session);
  const { apiKeyId: id } = created.apiKey as unknown as { apiKeyId: string };
  const rotated = await mutate(
    'mutation ($id: ID!) { rotateApiKey(input: { id: $id }) { __typename ... on RotateApiKeyPayload { secret } ... on Error { code message path } } }',
    { id },
    session,
  );
  const endpoint = await mutate(
    'mutation ($url: String!) { createWebhookEndpoint(input: { url: $url, eventTypes: [RESOURCE_CREATED] }) { __typename ... on CreateWebhookEndpointPayload { secret } ... on Error { code message path } } }',
    { url: `${receiver.url}/hook` },
    session,
  );
  await mutate(
    `mutation ($url: String!, $value: String!) { connectIntegration(input: { kind: HTTP, name: "Echo", url: $url,
      headers: [{ name: "x-secret", value: $value }] }) { __typename ... on ConnectIntegrationPayload { integration { integrationId } } ... on Error { code message path } } }`,
    { url: echo.url, value: HEADER },
    session,
  );
  const issuer = echo.url;
  await mutate(
    `mutation ($issuer: String!, $secret: String!) { updateSignInSettings(input: { oidc: { issuer: $issuer, clientId: "A",
      clientSecret: $secret, defaultRole: VIEWER } }) { __typename ... on UpdateSignInSettingsPayload { signInSettings { ssoOnly } } ... on Error { code message path } } }`,
    { issuer, secret: CLIENT_SECRET },
    session,
  );
  await service.graphql(
    'mutation ($p: String!) { changePassword(input: { currentPassword: "wrong", newPassword: $p }) { __typename ... on ChangePasswordPayload { me { role } } ... on Error { code message path } } }',
    { p: PASSWORD },
    { key: session },
  );
  Object.assign(secrets, {
    'a created key': created.secret,
    'a rotated key': rotated.secret,
    'the owner’s key': service.keys.live,
    'the owner’s password': service.owner.password,
    'a password that was tried': PASSWORD,
    'a session': session,
    'an invitation': await inviteToken(service, session, `${randomUUID()}@example.com`),
    'a webhook endpoint': endpoint.secret,
    'a header of an integration': HEADER,
    'the secret at an identity provider': CLIENT_SECRET,
    'a link for a password': await makeResetToken(service),
    'the provider’s key': PROVIDER_KEY,
    'the service’s own key': SECRET_KEY,
  });
}

beforeAll(async () => {
  provider = await startFakeProvider();
  receiver = await startReceiver();
  echo = await startFileServer({
    '/echo': ({ headers }, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(headers)),
  });
  const openai = { apiKey: PROVIDER_KEY, baseUrl: provider.url };
  service = await startService({ federation: true, secretKey: SECRET_KEY, providers: { openai, anthropic: {} } });
  const session = await openSession(service, 'owner');
  await createSecrets(session);
  const owner = { ...service, key: service.keys.live };
  const fixtures = await createFixtures(service);
  for (const operation of [...ALL_FIELDS, ...ALL_ROUTES]) {
    if (/signOut|signIn|acceptInvitation/.test(operation.name)) continue;
    const operationFixtures = await createFixturesFor(service, operation, fixtures);
    const result = await sendOf(operation)(owner, operation.members ? session : service.keys.live, operationFixtures);
    results.push([operation.name, `${JSON.stringify([...result.headers])} ${JSON.stringify(result.body)}`]);
  }
  for (const [name, path] of [
    ['metrics', '/metrics'],
    ['an export', '/v1/export'],
  ] as const) {
    results.push([name, JSON.stringify((await service.send('GET', path, { key: session })).body)]);
  }
});
afterAll(async () => {
  await service.close();
  await provider.close();
  await receiver.close();
  await echo.close();
});

/** The locations that contain a text in clear or as base64. */
function locationsOf(locations: readonly [string, string][], secret: string): string[] {
  const encoded = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return locations.flatMap(([where, all]) => (all.includes(secret) || all.includes(encoded) ? [where] : []));
}

describe('a secret', () => {
  it('appears in no response of any field or route, including the export and the metrics', () => {
    expect(results.length).toBeGreaterThan(100);
    for (const [description, secret] of Object.entries(secrets))
      expect([description, locationsOf(results, secret)]).toEqual([description, []]);
  });

  it('appears in no error response to any caller', async () => {
    provider.reply({ kind: 'status', status: 401 });
    const failures = await Promise.all([
      service.send('POST', '/v1/runner/x/conversation', { body: {} }),
      service.graphql('{ nothing }'),
      service.graphql(
        'mutation { createApiKey(input: { name: "", scopes: [] }) { __typename ... on CreateApiKeyPayload { secret } ... on Error { code message path } } }',
      ),
      service.send('GET', '/v1/me', { key: secrets['a created key'] ?? '' }),
    ]);
    const locations = failures.map(({ body }, index): [string, string] => [String(index), JSON.stringify(body)]);
    for (const [description, secret] of Object.entries(secrets))
      expect([description, locationsOf(locations, secret)]).toEqual([description, []]);
  });

  it('reaches the model through no action that echoes it', async () => {
    const draft = {
      httpActions: [
        {
          name: 'echo',
          description: 'Echoes.',
          integration: 'Echo',
          url: '/echo',
          inputSchema: { type: 'object', properties: {} },
        },
      ],
    };
    const creation = await service.graphql(
      'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { __typename ... on CreateWorkflowPayload { workflow { workflowId } } ... on Error { code message path } } }',
      { input: { name: 'Echoes', draft } },
    );
    const { workflowId: id } = creation.body.data.createWorkflow.workflow;
    const result = await service.graphql(
      'mutation ($input: TestDraftInput!) { testDraft(input: $input) { __typename ... on TestDraftPayload { run { content } } ... on Error { code message path } } }',
      { input: { workflowId: id, content: graphText('/call echo {}') } },
    );
    const { content } = result.body.data.testDraft.run;
    expect(content).toContain('x-secret');
    expect(content).not.toContain(HEADER);
  });

  it('appears in no log line', () => {
    const lines = service.logLines.map((line, index): [string, string] => [`${index}: ${line.slice(0, 200)}`, line]);
    expect(lines.length).toBeGreaterThan(100);
    for (const [description, secret] of Object.entries(secrets))
      expect([description, locationsOf(lines, secret)]).toEqual([description, []]);
  });

  it('appears in no database row in clear', async () => {
    const { prisma } = service.service.services.stores;
    await until(async () => (await prisma.webhookDelivery.count()) > 0);
    const tables = await prisma.$queryRaw<{ name: string }[]>`
      SELECT table_name::text AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`;
    expect(tables.length).toBeGreaterThan(20);
    const locations: [string, string][] = [];
    for (const { name } of tables) {
      const rows = await prisma.$queryRawUnsafe<{ row: string }[]>(`SELECT t::text AS row FROM "${name}" t`);
      locations.push([name, rows.map(({ row }) => row).join('\n')]);
    }
    for (const [description, secret] of Object.entries(secrets)) {
      const hex = Buffer.from(secret).toString('hex');
      const inBytes = locations.flatMap(([name, all]) => (all.includes(hex) ? [name] : []));
      expect([description, locationsOf(locations, secret), inBytes]).toEqual([description, [], []]);
    }
  });
});

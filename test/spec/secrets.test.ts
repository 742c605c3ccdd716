import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../support/doors.ts';
import { EVERY_FIELD, EVERY_ROUTE, rowOf } from '../support/every-field.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { invited } from '../support/members.ts';
import { plant, plantFor } from '../support/plant.ts';
import { startReceiver } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';
import { until } from '../support/until.ts';

const PROVIDER_KEY = `sk-provider-${randomUUID()}`;
const SECRET_KEY = `the key of this service ${randomUUID()}`;
const HEADER = `header-${randomUUID()}`;
const PASSWORD = `password-${randomUUID()}`;

let service: TestService;
let provider: Awaited<ReturnType<typeof startFakeProvider>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
/** Sends back the headers that it gets. */
let echo: FileServer;
/** By the place that it was planted in: each was shown once, or never. */
const secrets: Record<string, string> = {};
/** All that the service has told since. */
const told: [where: string, text: string][] = [];

async function mutate(document: string, variables: object, key: string) {
  const { body } = await service.graphql(document, variables, { key });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return Object.values(body.data as Record<string, Record<string, string>>)[0] ?? {};
}

async function plantSecrets(session: string) {
  const key = 'mutation { createApiKey(input: { name: "A", scopes: [] }) { secret apiKey { apiKeyId } } }';
  const created = await mutate(key, {}, session);
  const { apiKeyId: id } = created.apiKey as unknown as { apiKeyId: string };
  const rotated = await mutate('mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }', { id }, session);
  const endpoint = await mutate(
    'mutation ($url: String!) { createWebhookEndpoint(input: { url: $url, eventTypes: ["resource.created"] }) { secret } }',
    { url: `${receiver.url}/hook` },
    session,
  );
  await mutate(
    `mutation ($url: String!, $value: String!) { connectIntegration(input: { kind: http, name: "Echo", url: $url,
      headers: [{ name: "x-secret", value: $value }] }) { integrationId } }`,
    { url: echo.url, value: HEADER },
    session,
  );
  await service.graphql(
    'mutation ($p: String!) { changePassword(input: { currentPassword: "wrong", newPassword: $p }) }',
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
    'an invitation': await invited(service, session, `${randomUUID()}@example.com`),
    'a webhook endpoint': endpoint.secret,
    'a header of an integration': HEADER,
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
  service = await startService({ secretKey: SECRET_KEY, providers: { openai, anthropic: {} } });
  const session = await openSession(service, 'owner');
  await plantSecrets(session);
  const owner = { ...service, key: service.keys.live };
  const planted = await plant(service);
  for (const door of [...EVERY_FIELD, ...EVERY_ROUTE]) {
    if (/signOut|signIn|acceptInvitation/.test(door.name)) continue;
    const mine = await plantFor(service, door, planted);
    const answer = await rowOf(door)(owner, door.members ? session : service.keys.live, mine);
    told.push([door.name, `${JSON.stringify([...answer.headers])} ${JSON.stringify(answer.body)}`]);
  }
  for (const [name, path] of [
    ['metrics', '/metrics'],
    ['an export', '/v1/export'],
  ] as const) {
    told.push([name, JSON.stringify((await service.send('GET', path, { key: session })).body)]);
  }
});
afterAll(async () => {
  await service.close();
  await provider.close();
  await receiver.close();
  await echo.close();
});

/** Where a text stands in clear, or as base64. */
function found(places: readonly [string, string][], secret: string): string[] {
  const encoded = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return places.flatMap(([where, all]) => (all.includes(secret) || all.includes(encoded) ? [where] : []));
}

describe('a secret that is planted', () => {
  it('is in no answer of any field or route afterwards, the export and the metrics included', () => {
    expect(told.length).toBeGreaterThan(100);
    for (const [what, secret] of Object.entries(secrets)) expect([what, found(told, secret)]).toEqual([what, []]);
  });

  it('is in no answer to what fails, whoever caused it', async () => {
    provider.reply({ kind: 'status', status: 401 });
    const failures = await Promise.all([
      service.send('POST', '/v1/runner/x/conversation', { body: {} }),
      service.graphql('{ nothing }'),
      service.graphql('mutation { createApiKey(input: { name: "", scopes: [] }) { secret } }'),
      service.send('GET', '/v1/me', { key: secrets['a created key'] ?? '' }),
    ]);
    const places = failures.map(({ body }, index): [string, string] => [String(index), JSON.stringify(body)]);
    for (const [what, secret] of Object.entries(secrets)) expect([what, found(places, secret)]).toEqual([what, []]);
  });

  it('is told to the model by no action that is sent it back', async () => {
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
    const made = await service.graphql(
      'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { workflowId } }',
      { input: { name: 'Echoes', draft } },
    );
    const { workflowId: id } = made.body.data.createWorkflow;
    const answer = await service.graphql(
      'mutation ($id: Int!, $input: OneShotInput!) { testDraft(workflowId: $id, input: $input) { content } }',
      { id, input: { content: text('/call echo {}') } },
    );
    const { content } = answer.body.data.testDraft;
    expect(content).toContain('x-secret');
    expect(content).not.toContain(HEADER);
  });

  it('is in no line of the log', () => {
    const lines = service.logged.map((line, index): [string, string] => [`${index}: ${line.slice(0, 200)}`, line]);
    expect(lines.length).toBeGreaterThan(100);
    for (const [what, secret] of Object.entries(secrets)) expect([what, found(lines, secret)]).toEqual([what, []]);
  });

  it('is in no row of the database in the clear', async () => {
    const { prisma } = service.service.services;
    await until(async () => (await prisma.webhookDelivery.count()) > 0);
    const tables = await prisma.$queryRaw<{ name: string }[]>`
      SELECT table_name::text AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`;
    expect(tables.length).toBeGreaterThan(20);
    const places: [string, string][] = [];
    for (const { name } of tables) {
      const rows = await prisma.$queryRawUnsafe<{ row: string }[]>(`SELECT t::text AS row FROM "${name}" t`);
      places.push([name, rows.map(({ row }) => row).join('\n')]);
    }
    for (const [what, secret] of Object.entries(secrets)) {
      const hex = Buffer.from(secret).toString('hex');
      const inBytes = places.flatMap(([name, all]) => (all.includes(hex) ? [name] : []));
      expect([what, found(places, secret), inBytes]).toEqual([what, [], []]);
    }
  });
});

import { randomUUID } from 'node:crypto';
import { newTypeId } from '../../../src/domain/type-id.ts';
import { makeApp, makeRequest } from '../app-rows.ts';
import { CREATE_TOKEN, ERASE_END_USER, endUsersOf, REVOKE_TOKENS, SET_ISSUER } from '../end-users.ts';
import { startFakeOidc } from '../fake-oidc.ts';
import { createFixtures } from '../fixtures.ts';
import { mutationOf, resultOf } from '../results.ts';
import { FactorClient, makeTicket } from '../second-factors.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, type TestService } from '../service.ts';
import { callbackOf, PageClient, saveProvider } from '../sign-on.ts';
import { makeMember, makeResetToken, openSession, openSessionOf } from '../tenants.ts';
import { until } from '../until.ts';
import { PNG, uploadFile } from '../uploads.ts';
import { makeEndpoint } from '../webhooks.ts';

/** Tables without a row, and why. */
const EMPTY_TABLES: Readonly<Record<string, string>> = {
  conversation_presence: 'a row expires within a minute, and a sweep deletes it',
  live_text: 'holds the text of a step while it runs, and loses it with the end of the step',
  outgoing_mail: 'the service that makes the fixture has no mail server, and a row is deleted when the mail is sent',
  rate_limit: 'an embedded database counts in the process',
};

/** Inserts at least one row into every table, through the API where it can. */
export async function fillTables(service: TestService, url: string): Promise<void> {
  await createFixtures(service);
  const session = await openSession(service, 'owner');
  await makeResetToken(service);
  await fillSecondFactors(service);
  await fillApps(service);
  await fillSettings(service, session);
  await fillEndUsers(service, session);
  await fillSignOn(service);
  await fillDocumentCalls(service);
  const { id } = await makeEndpoint(service, url, { eventTypes: ['RESOURCE_DELETED'] });
  await replayEverything(service, id);
  await fillQueue(service);
  // Last, because a sweep empties it within a minute.
  await fillFileRemovals(service);
}

/** Throws if a table has no row. Returns the number of rows of each. */
export async function countTables(service: TestService): Promise<Record<string, number>> {
  const { prisma } = service.service.services.stores;
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    SELECT relname AS name FROM pg_class
    WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace ORDER BY 1`;
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await prisma.$queryRawUnsafe<{ count: number }[]>(`SELECT count(*)::int AS count FROM "${name}"`);
    counts[name] = row?.count ?? 0;
    if (counts[name] === 0 && !(name in EMPTY_TABLES)) throw new Error(`The table ${name} has no example data.`);
  }
  return counts;
}

/** An app that a member has connected, and the request of another one. */
async function fillApps(service: TestService): Promise<void> {
  await makeApp(service, await makeMember(service, 'viewer'));
  await makeRequest(service);
  const createdAt = new Date();
  const expiresAt = new Date(createdAt.getTime() + 86_400_000);
  const app = {
    id: 'an-app',
    name: 'An app',
    redirectUris: ['https://app.example.com/callback'],
    createdAt,
    expiresAt,
  };
  await service.service.services.stores.prisma.registeredApp.create({ data: app });
}

/** An authenticator app with recovery codes, and a sign-in that waits for one. */
async function fillSecondFactors(service: TestService): Promise<void> {
  const password = randomUUID();
  const userId = await makeMember(service, 'viewer', { password });
  await new FactorClient(service).enrol(await openSessionOf(service, userId), password);
  await makeTicket(service);
}

async function fillSettings(service: TestService, session: string): Promise<void> {
  const view = mutationOf('createSavedView', '{ savedView { name } }');
  resultOf(await service.graphql(view, { input: { name: 'Failed', parameters: 'status=failed' } }, { key: session }));
  const branding = mutationOf('updateDeployment', '{ deployment { deploymentId } }');
  const logo = PNG.toString('base64');
  resultOf(await service.graphql(branding, { input: { deploymentId: DEMO_CHAT_ID, branding: { logo } } }));
  const note = { body: { type: 'note', fields: {} }, headers: { 'idempotency-key': randomUUID() } };
  await service.send('POST', '/v1/resources', note);
  const retention = mutationOf('setRetention', '{ retention { days } }');
  resultOf(await service.graphql(retention, { input: { days: null } }, { key: session }));
  await fillBudgets(service);
  await fillNotes(service, session);
}

async function fillNotes(service: TestService, key: string): Promise<void> {
  const { id: conversationId } = await service.service.services.stores.prisma.conversation.findFirstOrThrow();
  const add = mutationOf('addConversationNote', '{ note { text } }');
  resultOf(await service.graphql(add, { input: { conversationId, text: 'Call back on Monday' } }, { key }));
}

/** A step that runs while the fixture is made would take its reservation back. */
async function fillBudgets(service: TestService): Promise<void> {
  const set = mutationOf('setBudget', '{ budget { budgetId } }');
  const input = { deploymentId: DEMO_CHAT_ID, period: 'MONTH', tokens: 1_000_000_000, warnAt: 0.8 };
  resultOf(await service.graphql(set, { input }));
  const { prisma } = service.service.services.stores;
  const { environmentId, id: budgetId } = await prisma.budget.findFirstOrThrow();
  const reservation = { environmentId, budgetId, id: randomUUID(), workId: randomUUID(), amount: 10 };
  await prisma.budgetReservation.create({ data: { ...reservation, expiresAt: new Date('2100-01-01T00:00:00Z') } });
  await prisma.budget.updateMany({ data: { reserved: 10 } });
  const { id: runId } = await prisma.run.findFirstOrThrow({ where: { environmentId } });
  const settings = { period: 'total', unit: 'tokens', amount: 1_000, onReached: 'refuse', isDefault: true } as const;
  const times = { periodStart: new Date(0), createdAt: new Date(), updatedAt: new Date() };
  await prisma.budget.create({
    data: { environmentId, id: newTypeId('bud'), place: `run:${runId}`, runId, ...settings, ...times },
  });
}

async function fillEndUsers(service: TestService, session: string): Promise<void> {
  const { tokenOf, start } = endUsersOf(service, DEMO_CHAT_ID);
  await start(await tokenOf('ann'));
  const input = { deploymentId: DEMO_CHAT_ID, endUser: 'ben', ttlSeconds: 60 };
  resultOf(await service.graphql(CREATE_TOKEN, { input }));
  resultOf(await service.graphql(REVOKE_TOKENS, { input: { endUser: 'ben' } }));
  await service.graphql(ERASE_END_USER, { input: { endUser: 'ben' } });
  const issuer = { issuer: 'https://login.example.com', audience: 'parley', jwksUrl: 'https://1.1.1.1/jwks' };
  resultOf(
    await service.graphql(SET_ISSUER, { input: { ...issuer, deploymentIds: [DEMO_CHAT_ID] } }, { key: session }),
  );
}

/** A member signs in with an identity provider. */
async function fillSignOn(service: TestService): Promise<void> {
  const provider = await startFakeOidc();
  try {
    const workspaceId = await saveProvider(service, provider.issuer, { domain: 'acme.test' });
    const browser = new PageClient(service);
    const { location } = await browser.open(`/sign-in/oidc?workspace=${workspaceId}`);
    if (!location) throw new Error('There is no redirect to the provider.');
    provider.plan(location, { claims: { sub: 'one', email: 'new@acme.test', name: 'New' } });
    await browser.open(callbackOf(location));
  } finally {
    provider.close();
  }
}

async function fillDocumentCalls(service: TestService): Promise<void> {
  const text = 'query @rest(get: "/v1/x/example_count") { resources { totalCount } }';
  resultOf(
    await service.graphql(mutationOf('publishDocument', '{ document { name } }'), {
      input: { name: 'example_count', text },
    }),
  );
  await service.send('GET', '/v1/x/example_count');
  await service.service.services.stores.documentCalls.flush();
}

/** A turn that still runs, and a message that waits for it. */
async function fillQueue(service: TestService): Promise<void> {
  const { prisma } = service.service.services.stores;
  const update = mutationOf('updateDeployment', '{ deployment { deploymentId } }');
  resultOf(await service.graphql(update, { input: { deploymentId: DEMO_AGENT_ID, doubleTextPolicy: 'ENQUEUE' } }));
  const { conversation_id } = (await service.agentTurn('Hello')).body;
  // Both end with the service, after the fixture is made.
  void service.agentTurn('/slow 60', { conversation_id }).catch(() => {});
  await until(
    async () => (await prisma.run.count({ where: { conversationId: conversation_id, status: 'running' } })) > 0,
  );
  void service.agentTurn('waiting', { conversation_id }).catch(() => {});
  await until(async () => (await prisma.queuedTurn.count()) > 0);
}

/** The bytes of a file that nothing uses any more. */
async function fillFileRemovals(service: TestService): Promise<void> {
  const [used, removed] = [await uploadFile(service), await uploadFile(service)];
  const turn = (part: object) => service.agentTurn('', { content: [{ type: 'text', text: 'Look' }, part] });
  await turn(used.part);
  const { conversation_id: conversationId } = (await turn(removed.part)).body;
  resultOf(await service.graphql(mutationOf('deleteConversation', '{ deletedId }'), { input: { conversationId } }));
}

async function replayEverything(service: TestService, endpointId: string): Promise<void> {
  const to = new Date();
  const input = { id: endpointId, from: new Date(to.getTime() - 3_600_000), to, onlyFailed: false };
  resultOf(await service.graphql(mutationOf('replayWebhookDeliveries', '{ replay { replayId } }'), { input }));
}

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ALL_FIELDS, type SendOperation, sendOf } from '../support/all-operations.ts';
import { makeApp, makeRequest } from '../support/app-rows.ts';
import { fromManyAddresses } from '../support/client.ts';
import { createFixtures, createFixturesFor, type Fixtures } from '../support/fixtures.ts';
import { graphText } from '../support/graph-content.ts';
import { loseClaims, Snapshot, STALLED, TAKEN, withKey } from '../support/lost-claims.ts';
import { inviteToken } from '../support/members.ts';
import { makeNote } from '../support/note-rows.ts';
import { codeOf, FactorClient, makeTicket } from '../support/second-factors.ts';
import { input, textOf } from '../support/send-graphql.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment, makeMember, makeResetToken, openSessionOf } from '../support/tenants.ts';

/** What a second process changes if it takes the key over after the effect: only these tables. */
interface Repetition {
  readonly changes: readonly string[];
  readonly because: string;
  /** Tables that have more rows afterwards. */
  readonly grows?: readonly string[];
}

const RECORDED: Repetition = { changes: [], because: 'The effect is recorded with the key.' };
const SETS: Repetition = { changes: ['audit_entry'], because: 'It sets the same values. Each call is audited.' };
const REMOVES: Repetition = { changes: [], because: 'It no longer exists.' };
const USED: Repetition = { changes: [], because: 'It can be used once.' };
const TESTS: Repetition = { changes: [], because: 'It only reads.' };
const ASKS_AGAIN = 'A process cannot know whether the model was asked before, so it asks again.';
const RUNS: Repetition = { changes: ['trigger', 'workflow_log'], because: ASKS_AGAIN };
const REPLACED = 'Nobody has the secret of the first response, so another secret replaces it.';
const replaces = (table: string): Repetition => ({ changes: [table, 'audit_entry'], because: REPLACED });

/** Every mutation. */
const MUTATIONS: Readonly<Record<string, Repetition>> = {
  acceptInvitation: USED,
  addConversationNote: RECORDED,
  allowApp: USED,
  assignConversation: SETS,
  cancelRun: REMOVES,
  changePassword: USED,
  completeSignIn: USED,
  completeUpload: SETS,
  confirmSecondFactor: USED,
  connectIntegration: RECORDED,
  createApiKey: replaces('api_key'),
  createDeployment: RECORDED,
  createEndUserToken: replaces('end_user_token'),
  createRecoveryCodes: replaces('recovery_code'),
  createResource: RECORDED,
  createSavedView: RECORDED,
  createTrigger: RECORDED,
  createUpload: RECORDED,
  createWebhookEndpoint: RECORDED,
  createWorkflow: RECORDED,
  deleteConversation: RECORDED,
  deleteConversationNote: RECORDED,
  deleteDeployment: RECORDED,
  deleteResource: REMOVES,
  deleteSavedView: REMOVES,
  deleteTrigger: RECORDED,
  deleteWebhookEndpoint: REMOVES,
  deleteWorkflow: RECORDED,
  denyApp: USED,
  disableWebhookEndpoint: SETS,
  disconnectApp: REMOVES,
  disconnectIntegration: REMOVES,
  editMessage: RECORDED,
  enableWebhookEndpoint: SETS,
  eraseEndUser: { ...SETS, changes: ['revoked_end_user', 'audit_entry'] },
  forkConversation: RECORDED,
  handBack: REMOVES,
  inviteMember: replaces('invitation'),
  publishDocument: RECORDED,
  publishWorkflow: RECORDED,
  rateMessage: SETS,
  regenerateTurn: RECORDED,
  removeBudget: RECORDED,
  removeEndUserIssuer: REMOVES,
  removeMember: REMOVES,
  removeModelPrice: REMOVES,
  removeSecondFactor: REMOVES,
  renameConversation: SETS,
  replayWebhookDeliveries: RECORDED,
  replayWebhookDelivery: RECORDED,
  requestPasswordReset: RECORDED,
  resetPassword: USED,
  resetSecondFactors: SETS,
  resumeAgentTurn: RECORDED,
  revokeApiKey: REMOVES,
  revokeEndUserTokens: { ...SETS, changes: ['revoked_end_user', 'audit_entry'] },
  revokeInvitation: REMOVES,
  revokeSession: REMOVES,
  rollBackDeployment: SETS,
  rotateApiKey: replaces('api_key'),
  rotateWebhookSecret: RECORDED,
  runAgentTurn: RECORDED,
  runOnce: RUNS,
  selectVariant: SETS,
  sendAsMember: RECORDED,
  sendMessage: RECORDED,
  sendTestWebhook: RECORDED,
  setBudget: { ...SETS, changes: ['budget', 'audit_entry'] },
  setEndUserIssuer: SETS,
  setEnvironmentLimits: SETS,
  setModelPrice: SETS,
  setRetention: SETS,
  setPresence: SETS,
  setTimeZone: SETS,
  setTriggerRequired: SETS,
  signIn: {
    changes: ['session', 'audit_entry'],
    grows: ['session'],
    because: 'Nobody has the token of the first session, and members see it in their list.',
  },
  signInToIntegration: TESTS,
  signOut: REMOVES,
  signOutOfIntegration: { changes: ['integration'], because: 'It deletes the same tokens again.' },
  startSecondFactor: { changes: ['second_factor'], because: 'A new start replaces the last one.' },
  stopTurn: REMOVES,
  suggestReply: { changes: ['conversation', 'workflow_log'], because: RUNS.because },
  takeOver: { changes: ['conversation'], because: 'The same person keeps the conversation, and renews the lease.' },
  testDraft: RUNS,
  testEndUserIssuer: TESTS,
  testModel: { changes: [], because: ASKS_AGAIN },
  testSignInSettings: TESTS,
  unpublishDeployment: SETS,
  deleteDocument: REMOVES,
  updateApiKey: SETS,
  updateConversation: SETS,
  updateDeployment: SETS,
  updateIntegration: SETS,
  updateMe: SETS,
  updateMember: SETS,
  updateResource: SETS,
  updateSavedView: SETS,
  updateSignInSettings: SETS,
  updateWebhookEndpoint: SETS,
  updateWorkflow: SETS,
  updateWorkspace: SETS,
};

const PASSWORD = 'long enough it is';

/** A person with a password who sends the requests. */
interface Sender {
  readonly userId: string;
  readonly session: string;
}

/** Requests that the fixtures have no valid input for. */
const OWN: Readonly<Record<string, (sender: Sender) => Promise<SendOperation>>> = {
  acceptInvitation: async ({ session }) =>
    input('acceptInvitation', {
      token: await inviteToken(service, session, 'new@example.com'),
      name: 'New',
      password: PASSWORD,
    }),
  allowApp: async () =>
    fromBrowser('allowApp', await makeRequest(service), { environment: 'LIVE', scopes: ['RESOURCES_READ'] }),
  denyApp: async () => fromBrowser('denyApp', await makeRequest(service)),
  disconnectApp: async ({ userId }) => input('disconnectApp', { appId: await makeApp(service, userId) }),
  changePassword: async () => input('changePassword', { currentPassword: PASSWORD, newPassword: `${PASSWORD}, too` }),
  completeSignIn: async () => input('completeSignIn', { ticket: await makeTicket(service), recoveryCode: 'a-code' }),
  confirmSecondFactor: async ({ session }) => {
    const start = { kind: 'TOTP', name: 'Phone', password: PASSWORD };
    const { enrolmentId, totp } = await new FactorClient(service).start(start, session);
    return input('confirmSecondFactor', { enrolmentId, code: codeOf(totp.secret) });
  },
  createRecoveryCodes: async ({ userId }) => {
    await makeFactor(userId);
    return input('createRecoveryCodes', { password: PASSWORD });
  },
  deleteDeployment: async () => input('deleteDeployment', { deploymentId: (await makeDeployment(service, {})).id }),
  deleteWorkflow: async ({ session }) => {
    const create =
      'mutation { createWorkflow(input: { name: "Unused" }) { ... on CreateWorkflowPayload { workflow { workflowId } } } }';
    const { body } = await service.graphql(create, {}, { key: session });
    return input('deleteWorkflow', { workflowId: body.data.createWorkflow.workflow.workflowId });
  },
  assignConversation: async ({ userId, session }) =>
    input('assignConversation', { conversationId: await takenBy(session), memberId: userId }),
  deleteConversationNote: async ({ userId, session }) =>
    input('deleteConversationNote', { conversationNoteId: await makeNote(db(), await takenBy(session), userId) }),
  handBack: async ({ session }) => input('handBack', { conversationId: await takenBy(session) }),
  suggestReply: async ({ session }) => input('suggestReply', { conversationId: await takenBy(session) }),
  sendAsMember: async ({ session }) =>
    input('sendAsMember', { conversationId: await takenBy(session), content: graphText('Hi') }),
  deleteSavedView: async (sender) => input('deleteSavedView', { id: await makeView(sender) }),
  removeSecondFactor: async ({ userId }) =>
    input('removeSecondFactor', { secondFactorId: await makeFactor(userId), password: PASSWORD }),
  resetPassword: async () => input('resetPassword', { token: await makeResetToken(service), password: PASSWORD }),
  revokeSession: async ({ userId }) => {
    await openSessionOf(service, userId);
    const { id } = await db().session.findFirstOrThrow({ where: { userId }, orderBy: { createdAt: 'desc' } });
    return input('revokeSession', { sessionId: id });
  },
  signIn: async ({ userId }) => {
    const { email } = await db().user.findUniqueOrThrow({ where: { id: userId } });
    return input('signIn', { email, password: PASSWORD });
  },
  startSecondFactor: async () => input('startSecondFactor', { kind: 'TOTP', name: 'Phone', password: PASSWORD }),
  updateSavedView: async (sender) => input('updateSavedView', { id: await makeView(sender), name: 'Other' }),
  updateMe: async () => input('updateMe', { name: 'Another name' }),
  updateWorkspace: async () => input('updateWorkspace', { name: 'Another name' }),
};

/** A conversation that a member has. */
async function takenBy(session: string): Promise<string> {
  const { conversation_id: id } = (await service.agentTurn('Hello')).body;
  const headers = { authorization: `Bearer ${session}` };
  await service.send('POST', `/v1/conversations/${id}/takeover`, { headers, body: {} });
  return id;
}

/** A decision in the browser that started the request of an app. */
function fromBrowser(name: string, requestId: string, value: object = {}): SendOperation {
  const headers = { cookie: `parley_connection=${requestId}` };
  return (client, key) => client.graphql(textOf(name), { input: { request: requestId, ...value } }, { key, headers });
}

async function makeFactor(userId: string): Promise<string> {
  const id = randomUUID();
  const row = { id, userId, kind: 'totp', name: 'Phone', createdAt: new Date(), expiresAt: null } as const;
  await db().secondFactor.create({ data: row });
  return id;
}

async function makeView({ userId, session }: Sender): Promise<string> {
  const create = input('createSavedView', { name: 'View', parameters: '' });
  await create(service, session, fixtures);
  return (await db().savedView.findFirstOrThrow({ where: { userId } })).id;
}

/** Mutations that change nothing here. `failing`: they fail with a lost claim too. */
const IDLE: Readonly<Record<string, { readonly because: string; readonly failing: boolean }>> = {
  completeUpload: { because: 'The file is complete. A check of a file has a claim of its own.', failing: false },
  enableWebhookEndpoint: { because: 'The endpoint is enabled.', failing: true },
  removeEndUserIssuer: { because: 'The environment has no issuer, so nothing is written.', failing: false },
  removeModelPrice: { because: 'The model has no price.', failing: true },
  replayWebhookDelivery: { because: 'What it changes also changes in the background.', failing: true },
  requestPasswordReset: { because: 'The service sends no mail. The test of password resets shows it.', failing: false },
  resumeAgentTurn: { because: 'The test of results of client tools shows it.', failing: false },
  rollBackDeployment: { because: 'The deployment has one version.', failing: false },
  setPresence: { because: 'What it stores also expires in the background.', failing: true },
  selectVariant: { because: 'The reply has one variant, which is active.', failing: false },
  signInToIntegration: { because: 'The MCP server of the fixtures does not exist.', failing: false },
  testEndUserIssuer: { because: 'It only reads.', failing: false },
  testModel: { because: 'Nothing but budgets is written.', failing: true },
  testSignInSettings: { because: 'It only reads.', failing: false },
};

let service: TestService;
let fixtures: Fixtures;
beforeAll(async () => {
  service = fromManyAddresses(await startService({ trustProxy: 'loopback' }));
  fixtures = await createFixtures(service);
  await loseClaims(db());
});
afterAll(() => service.close());

const db = () => service.service.services.stores.prisma;

it('has a row for every mutation', () => {
  const names = ALL_FIELDS.flatMap(({ name }) => (name.startsWith('Mutation.') ? [name.slice(9)] : []));
  expect(names.sort()).toEqual(Object.keys(MUTATIONS).sort());
});

const LOST = { code: 'UNAVAILABLE', status: 503, message: expect.stringContaining('Another process continues') };

async function makeSender(): Promise<Sender> {
  const userId = await makeMember(service, 'owner', { password: PASSWORD });
  return { userId, session: await openSessionOf(service, userId) };
}

it.each(Object.keys(MUTATIONS))('takes effect once, and only with its key: %s', async (name) => {
  const { changes, grows = [] } = MUTATIONS[name] as Repetition;
  const idle = IDLE[name];
  const operation = ALL_FIELDS.find((field) => field.name === `Mutation.${name}`) as (typeof ALL_FIELDS)[number];
  const own = await createFixturesFor(service, operation, fixtures);
  const sender = await makeSender();
  const send = (await OWN[name]?.(sender)) ?? sendOf(operation);
  const attempt = async (key: string) => {
    const { body } = await send(withKey(service, `${key}${name}`), sender.session, own);
    return { error: body.errors?.[0], rows: await Snapshot.of(db()) };
  };

  const start = await Snapshot.of(db());
  const taken = await attempt(TAKEN);
  expect(start.changes(taken.rows)).toEqual([]);
  if (!idle || idle.failing) expect({ ...taken.error?.extensions, message: taken.error?.message }).toMatchObject(LOST);
  const first = await attempt(STALLED);
  expect(first.error).toBeUndefined();
  expect(taken.rows.changes(first.rows)).toEqual(idle ? [] : expect.arrayContaining([expect.any(String)]));
  const second = await attempt(STALLED);
  expect(first.rows.changes(second.rows).filter((table) => !changes.includes(table))).toEqual([]);
  const logs = ['audit_entry', 'workflow_log'];
  expect(first.rows.growth(second.rows).filter((table) => ![...logs, ...grows].includes(table))).toEqual([]);
});

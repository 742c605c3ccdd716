import { LIMITS } from '../../src/contract/limits.ts';
import { lookup } from './agent-turns.ts';
import { branchesOf } from './branching.ts';
import { useUp } from './budgets.ts';
import { graphText } from './graph-content.ts';
import { DEMO_AGENT_ID, type TestService } from './service.ts';
import { makeDeployment } from './tenants.ts';
import { NO_UUID, type Provocation, type Provoke } from './turn-error-rows.ts';
import { until } from './until.ts';

const PATH = '/v1/runner/conversation';

const regenerate = (conversationId: string, rest: object = {}, input: object = rest): Provocation => ({
  input: { conversationId, ...input },
  rest: { method: 'POST', path: `${PATH}/${conversationId}/regenerate`, body: rest },
});

const fork = (conversationId: string, rest: object = {}, input: object = rest): Provocation => ({
  input: { conversationId, ...input },
  rest: { method: 'POST', path: `${PATH}/${conversationId}/fork`, body: rest },
});

const select = ({ id, messages }: Conversation, messageId: number | string | undefined = messages[1]): Provocation => ({
  input: { conversationId: id, messageId: String(messageId) },
  rest: { method: 'POST', path: `${PATH}/${id}/messages/${messageId}/select`, body: {} },
});

/** Both requests cannot edit the same message, so errors that a turn has itself are provoked once. */
const edit = ({ id, messages }: Conversation, text = 'More', isOnce = false): Provocation => ({
  input: { conversationId: id, messageId: String(messages[0]), content: graphText(text) },
  ...(!isOnce && {
    rest: {
      method: 'PATCH',
      path: `${PATH}/${id}/messages/${messages[0]}`,
      body: { content: [{ type: 'text', text }] },
    },
  }),
});

/** A conversation, and the IDs of all its messages. */
interface Conversation {
  readonly id: string;
  readonly messages: readonly number[];
}

async function said(service: TestService, text = 'Hello', deploymentId = DEMO_AGENT_ID): Promise<Conversation> {
  const content = [{ type: 'text', text }];
  const { body } = await service.send('POST', `/v2/runner/${deploymentId}/conversation`, { body: { content } });
  return read(service, body.conversation_id ?? body.error.conversation_id);
}

async function read(service: TestService, id: string): Promise<Conversation> {
  const messages = await branchesOf(service).messages(id, '&branch=all');
  return { id, messages: messages.map((message) => message.id) };
}

/** A conversation whose reply was replaced once. */
async function regenerated(service: TestService): Promise<Conversation> {
  const { id } = await said(service);
  await branchesOf(service).regenerate(id);
  return read(service, id);
}

async function edited(service: TestService): Promise<Conversation> {
  const conversation = await said(service);
  await branchesOf(service).edit(conversation.id, conversation.messages[0], 'Hello again');
  return conversation;
}

const more = (service: TestService, { id }: Conversation, text: string) =>
  service.agentTurn(text, { conversation_id: id, client_capabilities: ['lookup_customer'] });

/** The same conversation after a person took it over. */
async function taken(service: TestService, conversation: Conversation): Promise<Conversation> {
  await service.send('POST', `/v1/conversations/${conversation.id}/takeover`, { body: {} });
  return conversation;
}

/** The same conversation after a person answered in it. */
async function answeredByPerson(service: TestService, conversation: Conversation): Promise<Conversation> {
  const { id } = await taken(service, conversation);
  const content = [{ type: 'text', text: 'Hi' }];
  await service.send('POST', `/v1/conversations/${id}/member-messages`, { body: { content } });
  await service.send('POST', `/v1/conversations/${id}/handback`, { body: {} });
  return conversation;
}

/** The same conversation while a turn runs. */
async function busy(service: TestService, conversation: Conversation): Promise<Conversation> {
  void more(service, conversation, '/slow 8\n/say Done');
  const { prisma } = service.service.services.stores;
  const running = { conversationId: conversation.id, status: 'running' } as const;
  await until(async () => (await prisma.run.count({ where: running })) > 0);
  return conversation;
}

async function waiting(service: TestService, conversation: Conversation): Promise<Conversation> {
  await more(service, conversation, lookup('c1'));
  return conversation;
}

async function completed(service: TestService, conversation: Conversation): Promise<Conversation> {
  const data = { status: 'completed', completedAt: new Date() } as const;
  const { prisma } = service.service.services.stores;
  await prisma.conversation.updateMany({ where: { id: conversation.id }, data });
  return conversation;
}

async function large(service: TestService, conversation: Conversation): Promise<Conversation> {
  await service.service.services.stores.prisma.$executeRaw`
    INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, revision, created_at)
    SELECT environment_id, id, latest_run_id, 'message', 0, 'user', '[]', next_revision(), now()
    FROM conversation, generate_series(1, ${LIMITS.forkItems}) WHERE id = ${conversation.id}::uuid`;
  return conversation;
}

const writer = async (service: TestService) =>
  (await makeDeployment(service, { resourceTools: ['create_resource'] }, { kind: 'agent' })).id;
const hasty = async (service: TestService) =>
  (await makeDeployment(service, { timeoutSeconds: 1 }, { kind: 'agent' })).id;

const WRITES = '/call create_resource {"type":"note","fields":{}}';
const SLOW = '/slow 3\n/say Done';

/** A turn that wrote a resource, and one that replaced it, whose reply is the last message. */
async function wroteTwice(service: TestService): Promise<Conversation> {
  const { id } = await said(service, WRITES, await writer(service));
  await branchesOf(service).regenerate(id, { acknowledge_effects: true });
  return read(service, id);
}

/** A request for every error of operations on the lines of a conversation. */
export const BRANCH_ERROR_ROWS: Readonly<Record<string, Provoke>> = {
  'regenerateTurn invalid_request': async (service) =>
    regenerate((await said(service)).id, { history_limit: 1_000 }, { historyLimit: 1_000 }),
  'regenerateTurn budget_reached': async (service) => {
    const { id } = await said(service);
    await useUp(service, `conversation:${id}`);
    return regenerate(id);
  },
  'editMessage budget_reached': async (service) => {
    const conversation = await said(service);
    await useUp(service, `conversation:${conversation.id}`);
    return edit(conversation);
  },
  'regenerateTurn not_found': () => regenerate(NO_UUID),
  'regenerateTurn message_superseded': async (service) => {
    const { id, messages } = await regenerated(service);
    return regenerate(id, { message_id: String(messages[1]) }, { messageId: String(messages[1]) });
  },
  'regenerateTurn turn_has_effects': async (service) =>
    regenerate((await said(service, WRITES, await writer(service))).id),
  'regenerateTurn client_action_required': async (service) =>
    regenerate((await waiting(service, await said(service))).id),
  'regenerateTurn run_in_progress': async (service) => regenerate((await busy(service, await said(service))).id),
  'regenerateTurn conversation_completed': async (service) =>
    regenerate((await completed(service, await said(service))).id),
  'regenerateTurn model_error': async (service) => regenerate((await said(service, '/fail')).id),
  'regenerateTurn model_timeout': async (service) => regenerate((await said(service, SLOW, await hasty(service))).id),
  'regenerateTurn handling_conflict': async (service) => regenerate((await taken(service, await said(service))).id),
  'editMessage handling_conflict': async (service) => edit(await taken(service, await said(service))),
  'selectVariant handling_conflict': async (service) => select(await taken(service, await regenerated(service))),
  'editMessage invalid_request': async (service) => {
    const conversation = await said(service);
    return edit({ ...conversation, messages: conversation.messages.slice(1) });
  },
  'editMessage not_found': async (service) => edit({ ...(await said(service)), messages: [999_999_999] }),
  'editMessage turn_has_effects': async (service) => edit(await said(service, WRITES, await writer(service))),
  'editMessage client_action_required': async (service) => edit(await waiting(service, await said(service))),
  'editMessage run_in_progress': async (service) => edit(await busy(service, await said(service))),
  'editMessage conversation_completed': async (service) => edit(await completed(service, await said(service))),
  'editMessage message_superseded': async (service) => edit(await edited(service)),
  'editMessage model_error': async (service) => edit(await said(service), '/fail', true),
  'editMessage model_timeout': async (service) => edit(await said(service, 'Hello', await hasty(service)), SLOW, true),
  'selectVariant invalid_request': async (service) =>
    select(await answeredByPerson(service, await regenerated(service))),
  'selectVariant not_found': async (service) => select(await said(service), 999_999_999),
  'selectVariant message_superseded': async (service) => {
    const { id, messages } = await regenerated(service);
    await branchesOf(service).edit(id, messages[0], 'Hello again');
    // Another reply to the message that was edited: its place is not in the active line.
    return select({ id, messages });
  },
  'selectVariant run_in_progress': async (service) => select(await busy(service, await regenerated(service))),
  'selectVariant client_action_required': async (service) => select(await waiting(service, await regenerated(service))),
  'selectVariant conversation_completed': async (service) =>
    select(await completed(service, await regenerated(service))),
  'selectVariant fork_too_large': async (service) => {
    const conversation = await regenerated(service);
    await more(service, conversation, 'More');
    await service.service.services.stores.prisma.$executeRaw`
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, superseded_by,
                                 superseded_in, revision, created_at)
      SELECT environment_id, conversation_id, run_id, kind, step, role, content, superseded_by, superseded_in,
             next_revision(), now()
      FROM timeline_item, generate_series(1, ${LIMITS.forkItems}) WHERE id = ${conversation.messages[1]}::int8`;
    return select(conversation);
  },
  'selectVariant turn_has_effects': async (service) => select(await wroteTwice(service)),
  'forkConversation invalid_request': async (service) => fork((await said(service)).id, { meta: { page: 1 } }),
  'forkConversation not_found': () => fork(NO_UUID),
  'forkConversation message_superseded': async (service) => {
    const { id, messages } = await edited(service);
    return fork(id, { item_id: String(messages[0]) }, { itemId: String(messages[0]) });
  },
  'forkConversation run_in_progress': async (service) => {
    const { id } = await busy(service, await said(service));
    const [last] = (await read(service, id)).messages.slice(-1);
    return fork(id, { item_id: String(last) }, { itemId: String(last) });
  },
  'forkConversation fork_too_large': async (service) => fork((await large(service, await said(service))).id),
};

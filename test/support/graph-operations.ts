import { randomUUID } from 'node:crypto';
import { newTypeId } from '../../src/domain/type-id.ts';
import type { SendOperation } from './all-operations.ts';
import { makeBudget, newEndUserPlace } from './budgets.ts';
import { globalId, publicIdOf } from './results.ts';
import type { TestService } from './service.ts';

/** Global IDs of objects that are parts of other fixtures. */
export interface GraphFixture {
  readonly run: string;
  readonly version: string;
  readonly user: string;
  readonly workspace: string;
  readonly environment: string;
  readonly price: string;
  readonly budget: string;
  /** A note about the conversation of `items`. */
  readonly note: string;
  readonly invitation: string;
  readonly auditEntry: string;
  readonly attempt: string;
  readonly replay: string;
  /** A file in the message of `items`. */
  readonly file: string;
  /** An item of each kind in the timeline. */
  readonly items: Readonly<Record<ItemType, string>>;
}

const ITEM_KINDS = {
  Message: 'message',
  ToolCall: 'tool',
  ActionCall: 'action',
  ClientToolCall: 'client_tool',
  ConversationCompletion: 'conversation_completed',
  ConversationSummary: 'summary',
  HandlingChange: 'handling',
} as const;

export type ItemType = keyof typeof ITEM_KINDS;

export const ITEM_TYPES = Object.keys(ITEM_KINDS) as readonly ItemType[];

export async function findGraphFixture(
  owner: TestService,
  marker: string,
  owned: {
    readonly conversationId: string;
    readonly userId: string;
    readonly workflowId: number;
    readonly invitationId: string;
    readonly deliveryId: string;
  },
): Promise<GraphFixture> {
  const { prisma } = owner.service.services.stores;
  const run = await prisma.run.findFirstOrThrow({
    where: { conversationId: owned.conversationId },
    include: { conversation: { include: { environment: true } } },
  });
  const { environment } = run.conversation;
  const items = await createItems(owner, marker);
  return {
    run: globalId('Run', run.id),
    version: globalId('WorkflowVersion', `${owned.workflowId}:1`),
    user: globalId('User', owned.userId),
    workspace: globalId('Workspace', environment.workspaceId),
    environment: globalId('Environment', environment.id),
    invitation: globalId('Invitation', owned.invitationId),
    ...(await createRows(owner, marker, environment, owned.deliveryId)),
    items,
    note: await createNote(owner, items.Message, marker),
    file: globalId('ConversationFile', `${publicIdOf(items.Message)}:1`),
  };
}

/** A price, a budget, an audit entry and an attempt with the marker. */
async function createRows(
  owner: TestService,
  marker: string,
  { id: environmentId, workspaceId }: { readonly id: string; readonly workspaceId: string },
  deliveryId: string,
): Promise<Pick<GraphFixture, 'price' | 'budget' | 'auditEntry' | 'attempt' | 'replay'>> {
  const { prisma } = owner.service.services.stores;
  const at = new Date();
  const prices = { inputPerMillion: 1, outputPerMillion: 1, updatedAt: at };
  await prisma.modelPrice.create({ data: { workspaceId, model: marker, ...prices } });
  const action = { action: 'model_price.set', actorKind: 'operator', subjectId: marker, details: {}, requestId: 'r' };
  const entry = await prisma.auditEntry.create({ data: { workspaceId, ...action, occurredAt: at } });
  const attempt = await prisma.webhookAttempt.create({
    data: { environmentId, deliveryId: BigInt(deliveryId), error: marker, durationMs: 1, startedAt: at },
  });
  const { endpointId } = await prisma.webhookDelivery.findFirstOrThrow({ where: { id: BigInt(deliveryId) } });
  const replay = await prisma.webhookReplay.create({
    data: { environmentId, endpointId, from: at, to: at, onlyFailed: true, deliveryCount: 0, createdAt: at },
  });
  return {
    price: globalId('ModelPrice', marker),
    budget: globalId('Budget', await makeBudget(prisma, { environmentId, place: newEndUserPlace(marker) })),
    auditEntry: globalId('AuditEntry', entry.id),
    attempt: globalId('WebhookAttempt', attempt.id),
    replay: globalId('WebhookReplay', replay.id),
  };
}

/** A note about the conversation of an item. Returns its global ID. */
async function createNote(owner: TestService, item: string, text: string): Promise<string> {
  const { prisma } = owner.service.services.stores;
  const where = { id: BigInt(publicIdOf(item)) };
  const { environmentId, conversationId } = await prisma.timelineItem.findFirstOrThrow({ where });
  const author = { displayName: text, kind: 'member', id: randomUUID() };
  const id = newTypeId('note');
  await prisma.conversationNote.create({
    data: { environmentId, conversationId, id, text, author, createdAt: new Date() },
  });
  return globalId('ConversationNote', id);
}

/** An item of each kind, in a conversation of its own. */
async function createItems(owner: TestService, marker: string): Promise<GraphFixture['items']> {
  const { prisma } = owner.service.services.stores;
  const { run_id: runId } = (await owner.agentTurn(marker, { meta: { label: marker } })).body;
  const { environmentId, conversationId } = await prisma.run.findFirstOrThrow({ where: { id: runId } });
  const items = ITEM_TYPES.map(async (type) => {
    const call = { callId: `${marker} ${type}`, name: marker, arguments: {}, output: {}, status: 'completed' } as const;
    const file = { type: 'image', mimeType: `image/${marker}`, fileUri: 'https://example.com/a.png' };
    const content = { role: 'user', content: [{ type: 'text', text: marker }, file] } as const;
    const summary = { text: marker, firstItemId: '1', lastItemId: '1', tokens: 1, model: marker };
    const others: Record<string, object> = {
      Message: content,
      ConversationCompletion: {},
      ConversationSummary: { summary },
      HandlingChange: { handling: { mode: 'waiting', cause: 'assistant', reason: marker, urgency: 'normal' } },
    };
    const fields = others[type] ?? call;
    const own = { environmentId, conversationId, runId, kind: ITEM_KINDS[type], step: 1, revision: 1 };
    const { id } = await prisma.timelineItem.create({ data: { ...own, ...fields, createdAt: new Date() } });
    return [type, globalId(type, id)] as const;
  });
  return Object.fromEntries(await Promise.all(items)) as GraphFixture['items'];
}

/** The caller's newest session, by the field of nodes that the document contains. */
const session =
  (read: string, variablesOf: (id: string) => object = (id) => ({ id })): SendOperation =>
  async (client, key) => {
    const sessions = await client.graphql('{ sessions { id } }', {}, { key });
    if (sessions.body.errors) return sessions;
    return client.graphql(read, variablesOf(sessions.body.data.sessions[0].id), { key });
  };

/** A saved view that the caller creates, by the field of nodes that the document contains. */
const savedView =
  (read: string, variablesOf: (id: string) => object = (id) => ({ id })): SendOperation =>
  async (client, key) => {
    const created = await client.graphql(
      'mutation ($name: String!) { createSavedView(input: { name: $name, parameters: "" }) { ... on CreateSavedViewPayload { savedView { id } } } }',
      { name: randomUUID() },
      { key },
    );
    if (created.body.errors) return created;
    const { id } = created.body.data.createSavedView.savedView;
    return client.graphql(read, variablesOf(id), { key });
  };

/** An app that nobody has connected: a member reads only their own. */
const NO_APP = Buffer.from('ConnectedApp:00000000-0000-4000-8000-0000000000ff').toString('base64');

const app =
  (read: string, variables: object = { id: NO_APP }): SendOperation =>
  (client, key) =>
    client.graphql(read, variables, { key });

/** Everyone reads a session and a saved view of their own. */
export const SESSION_NODES: Readonly<Record<string, SendOperation>> = {
  'Query.node of Session': session('query ($id: ID!) { node(id: $id) { ... on Session { address } } }'),
  'Query.nodes of Session': session('query ($id: ID!) { nodes(ids: [$id]) { ... on Session { address } } }'),
  'Query._entities of Session': session(
    'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Session { address } } }',
    (id) => ({ representations: [{ __typename: 'Session', id }] }),
  ),
  'Query.node of ConnectedApp': app('query ($id: ID!) { node(id: $id) { ... on ConnectedApp { clientId } } }'),
  'Query.nodes of ConnectedApp': app('query ($id: ID!) { nodes(ids: [$id]) { ... on ConnectedApp { clientId } } }'),
  'Query._entities of ConnectedApp': app(
    'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on ConnectedApp { clientId } } }',
    { representations: [{ __typename: 'ConnectedApp', id: NO_APP }] },
  ),
  'Query.node of SavedView': savedView('query ($id: ID!) { node(id: $id) { ... on SavedView { parameters } } }'),
  'Query.nodes of SavedView': savedView('query ($id: ID!) { nodes(ids: [$id]) { ... on SavedView { parameters } } }'),
  'Query._entities of SavedView': savedView(
    'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on SavedView { parameters } } }',
    (id) => ({ representations: [{ __typename: 'SavedView', id }] }),
  ),
};

/** Node types whose objects both environments of a workspace share. */
const SHARED = ['WorkflowVersion', 'User', 'Workspace', 'Environment', 'ModelPrice', 'AuditEntry', 'Invitation'];

const rowsOf = (typename: string) => ['node', 'nodes', '_entities'].map((field) => `Query.${field} of ${typename}`);

export const SHARED_NODES: readonly string[] = SHARED.flatMap(rowsOf);

/** Nodes that contain nothing of the fixtures. */
export const NODES_WITHOUT_MARKER: readonly string[] = [
  'Workspace',
  'Environment',
  'Session',
  'ConnectedApp',
  'SavedView',
].flatMap(rowsOf);

import { connect } from './actions.ts';
import { publish } from './documents.ts';
import { GRAPH_CONNECTIONS } from './graph-connections.ts';
import { invite } from './members.ts';
import { resultOf } from './results.ts';
import type { TestService } from './service.ts';
import { makeKey, makeMember } from './tenants.ts';
import { createTrigger } from './triggers.ts';
import { createEndpoint, makeEndpoint, sendTest } from './webhooks.ts';
import { publishedWorkflow, workflowsOf } from './workflows.ts';

/** The location of a connection field: the text around it, and arguments in addition to paging. */
export interface ConnectionLocation {
  /** `%` stands for the field. */
  readonly wrapper?: string;
  /** The field between the wrapper and the connection. */
  readonly parent?: string;
  readonly extraArguments?: string;
}

/** A connection of the schema. */
export interface ConnectionRow {
  /** Creates at least five items and returns their location. */
  seed(service: TestService, owner: string): Promise<ConnectionLocation>;
  /** The field that identifies an item. */
  readonly item: string;
  readonly table: string;
  /** The column that `item` reads. */
  readonly column: string;
  /** The sort column, if several rows may have the same value in it. */
  readonly sortedBy?: string;
  /** Only for members with a session. */
  readonly session?: boolean;
  /** The caller is always an item of it, or its parent is a row of the same table. */
  readonly neverEmpty?: boolean;
}

const FIVE = [0, 1, 2, 3, 4] as const;

async function createFive<T>(make: (index: number) => Promise<T>): Promise<T[]> {
  const items: T[] = [];
  for (const index of FIVE) items.push(await make(index));
  return items;
}

async function conversations(service: TestService): Promise<ConnectionLocation> {
  await createFive(() => service.agentTurn('Hello'));
  return {};
}

async function timeline(service: TestService): Promise<ConnectionLocation> {
  const { conversation_id: id } = (await service.agentTurn('one')).body;
  await createFive(() => service.agentTurn('more', { conversation_id: id }));
  return { wrapper: `conversation(id: "${id}") { % }` };
}

async function deployments(service: TestService): Promise<number> {
  const flows = workflowsOf(service);
  const { workflowId } = await publishedWorkflow(flows);
  const input = { name: 'Site', kind: 'CHAT' };
  await createFive(async () => resultOf(await flows.createDeployment({ id: workflowId, input })));
  return workflowId;
}

async function versions(service: TestService): Promise<ConnectionLocation> {
  const flows = workflowsOf(service);
  const { workflowId: id, deploymentId } = await publishedWorkflow(flows);
  await createFive(async (index) => {
    resultOf(await flows.updateWorkflow({ id, input: { draft: { instructions: `Be ${index}.` } } }));
    resultOf(await flows.publish({ id, deployments: [deploymentId] }));
  });
  return { wrapper: `workflow(id: ${id}) { % }` };
}

async function resources(service: TestService): Promise<ConnectionLocation> {
  await createFive((index) => service.send('POST', '/v1/resources', { body: { type: 'thing', fields: { index } } }));
  return {};
}

/** No server listens there, so deliveries stay queued. */
const NOWHERE = 'http://127.0.0.1:9/hook';

/** Every connection of the schema, by the field that returns it. */
export const CONNECTION_ROWS: Readonly<Record<string, ConnectionRow>> = {
  'Query.conversations': {
    seed: conversations,
    item: 'conversationId',
    table: 'conversation',
    column: 'id',
    sortedBy: 'updated_at',
  },
  'Query.pendingActions': {
    async seed(service) {
      await createFive(() => service.agentTurn('/ask', { client_capabilities: ['ask_user'] }));
      return {};
    },
    item: 'callId',
    table: 'timeline_item',
    column: 'call_id',
  },
  'Conversation.messages': { seed: timeline, item: 'itemId', table: 'timeline_item', column: 'id' },
  'Conversation.history': { seed: timeline, item: 'itemId', table: 'timeline_item', column: 'id' },
  // Rows below delete the deployments and the API keys of the service.
  ...GRAPH_CONNECTIONS,
  'Query.triggers': {
    async seed(service) {
      await createFive(() => createTrigger(service, { content: [{ type: 'text', text: 'Hello' }] }));
      return {};
    },
    item: 'triggerId',
    table: 'trigger',
    column: 'id',
    sortedBy: 'created_at',
  },
  'Query.workflowLogs': {
    seed: conversations,
    item: 'workflowLogId',
    table: 'workflow_log',
    column: 'id',
    sortedBy: 'created_at',
  },
  'Query.workflows': {
    async seed(service) {
      const { createWorkflow } = workflowsOf(service);
      await createFive(async () => resultOf(await createWorkflow({ input: { name: 'Support' } })));
      return {};
    },
    item: 'workflowId',
    table: 'workflow',
    column: 'id',
  },
  'Workflow.versions': { seed: versions, item: 'number', table: 'workflow_version', column: 'number' },
  'Workflow.deployments': {
    seed: async (service) => ({ wrapper: `workflow(id: ${await deployments(service)}) { % }` }),
    item: 'deploymentId',
    table: 'deployment',
    column: 'id',
    sortedBy: 'created_at',
  },
  'Query.deployments': {
    seed: async (service) => ({ extraArguments: `filter: { workflowId: ${await deployments(service)} }` }),
    item: 'deploymentId',
    table: 'deployment',
    column: 'id',
    sortedBy: 'created_at',
  },
  'Query.resources': { seed: resources, item: 'resourceId', table: 'resource', column: 'id', sortedBy: 'created_at' },
  'Query.events': { seed: resources, item: 'eventId', table: 'event', column: 'id', sortedBy: 'occurred_at' },
  'Query.integrations': {
    async seed(service) {
      await createFive((index) => connect(service, { kind: 'http', name: `Desk ${index}`, url: NOWHERE }));
      return {};
    },
    item: 'integrationId',
    table: 'integration',
    column: 'id',
    sortedBy: 'connected_at',
  },
  'Query.documents': {
    async seed(service) {
      const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
      for (const name of names) await publish(service, name, '{ resources { totalCount } }');
      return {};
    },
    item: 'documentId',
    table: 'published_document',
    column: 'id',
    sortedBy: 'created_at',
  },
  'Document.versions': {
    async seed(service) {
      const aliases = ['a', 'b', 'c', 'd', 'e'];
      for (const alias of aliases) {
        const text = `{ ${alias}: resources { totalCount } }`;
        await publish(service, 'versioned', text, { acknowledgeBreaking: true });
      }
      return { wrapper: 'document(by: { name: "versioned" }) { % }' };
    },
    item: 'number',
    table: 'document_version',
    column: 'number',
  },
  'Query.webhookEndpoints': {
    async seed(service) {
      await createFive(async () => resultOf(await createEndpoint(service, { url: NOWHERE })));
      return {};
    },
    item: 'endpointId',
    table: 'webhook_endpoint',
    column: 'id',
    sortedBy: 'created_at',
  },
  'WebhookEndpoint.deliveries': {
    async seed(service) {
      const { id } = await makeEndpoint(service, NOWHERE);
      await createFive(async () => resultOf(await sendTest(service, id)));
      return { wrapper: `webhookEndpoint(id: "${id}") { % }` };
    },
    item: 'deliveryId',
    table: 'webhook_delivery',
    column: 'id',
  },
  'Query.apiKeys': {
    async seed(service) {
      await createFive(() => makeKey(service));
      return {};
    },
    item: 'apiKeyId',
    table: 'api_key',
    column: 'id',
    sortedBy: 'created_at',
    session: true,
  },
  'Query.members': {
    async seed(service) {
      await createFive(() => makeMember(service, 'viewer'));
      return {};
    },
    item: 'userId',
    table: 'membership',
    column: 'user_id',
    sortedBy: 'created_at',
    session: true,
    neverEmpty: true,
  },
  'Query.invitations': {
    async seed(service, owner) {
      await createFive(async (index) => resultOf(await invite(service, owner, `guest-${index}@example.com`)));
      return {};
    },
    item: 'invitationId',
    table: 'invitation',
    column: 'id',
    sortedBy: 'created_at',
    session: true,
  },
  'Query.auditLog': {
    async seed(service, owner) {
      const document = (model: string) =>
        `mutation { setModelPrice(input: { model: "${model}", inputPerMillion: 1, outputPerMillion: 2 }) { __typename ... on SetModelPricePayload { modelPrice { model } } ... on Error { code message path } } }`;
      await createFive(async (index) => resultOf(await service.graphql(document(`own-${index}`), {}, { key: owner })));
      // The use of a credential is recorded later than its request, at an unknown time.
      return { extraArguments: 'filter: { actions: [MODEL_PRICE_SET] }' };
    },
    item: 'auditEntryId',
    table: 'audit_entry',
    column: 'id',
    session: true,
  },
};

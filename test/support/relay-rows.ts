import { connect } from './actions.ts';
import { invite } from './members.ts';
import type { TestService } from './service.ts';
import { makeKey, makeMember } from './tenants.ts';
import { createTrigger } from './triggers.ts';
import { createEndpoint, makeEndpoint, sendTest } from './webhooks.ts';
import { publishedWorkflow, resultOf, workflowsOf } from './workflows.ts';

/** How a connection is asked for: what stands around its field, and arguments beside those of paging. */
export interface Place {
  /** Holds `%`, where the field comes. */
  readonly around?: string;
  readonly beside?: string;
}

/** A connection of the schema. */
export interface ConnectionRow {
  /** Makes at least five items, and says where they are. */
  seed(service: TestService, owner: string): Promise<Place>;
  /** Of an item: what tells it apart. */
  readonly item: string;
  readonly table: string;
  /** The column that `item` is of. */
  readonly column: string;
  /** The column that the list is sorted by, where several rows may have the same in it. */
  readonly sortedBy?: string;
  /** Only for members who have signed in. */
  readonly session?: boolean;
  /** Whoever asks is in it. */
  readonly neverEmpty?: boolean;
}

const FIVE = [0, 1, 2, 3, 4] as const;

async function inTurn<T>(make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (const index of FIVE) made.push(await make(index));
  return made;
}

async function conversations(service: TestService): Promise<Place> {
  await inTurn(() => service.agentTurn('Hello'));
  return {};
}

async function timeline(service: TestService): Promise<Place> {
  const { conversation_id: id } = (await service.agentTurn('one')).body;
  await inTurn(() => service.agentTurn('more', { conversation_id: id }));
  return { around: `conversation(conversationId: "${id}") { % }` };
}

async function deployments(service: TestService): Promise<number> {
  const flows = workflowsOf(service);
  const { workflowId } = await publishedWorkflow(flows);
  const input = { name: 'Site', kind: 'chat' };
  await inTurn(async () => resultOf(await flows.createDeployment({ id: workflowId, input })));
  return workflowId;
}

async function versions(service: TestService): Promise<Place> {
  const flows = workflowsOf(service);
  const { workflowId: id, deploymentId } = await publishedWorkflow(flows);
  await inTurn(async (index) => {
    resultOf(await flows.updateWorkflow({ id, input: { draft: { instructions: `Be ${index}.` } } }));
    resultOf(await flows.publish({ id, deployments: [deploymentId] }));
  });
  return { around: `workflow(workflowId: ${id}) { % }` };
}

async function resources(service: TestService): Promise<Place> {
  await inTurn((index) => service.send('POST', '/v1/resources', { body: { type: 'thing', fields: { index } } }));
  return {};
}

/** Nobody listens there: what is queued for it stays. */
const NOWHERE = 'http://127.0.0.1:9/hook';

/** Every connection of the schema, by the field that answers it. */
export const CONNECTION_ROWS: Readonly<Record<string, ConnectionRow>> = {
  'Query.conversations': {
    seed: conversations,
    item: 'conversationId',
    table: 'conversation',
    column: 'id',
    sortedBy: 'updated_at',
  },
  'Conversation.messages': { seed: timeline, item: 'messageId', table: 'timeline_item', column: 'id' },
  'Conversation.history': { seed: timeline, item: 'id', table: 'timeline_item', column: 'id' },
  'Query.triggers': {
    async seed(service) {
      await inTurn(() => createTrigger(service, { content: [{ type: 'text', text: 'Hello' }] }));
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
      await inTurn(async () => resultOf(await createWorkflow({ input: { name: 'Support' } })));
      return {};
    },
    item: 'workflowId',
    table: 'workflow',
    column: 'id',
  },
  'Workflow.versions': { seed: versions, item: 'number', table: 'workflow_version', column: 'number' },
  'Workflow.deployments': {
    seed: async (service) => ({ around: `workflow(workflowId: ${await deployments(service)}) { % }` }),
    item: 'deploymentId',
    table: 'deployment',
    column: 'id',
    sortedBy: 'created_at',
  },
  'Query.deployments': {
    seed: async (service) => ({ beside: `workflowId: ${await deployments(service)}` }),
    item: 'deploymentId',
    table: 'deployment',
    column: 'id',
    sortedBy: 'created_at',
  },
  'Query.resources': { seed: resources, item: 'resourceId', table: 'resource', column: 'id', sortedBy: 'created_at' },
  'Query.events': { seed: resources, item: 'eventId', table: 'event', column: 'id', sortedBy: 'occurred_at' },
  'Query.integrations': {
    async seed(service) {
      await inTurn((index) => connect(service, { kind: 'http', name: `Desk ${index}`, url: NOWHERE }));
      return {};
    },
    item: 'integrationId',
    table: 'integration',
    column: 'id',
    sortedBy: 'connected_at',
  },
  'Query.webhookEndpoints': {
    async seed(service) {
      await inTurn(async () => resultOf(await createEndpoint(service, { url: NOWHERE })));
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
      await inTurn(async () => resultOf(await sendTest(service, id)));
      return { around: `webhookEndpoint(id: "${id}") { % }` };
    },
    item: 'deliveryId',
    table: 'webhook_delivery',
    column: 'id',
  },
  'Query.apiKeys': {
    async seed(service) {
      await inTurn(() => makeKey(service));
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
      await inTurn(() => makeMember(service, 'viewer'));
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
      await inTurn(async (index) => resultOf(await invite(service, owner, `guest-${index}@example.com`)));
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
        `mutation { setModelPrice(input: { model: "${model}", inputPerMillion: 1, outputPerMillion: 2 }) { model } }`;
      await inTurn(async (index) => resultOf(await service.graphql(document(`own-${index}`), {}, { key: owner })));
      // The use of a credential is written down beside its request, whenever that may be.
      return { beside: 'filter: { actions: ["model_price.set"] }' };
    },
    item: 'auditEntryId',
    table: 'audit_entry',
    column: 'id',
    session: true,
  },
};

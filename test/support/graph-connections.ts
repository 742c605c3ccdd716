import { randomUUID } from 'node:crypto';
import { Prisma } from '../../src/db/generated/client.ts';
import { textContent } from './agent-apis.ts';
import { makeBudget, newEndUserPlace } from './budgets.ts';
import { makeNote } from './note-rows.ts';
import type { ConnectionLocation, ConnectionRow } from './relay-connections.ts';
import { globalId } from './results.ts';
import { DEMO_AGENT_ID, type TestService } from './service.ts';
import { makeDeployment } from './tenants.ts';
import { createTrigger } from './triggers.ts';
import { makeEndpoint } from './webhooks.ts';

const FIVE = [0, 1, 2, 3, 4] as const;

const NOWHERE = 'http://127.0.0.1:9/hook';

const EVENT = { item: 'eventId', table: 'event', column: 'id', sortedBy: 'occurred_at' } as const;

const LOG = { item: 'workflowLogId', table: 'workflow_log', column: 'id', sortedBy: 'created_at' } as const;

const under = (typename: string, id: string): ConnectionLocation => ({
  wrapper: `node(id: "${globalId(typename, id)}") { ... on ${typename} { % } }`,
});

/** A conversation of six turns. */
async function conversation(service: TestService): Promise<string> {
  const { conversation_id } = (await service.agentTurn('one')).body;
  for (const _ of FIVE) await service.agentTurn('more', { conversation_id });
  return conversation_id;
}

/** A run whose rows of a table are repeated until there are at least five. */
async function runWith(service: TestService, copy: (runId: string) => string): Promise<ConnectionLocation> {
  const { run_id: id } = (await service.agentTurn('one')).body;
  for (const _ of FIVE) await service.service.services.stores.prisma.$executeRawUnsafe(copy(id));
  return under('Run', id);
}

const copyItem = (runId: string) => `
  INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, revision, created_at)
  SELECT environment_id, conversation_id, run_id, kind, step, role, content, revision, created_at
  FROM timeline_item WHERE run_id = '${runId}' LIMIT 1`;

const copyLog = (runId: string) => `
  INSERT INTO workflow_log (environment_id, workflow_id, run_id, request_id, outcome, model, input_tokens,
                            output_tokens, response_time_ms, created_at)
  SELECT environment_id, workflow_id, run_id, request_id, outcome, model, input_tokens, output_tokens,
         response_time_ms, created_at
  FROM workflow_log WHERE run_id = '${runId}' LIMIT 1`;

const copySpan = (runId: string) => `
  INSERT INTO trace_span (id, environment_id, run_id, kind, step, name, started_at, duration_ms, attempts, request_id,
                          input_tokens, output_tokens, finish_reason, sealed_content)
  SELECT gen_random_uuid(), environment_id, run_id, kind, step, name, started_at, duration_ms, attempts, request_id,
         input_tokens, output_tokens, finish_reason, sealed_content
  FROM trace_span WHERE run_id = '${runId}' LIMIT 1`;

const copyEvent = (runId: string) => `
  INSERT INTO event (id, environment_id, conversation_id, type, resource_id, payload, occurred_at)
  SELECT 'evt_' || left(md5(random()::text), 26), environment_id, conversation_id, type, resource_id, payload, occurred_at
  FROM event WHERE resource_id = '${runId}' LIMIT 1`;

async function deliveries(service: TestService): Promise<ConnectionLocation> {
  const { body } = await service.send('POST', '/v1/resources', { body: { type: 'thing', fields: {} } });
  const { prisma } = service.service.services.stores;
  // An environment has a limited number of endpoints.
  await prisma.webhookEndpoint.deleteMany();
  const event = await prisma.event.findFirstOrThrow({ where: { resourceId: body.data.id } });
  for (const _ of FIVE) {
    // An endpoint receives no earlier events, so the service queues no other delivery.
    const { id: endpointId } = await makeEndpoint(service, NOWHERE);
    const data = { endpointId, eventId: event.id, messageId: event.id, environmentId: event.environmentId };
    await prisma.webhookDelivery.create({
      data: { ...data, status: 'delivered', createdAt: new Date(), finishedAt: new Date() },
    });
  }
  return under('Event', event.id);
}

/** A deployment with five one-shot runs. */
async function deploymentLogs(service: TestService): Promise<ConnectionLocation> {
  const { id } = await makeDeployment(service, {});
  for (const _ of FIVE) await service.send('POST', `/v1/runner/${id}`, { body: { content: textContent('Hello') } });
  return under('Deployment', id);
}

const NO_BUDGETS = { endUserBudget: Prisma.DbNull, visitorBudget: Prisma.DbNull } as const;

/** A workflow whose first version five deployments run, each with one trigger. */
async function deployments(service: TestService): Promise<number> {
  const { id } = await makeDeployment(service, {});
  const { prisma } = service.service.services.stores;
  const first = await prisma.deployment.findUniqueOrThrow({ where: { id } });
  await createTrigger(service, {}, id);
  for (const _ of FIVE.slice(1)) {
    const copy = await prisma.deployment.create({
      data: { ...first, ...NO_BUDGETS, id: randomUUID(), branding: {}, createdAt: new Date() },
    });
    await createTrigger(service, {}, copy.id);
  }
  return first.workflowId;
}

const BUDGET = { item: 'budgetId', table: 'budget', column: 'id', sortedBy: 'created_at' } as const;

/** Five budgets with these fields. */
async function budgets({ service }: TestService, fields: object, deploymentId: string): Promise<void> {
  const { prisma } = service.services.stores;
  const where = { kind: 'live', workspace: { deployments: { some: { id: deploymentId } } } } as const;
  const { id: environmentId } = await prisma.environment.findFirstOrThrow({ where });
  for (const _ of FIVE) {
    const id = await makeBudget(prisma, { environmentId, place: newEndUserPlace('ada') });
    await prisma.budget.updateMany({ where: { id }, data: fields });
  }
}

/** The connections of objects to their related objects. */
export const GRAPH_CONNECTIONS: Readonly<Record<string, ConnectionRow>> = {
  'Conversation.notes': {
    async seed(service) {
      const conversationId = await conversation(service);
      for (const _ of FIVE) await makeNote(service.service.services.stores.prisma, conversationId, randomUUID());
      return { wrapper: `conversation(id: "${conversationId}") { % }` };
    },
    item: 'conversationNoteId',
    table: 'conversation_note',
    column: 'id',
    sortedBy: 'created_at',
  },
  'Conversation.runs': {
    seed: async (service) => under('Conversation', await conversation(service)),
    item: 'runId',
    table: 'run',
    column: 'id',
    sortedBy: 'created_at',
  },
  'Conversation.budgets': {
    ...BUDGET,
    async seed(service) {
      const { conversation_id: id } = (await service.agentTurn('one')).body;
      await budgets(service, { conversationId: id }, DEMO_AGENT_ID);
      return under('Conversation', id);
    },
  },
  'Deployment.budgets': {
    ...BUDGET,
    async seed(service) {
      const { id } = await makeDeployment(service, {});
      await budgets(service, { deploymentId: id }, id);
      return under('Deployment', id);
    },
  },
  'Query.budgets': {
    ...BUDGET,
    async seed(service) {
      const { id } = await makeDeployment(service, {});
      await budgets(service, {}, id);
      return {};
    },
  },
  'Conversation.forks': {
    async seed(service) {
      const { conversation_id: id } = (await service.agentTurn('one')).body;
      for (const _ of FIVE) await service.send('POST', `/v1/runner/conversation/${id}/fork`, { body: {} });
      return under('Conversation', id);
    },
    item: 'conversationId',
    table: 'conversation',
    column: 'id',
    sortedBy: 'created_at',
    neverEmpty: true,
  },
  'Conversation.workflowLogs': {
    ...LOG,
    seed: async (service) => under('Conversation', await conversation(service)),
  },
  'Conversation.files': {
    async seed(service) {
      const image = { type: 'image', mime_type: 'image/png', file_uri: 'https://example.com/a.png' };
      const content = [...textContent('Look'), image];
      const { conversation_id } = (await service.agentTurn('one', { content })).body;
      for (const _ of FIVE.slice(1)) await service.agentTurn('more', { conversation_id, content });
      return under('Conversation', conversation_id);
    },
    item: 'id',
    table: 'timeline_item',
    column: `encode(convert_to('ConversationFile:' || id || ':1', 'UTF8'), 'base64')`,
  },
  'Conversation.runEvents': {
    ...EVENT,
    seed: async (service) => under('Conversation', await conversation(service)),
  },
  'Run.events': { ...EVENT, seed: (service) => runWith(service, copyEvent) },
  'Run.history': {
    seed: (service) => runWith(service, copyItem),
    item: 'itemId',
    table: 'timeline_item',
    column: 'id',
  },
  'Run.workflowLogs': { ...LOG, seed: (service) => runWith(service, copyLog) },
  'RunTrace.spans': {
    seed: async (service) => ({ ...(await runWith(service, copySpan)), parent: 'trace' }),
    item: 'spanId',
    table: 'trace_span',
    column: 'id',
  },
  'Trigger.workflowLogs': {
    ...LOG,
    async seed(service) {
      const { id: deployment } = await makeDeployment(service, {});
      const { id } = (await createTrigger(service, {}, deployment)).body;
      for (const _ of FIVE) await service.send('POST', `/v1/runner/${deployment}`, { body: { trigger_id: id } });
      return under('Trigger', id);
    },
  },
  'Deployment.conversations': {
    async seed(service) {
      const { id } = await makeDeployment(service, {}, { kind: 'agent' });
      for (const _ of FIVE) {
        await service.send('POST', `/v2/runner/${id}/conversation`, { body: { content: textContent('Hello') } });
      }
      return under('Deployment', id);
    },
    item: 'conversationId',
    table: 'conversation',
    column: 'id',
    sortedBy: 'updated_at',
  },
  'Deployment.triggers': {
    async seed(service) {
      const { id } = await makeDeployment(service, {});
      for (const _ of FIVE) await createTrigger(service, {}, id);
      return under('Deployment', id);
    },
    item: 'triggerId',
    table: 'trigger',
    column: 'id',
    sortedBy: 'created_at',
  },
  'Deployment.workflowLogs': { ...LOG, seed: deploymentLogs },
  'Workflow.triggers': {
    seed: async (service) => under('Workflow', String(await deployments(service))),
    item: 'triggerId',
    table: 'trigger',
    column: 'id',
    sortedBy: 'created_at',
  },
  'WorkflowVersion.deployments': {
    seed: async (service) => under('WorkflowVersion', `${await deployments(service)}:1`),
    item: 'deploymentId',
    table: 'deployment',
    column: 'id',
    sortedBy: 'created_at',
  },
  'Event.deliveries': { seed: deliveries, item: 'deliveryId', table: 'webhook_delivery', column: 'id' },
  'Resource.events': {
    async seed(service) {
      const { body } = await service.send('POST', '/v1/resources', { body: { type: 'thing', fields: {} } });
      const { id } = body.data;
      for (const index of FIVE) await service.send('PATCH', `/v1/resources/${id}`, { body: { fields: { index } } });
      return under('Resource', id);
    },
    ...EVENT,
  },
};

import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '../../src/db/generated/client.ts';
import { getDatamodel } from '../../src/db/generated/pothos.ts';
import type { EnvironmentRef } from '../../src/db/scoped.ts';

const { models } = getDatamodel().datamodel;

export const MODELS: readonly string[] = Object.keys(models);

export type Row = Record<string, unknown>;

/** A tenant's rows by model: one of each, a second event where deliveries need another. */
export type Rows = Readonly<Record<string, Row>>;

/** What is asked of a model's delegate, whichever model it is. */
export type Delegate = Readonly<Record<string, (args?: object) => Promise<never>>>;

export function delegateOf(client: PrismaClient, model: string): Delegate {
  const name = `${model.charAt(0).toLowerCase()}${model.slice(1)}`;
  return (client as unknown as Record<string, Delegate>)[name] as Delegate;
}

/** The fields of a model's primary key. */
function keyOf(model: string): readonly string[] {
  const { primaryKey, fields } = models[model] ?? { primaryKey: null, fields: [] };
  return primaryKey?.fields ?? fields.filter(({ isId }) => isId).map(({ name }) => name);
}

/** The related lists of a model, and the models that are in them. */
export function listsOf(model: string): readonly { readonly name: string; readonly type: string }[] {
  return (models[model]?.fields ?? []).filter(({ kind, isList }) => kind === 'object' && isList);
}

/** Whether the rows of a model say which environment or workspace they belong to. */
export function ownerOf(model: string): 'environmentId' | 'workspaceId' | undefined {
  const names = new Set(models[model]?.fields.map(({ name }) => name));
  return (['environmentId', 'workspaceId'] as const).find((name) => names.has(name));
}

/** The conditions that find this row and no other: as a filter, and as a unique key. */
export function addressOf(model: string, row: Row): { readonly filter: Row; readonly unique: Row } {
  const key = keyOf(model);
  const filter = Object.fromEntries(key.map((name) => [name, row[name]]));
  return { filter, unique: key.length > 1 ? { [key.join('_')]: filter } : filter };
}

/** Makes a workspace with two environments. */
export async function makeTenant(prisma: PrismaClient): Promise<{ live: EnvironmentRef; test: EnvironmentRef }> {
  const workspaceId = randomUUID();
  await prisma.workspace.create({ data: { id: workspaceId, name: 'A', createdAt: new Date() } });
  const environment = async (kind: 'live' | 'test') => {
    const { id } = await prisma.environment.create({ data: { id: randomUUID(), workspaceId, kind } });
    return { id, kind, workspaceId };
  };
  return { live: await environment('live'), test: await environment('test') };
}

/** Fills an environment with a row of every model. */
export async function fill(prisma: PrismaClient, environment: EnvironmentRef): Promise<Rows> {
  const { id: environmentId, workspaceId } = environment;
  const at = { createdAt: new Date(), updatedAt: new Date() };
  const { createdAt } = at;
  const user = await prisma.user.create({
    data: { id: randomUUID(), email: `${randomUUID()}@example.com`, name: 'A', passwordHash: 'x', createdAt },
  });
  const workflow = await prisma.workflow.create({ data: { workspaceId, name: 'A', draft: {}, ...at } });
  const workflowId = workflow.id;
  const version = await prisma.workflowVersion.create({ data: { workflowId, number: 1, config: {}, createdAt } });
  const deployment = await prisma.deployment.create({
    data: { id: randomUUID(), workspaceId, workflowId, publishedVersion: 1, name: 'A', kind: 'chat', ...at },
  });
  const deploymentId = deployment.id;
  const { id: conversationId } = await prisma.conversation.create({
    data: { id: randomUUID(), environmentId, deploymentId, name: 'A', variables: {}, meta: {}, ...at },
  });
  const of = { environmentId, conversationId };
  const how = { requestId: 'r', model: 'demo', workflowVersion: 1 };
  const run = await prisma.run.create({
    data: { id: randomUUID(), ...of, ...how, status: 'completed', agent: true, ...at },
  });
  const conversation = await prisma.conversation.update({
    where: { id: conversationId },
    data: { latestRunId: run.id },
  });
  const event = { environmentId, type: 'resource.created', resourceId: 'r', payload: {}, occurredAt: createdAt };
  const endpoint = await prisma.webhookEndpoint.create({
    data: { id: randomUUID(), environmentId, url: 'https://a', eventTypes: [], sealedSecret: Buffer.from('x'), ...at },
  });
  const firstEvent = await prisma.event.create({ data: { id: randomUUID(), ...event } });
  const queued = { environmentId, endpointId: endpoint.id, eventId: firstEvent.id, messageId: firstEvent.id };
  const delivery = await prisma.webhookDelivery.create({ data: { ...queued, nextAttemptAt: createdAt, createdAt } });
  const log = await prisma.workflowLog.create({
    data: {
      ...of,
      ...how,
      workflowId,
      deploymentId,
      runId: run.id,
      outcome: 'completed',
      inputTokens: 1,
      outputTokens: 1,
      responseTimeMs: 1,
      createdAt,
    },
  });
  return {
    Workspace: await prisma.workspace.findUniqueOrThrow({ where: { id: workspaceId } }),
    Environment: await prisma.environment.findUniqueOrThrow({ where: { id: environmentId } }),
    User: user,
    Membership: await prisma.membership.create({ data: { workspaceId, userId: user.id, role: 'viewer', createdAt } }),
    Invitation: await prisma.invitation.create({
      data: {
        id: randomUUID(),
        workspaceId,
        email: `${randomUUID()}@example.com`,
        role: 'viewer',
        tokenHash: randomUUID(),
        invitedById: user.id,
        createdAt,
        expiresAt: createdAt,
      },
    }),
    Session: await prisma.session.create({
      data: {
        id: randomUUID(),
        userId: user.id,
        workspaceId,
        tokenHash: randomUUID(),
        createdAt,
        expiresAt: createdAt,
      },
    }),
    ApiKey: await prisma.apiKey.create({
      data: { id: randomUUID(), environmentId, name: 'A', tokenHash: randomUUID(), lastFour: 'xxxx', createdAt },
    }),
    AuditEntry: await prisma.auditEntry.create({
      data: { workspaceId, action: 'a', actorKind: 'api_key', details: {}, requestId: 'r', occurredAt: createdAt },
    }),
    ModelPrice: await prisma.modelPrice.create({
      data: { workspaceId, model: randomUUID(), inputPerMillion: 1, outputPerMillion: 2, updatedAt: createdAt },
    }),
    Workflow: workflow,
    WorkflowVersion: version,
    Deployment: deployment,
    Conversation: conversation,
    Run: run,
    TimelineItem: await prisma.timelineItem.create({
      data: { ...of, runId: run.id, kind: 'message', step: 0, role: 'user', content: [], revision: 1, createdAt },
    }),
    Trigger: await prisma.trigger.create({
      data: {
        id: randomUUID().slice(0, 8),
        environmentId,
        deploymentId,
        workflowId,
        content: [],
        conversationId,
        workflowLogId: log.id,
        createdAt,
      },
    }),
    QueuedTurn: await prisma.queuedTurn.create({
      data: {
        runId: randomUUID(),
        environmentId,
        conversationId,
        content: [],
        agent: true,
        workflowVersion: 1,
        model: 'demo',
        requestId: 'r',
        leaseOwner: randomUUID(),
        leaseExpiresAt: new Date(Date.now() + 3_600_000),
        createdAt,
      },
    }),
    WorkflowLog: log,
    Resource: await prisma.resource.create({ data: { id: randomUUID(), environmentId, type: 'a', fields: {}, ...at } }),
    Event: firstEvent,
    Integration: await prisma.integration.create({
      data: { id: randomUUID(), environmentId, kind: 'http', name: 'A', config: {}, connectedAt: createdAt },
    }),
    WebhookEndpoint: endpoint,
    WebhookDelivery: delivery,
    WebhookAttempt: await prisma.webhookAttempt.create({
      data: { environmentId, deliveryId: delivery.id, durationMs: 1, startedAt: createdAt },
    }),
    Retention: await prisma.retention.create({ data: { environmentId, days: 30, nextSweepAt: createdAt } }),
    IdempotencyRecord: await prisma.idempotencyRecord.create({
      data: { environmentId, key: randomUUID(), fingerprint: 'x', createdAt, expiresAt: createdAt },
    }),
  };
}

/** What has to be another in a copy of a row, and a change that any row of the model could be given. */
export const VARIATIONS: Readonly<Record<string, { readonly fresh?: () => Row; readonly change: Row }>> = {
  Workspace: { change: { name: 'B' } },
  Environment: { change: { kind: 'test' } },
  User: { change: { name: 'B' } },
  Membership: { change: { role: 'owner' } },
  Invitation: {
    fresh: () => ({ id: randomUUID(), email: `${randomUUID()}@example.com`, tokenHash: randomUUID() }),
    change: { role: 'admin' },
  },
  Session: { fresh: () => ({ id: randomUUID(), tokenHash: randomUUID() }), change: { revokedAt: new Date() } },
  ApiKey: { fresh: () => ({ id: randomUUID(), tokenHash: randomUUID() }), change: { name: 'B' } },
  ModelPrice: { fresh: () => ({ model: randomUUID() }), change: { inputPerMillion: 3 } },
  AuditEntry: { fresh: () => ({ id: undefined }), change: { action: 'b' } },
  Workflow: { fresh: () => ({ id: undefined }), change: { name: 'B' } },
  WorkflowVersion: { change: { config: { a: 1 } } },
  Deployment: { fresh: () => ({ id: randomUUID() }), change: { name: 'B' } },
  Conversation: { fresh: () => ({ id: randomUUID() }), change: { name: 'B' } },
  Run: { fresh: () => ({ id: randomUUID() }), change: { model: 'b' } },
  QueuedTurn: { fresh: () => ({ runId: randomUUID(), position: undefined }), change: { model: 'b' } },
  TimelineItem: { fresh: () => ({ id: undefined }), change: { name: 'b' } },
  Trigger: { fresh: () => ({ id: randomUUID().slice(0, 8) }), change: { uiSurface: 'b' } },
  WorkflowLog: { fresh: () => ({ id: undefined }), change: { model: 'b' } },
  Resource: { fresh: () => ({ id: randomUUID() }), change: { type: 'b' } },
  Event: { fresh: () => ({ id: randomUUID() }), change: { type: 'b' } },
  Integration: { fresh: () => ({ id: randomUUID() }), change: { name: 'B' } },
  WebhookEndpoint: { fresh: () => ({ id: randomUUID() }), change: { url: 'https://b' } },
  WebhookDelivery: { change: { lastError: 'b' } },
  WebhookAttempt: { fresh: () => ({ id: undefined }), change: { error: 'b' } },
  Retention: { change: { days: 60 } },
  IdempotencyRecord: { fresh: () => ({ key: randomUUID() }), change: { fingerprint: 'b' } },
};

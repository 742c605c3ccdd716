import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '../../src/db/generated/client.ts';
import { getDatamodel } from '../../src/db/generated/pothos.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';

const { models } = getDatamodel().datamodel;

export const MODELS: readonly string[] = Object.keys(models);

export type Row = Record<string, unknown>;

/** A tenant's rows by model: one of each, and a second event if deliveries need another. */
export type Rows = Readonly<Record<string, Row>>;

/** The methods of any model's delegate. */
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

/** The relation lists of a model, with the models that they hold. */
export function listsOf(model: string): readonly { readonly name: string; readonly type: string }[] {
  return (models[model]?.fields ?? []).filter(({ kind, isList }) => kind === 'object' && isList);
}

/** The column with which a model's rows name their environment or workspace. */
export function ownerOf(model: string): 'environmentId' | 'workspaceId' | undefined {
  const names = new Set(models[model]?.fields.map(({ name }) => name));
  return (['environmentId', 'workspaceId'] as const).find((name) => names.has(name));
}

/** The conditions that find exactly this row: as a filter and as a unique key. */
export function addressOf(model: string, row: Row): { readonly filter: Row; readonly unique: Row } {
  const key = keyOf(model);
  const filter = Object.fromEntries(key.map((name) => [name, row[name]]));
  return { filter, unique: key.length > 1 ? { [key.join('_')]: filter } : filter };
}

/** Creates a workspace with two environments. */
export async function makeTenant(prisma: PrismaClient): Promise<{ live: EnvironmentRef; test: EnvironmentRef }> {
  const workspaceId = randomUUID();
  await prisma.workspace.create({ data: { id: workspaceId, name: 'A', createdAt: new Date() } });
  const environment = async (kind: 'live' | 'test') => {
    const { id } = await prisma.environment.create({ data: { id: randomUUID(), workspaceId, kind } });
    return { id, kind, workspaceId };
  };
  return { live: await environment('live'), test: await environment('test') };
}

/** Creates a row of every model in an environment. */
export async function createEveryRow(prisma: PrismaClient, environment: EnvironmentRef): Promise<Rows> {
  const { id: environmentId, workspaceId } = environment;
  const timestamps = { createdAt: new Date(), updatedAt: new Date() };
  const { createdAt } = timestamps;
  const user = await prisma.user.create({
    data: { id: randomUUID(), email: `${randomUUID()}@example.com`, name: 'A', passwordHash: 'x', createdAt },
  });
  const workflow = await prisma.workflow.create({ data: { workspaceId, name: 'A', draft: {}, ...timestamps } });
  const workflowId = workflow.id;
  const version = await prisma.workflowVersion.create({ data: { workflowId, number: 1, config: {}, createdAt } });
  const deployment = await prisma.deployment.create({
    data: { id: randomUUID(), workspaceId, workflowId, publishedVersion: 1, name: 'A', kind: 'chat', ...timestamps },
  });
  const deploymentId = deployment.id;
  const { id: conversationId } = await prisma.conversation.create({
    data: { id: randomUUID(), environmentId, deploymentId, name: 'A', variables: {}, meta: {}, ...timestamps },
  });
  const references = { environmentId, conversationId };
  const runFields = { requestId: 'r', model: 'demo', workflowVersion: 1 };
  const run = await prisma.run.create({
    data: { id: randomUUID(), ...references, ...runFields, status: 'completed', agent: true, ...timestamps },
  });
  const conversation = await prisma.conversation.update({
    where: { id: conversationId },
    data: { latestRunId: run.id },
  });
  const event = { environmentId, type: 'resource.created', resourceId: 'r', payload: {}, occurredAt: createdAt };
  const endpoint = await prisma.webhookEndpoint.create({
    data: {
      id: randomUUID(),
      environmentId,
      url: 'https://a',
      eventTypes: [],
      sealedSecret: Buffer.from('x'),
      ...timestamps,
    },
  });
  const firstEvent = await prisma.event.create({ data: { id: randomUUID(), ...event } });
  const queued = { environmentId, endpointId: endpoint.id, eventId: firstEvent.id, messageId: firstEvent.id };
  const delivery = await prisma.webhookDelivery.create({ data: { ...queued, nextAttemptAt: createdAt, createdAt } });
  const log = await prisma.workflowLog.create({
    data: {
      ...references,
      ...runFields,
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
    DeploymentLogo: await prisma.deploymentLogo.create({
      data: { deploymentId, workspaceId, digest: 'a', mimeType: 'image/png', picture: Buffer.from('x') },
    }),
    Conversation: conversation,
    Run: run,
    TimelineItem: await prisma.timelineItem.create({
      data: {
        ...references,
        runId: run.id,
        kind: 'message',
        step: 0,
        role: 'user',
        content: [],
        revision: 1,
        createdAt,
      },
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
    LiveText: await prisma.liveText.create({
      data: { runId: run.id, fence: 1, step: 1, position: 0, environmentId, text: 'a' },
    }),
    TraceSpan: await prisma.traceSpan.create({
      data: {
        id: randomUUID(),
        runId: run.id,
        environmentId,
        kind: 'model_step',
        step: 1,
        name: 'a',
        startedAt: createdAt,
        durationMs: 1,
        attempts: 1,
        requestId: 'a',
        sealedContent: new Uint8Array([1]),
      },
    }),
    WorkflowLog: log,
    Resource: await prisma.resource.create({
      data: { id: randomUUID(), environmentId, type: 'a', fields: {}, ...timestamps },
    }),
    Event: firstEvent,
    Integration: await prisma.integration.create({
      data: { id: randomUUID(), environmentId, kind: 'http', name: 'A', config: {}, connectedAt: createdAt },
    }),
    WebhookEndpoint: endpoint,
    WebhookDelivery: delivery,
    WebhookAttempt: await prisma.webhookAttempt.create({
      data: { environmentId, deliveryId: delivery.id, durationMs: 1, startedAt: createdAt },
    }),
    WebhookReplay: await prisma.webhookReplay.create({
      data: {
        environmentId,
        endpointId: endpoint.id,
        from: createdAt,
        to: createdAt,
        onlyFailed: true,
        deliveryCount: 1,
        createdAt,
      },
    }),
    SavedView: await prisma.savedView.create({
      data: {
        id: randomUUID(),
        environmentId,
        workspaceId,
        userId: user.id,
        name: 'A',
        parameters: 'status=active',
        createdAt,
      },
    }),
    Retention: await prisma.retention.create({ data: { environmentId, days: 30, nextSweepAt: createdAt } }),
    IdempotencyRecord: await prisma.idempotencyRecord.create({
      data: { environmentId, key: randomUUID(), fingerprint: 'x', createdAt, expiresAt: createdAt },
    }),
  };
}

/** The columns that must differ in a copy of a row, and a change that is valid for any row of the model. */
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
  DeploymentLogo: { change: { digest: 'b' } },
  Conversation: { fresh: () => ({ id: randomUUID() }), change: { name: 'B' } },
  Run: { fresh: () => ({ id: randomUUID() }), change: { model: 'b' } },
  QueuedTurn: { fresh: () => ({ runId: randomUUID(), position: undefined }), change: { model: 'b' } },
  LiveText: { fresh: () => ({ position: Math.floor(Math.random() * 1e9) }), change: { text: 'b' } },
  TraceSpan: { fresh: () => ({ id: randomUUID() }), change: { name: 'b' } },
  TimelineItem: { fresh: () => ({ id: undefined }), change: { name: 'b' } },
  Trigger: { fresh: () => ({ id: randomUUID().slice(0, 8) }), change: { uiSurface: 'b' } },
  WorkflowLog: { fresh: () => ({ id: undefined }), change: { model: 'b' } },
  Resource: { fresh: () => ({ id: randomUUID() }), change: { type: 'b' } },
  Event: { fresh: () => ({ id: randomUUID() }), change: { type: 'b' } },
  Integration: { fresh: () => ({ id: randomUUID() }), change: { name: 'B' } },
  WebhookEndpoint: { fresh: () => ({ id: randomUUID() }), change: { url: 'https://b' } },
  WebhookDelivery: { change: { lastError: 'b' } },
  WebhookAttempt: { fresh: () => ({ id: undefined }), change: { error: 'b' } },
  WebhookReplay: { fresh: () => ({ id: undefined }), change: { deliveryCount: 2 } },
  SavedView: { fresh: () => ({ id: randomUUID(), name: randomUUID() }), change: { name: 'B' } },
  Retention: { change: { days: 60 } },
  IdempotencyRecord: { fresh: () => ({ key: randomUUID() }), change: { fingerprint: 'b' } },
};

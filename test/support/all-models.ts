import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '../../src/db/generated/client.ts';
import { getDatamodel } from '../../src/db/generated/pothos.ts';
import type { EnvironmentRef } from '../../src/db/scope.ts';
import { rowKey } from '../../src/domain/row-key.ts';
import { newTypeId } from '../../src/domain/type-id.ts';
import { createBudgetRows } from './budget-rows.ts';
import { documentRows } from './document-rows.ts';
import { createEndUserRows } from './end-user-rows.ts';
import { createFactorRows } from './factor-rows.ts';
import { createFileRows } from './file-models.ts';
import { outgoingMailRow } from './mail-queue.ts';
import { withNote } from './note-rows.ts';
import { createPassingRows } from './passing-rows.ts';

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
  // Tests of migrations call this before later columns exist.
  await prisma.$executeRaw`INSERT INTO workspace (id, name, created_at) VALUES (${workspaceId}::uuid, 'A', now())`;
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
    where: rowKey({ id: environmentId }, conversationId),
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
  const firstEvent = await prisma.event.create({ data: { id: newTypeId('evt'), ...event } });
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
    SsoProvider: await sharedProvider(prisma, workspaceId, createdAt),
    SignInDomain: await prisma.signInDomain.create({ data: { domain: randomUUID(), workspaceId, createdAt } }),
    SsoIdentity: await prisma.ssoIdentity.create({
      data: { workspaceId, issuer: 'https://a', subject: randomUUID(), userId: user.id, createdAt },
    }),
    UsedSignInState: await prisma.usedSignInState.create({
      data: { stateHash: randomUUID(), workspaceId, expiresAt: createdAt },
    }),
    PasswordReset: await prisma.passwordReset.create({
      data: { tokenHash: randomUUID(), userId: user.id, createdAt, expiresAt: createdAt },
    }),
    OutgoingMail: await outgoingMailRow(prisma, workspaceId),
    ...(await createFactorRows(prisma, { userId: user.id, workspaceId, createdAt })),
    ApiKey: await prisma.apiKey.create({
      data: { id: randomUUID(), environmentId, name: 'A', tokenHash: randomUUID(), lastFour: 'xxxx', createdAt },
    }),
    ...(await createEndUserRows(prisma, { environmentId, deploymentId, createdAt })),
    AuditEntry: await prisma.auditEntry.create({
      data: { workspaceId, action: 'a', actorKind: 'api_key', details: {}, requestId: 'r', occurredAt: createdAt },
    }),
    ModelPrice: await prisma.modelPrice.create({
      data: { workspaceId, model: randomUUID(), inputPerMillion: 1, outputPerMillion: 2, updatedAt: createdAt },
    }),
    ...(await createBudgetRows(prisma, { environmentId, createdAt })),
    Workflow: workflow,
    WorkflowVersion: version,
    Deployment: deployment,
    DeploymentLogo: await prisma.deploymentLogo.create({
      data: { deploymentId, workspaceId, digest: 'a', mimeType: 'image/png', picture: Buffer.from('x') },
    }),
    ...(await createFileRows(prisma, { environmentId, conversationId: conversation.id, createdAt })),
    ...(await withNote(prisma, conversation)),
    // Of no deployment that has conversations: a start there can merge the rows.
    ConversationCount: await prisma.conversationCount.create({
      data: { environmentId, deploymentId: randomUUID(), amount: 1 },
    }),
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
    ...(await createPassingRows(prisma, { environmentId, conversationId, runId: run.id, createdAt })),
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
    ...(await documentRows(prisma, environmentId)),
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

/** The provider of a workspace, which its environments share. Not an upsert: Prisma would open a transaction for it. */
async function sharedProvider(prisma: PrismaClient, workspaceId: string, createdAt: Date) {
  const existing = await prisma.ssoProvider.findUnique({ where: { workspaceId } });
  const data = {
    workspaceId,
    issuer: 'https://a',
    clientId: 'a',
    sealedClientSecret: Buffer.from('x'),
    defaultRole: 'viewer',
    jitMembership: false,
    updatedAt: createdAt,
  } as const;
  return existing ?? prisma.ssoProvider.create({ data });
}

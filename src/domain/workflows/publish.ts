import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import type { Deployment, Workflow, WorkflowVersion } from '../../db/generated/client.ts';
import { withoutRowSecurity } from '../../db/scoped.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { PUBLISH_WORKFLOW } from '../../shapes/workflows.ts';
import { recordEffect } from '../access/claimed-effect.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import type { WorkflowAddress } from './changes.ts';
import { workflowConfig } from './config.ts';
import { requirePricesOfPublished } from './needed-prices.ts';
import { isPublicDeployment, requireExplicitApprovers } from './public-approvals.ts';
import { lockWorkflow, requireRevision, requireWorkflow } from './reads.ts';

const { deploymentIds: published } = PUBLISH_WORKFLOW.fields;

const publication = z.object({
  deploymentIds: published.rule.check(
    z.refine((ids) => new Set(ids).size === ids.length, 'must contain each deployment once'),
  ),
});

/** The published version and its deployments. */
export interface Publication {
  readonly version: WorkflowVersion;
  /** Whether a new version was created. False if the newest version was equal to the draft. */
  readonly isNew: boolean;
  readonly deployments: Deployment[];
}

/** The effect that is stored with an idempotency key. */
type StoredPublication = Readonly<{ version: number; isNew: boolean }>;

/**
 * Creates the next version from the draft, unless the newest version is equal, and makes the deployments run it from their
 * next turn on. Publications of one workflow run one after another. So two concurrent publications get different version
 * numbers, or share one if the draft is the same.
 * @throws {ServiceError} not_found, invalid_request, precondition_failed
 */
export async function publishWorkflow(
  ctx: Context,
  { workflowId, ifRevision }: WorkflowAddress,
  ids: readonly string[],
): Promise<Publication> {
  await requireWorkflow(ctx, workflowId);
  const { deploymentIds } = parseInput(publication, { deploymentIds: ids });
  // Only this function writes this effect.
  const existing = ctx.request.claim?.effect as StoredPublication | null | undefined;
  if (existing) return publicationOf(ctx.db, workflowId, deploymentIds, existing);
  // Budgets of the other environment also need prices, so the statements see all rows.
  return inTransaction(withoutRowSecurity(ctx.db), async (tx) => {
    const workflow = await lockWorkflow(ctx, tx, workflowId);
    requireRevision(ifRevision, workflow);
    const deployments = await requireDeployments(tx, workflowId, deploymentIds);
    if (deployments.some(isPublicDeployment)) requireExplicitApprovers(workflowConfig.parse(workflow.draft));
    const published = await freeze(ctx, tx, workflow);
    const data = { publishedVersion: published.version, updatedAt: ctx.now() };
    await tx.deployment.updateMany({ where: { id: { in: deploymentIds } }, data });
    await requirePricesOfPublished(ctx, tx, deploymentIds);
    await writeDown(ctx, tx, { workflowId, deploymentIds, ...published });
    await recordEffect(tx, ctx.request.claim, published satisfies StoredPublication);
    return publicationOf(tx, workflowId, deploymentIds, published);
  });
}

async function requireDeployments(tx: Transaction, workflowId: number, ids: readonly string[]) {
  const deployments = await tx.deployment.findMany({
    where: { id: { in: [...ids] }, workflowId },
    select: { id: true, authRequired: true, hostedPage: true },
  });
  const knownIds = new Set(deployments.map(({ id }) => id));
  const missing = ids.findIndex((id) => !knownIds.has(id));
  if (missing < 0) return deployments;
  throw new ServiceError('not_found', 'There is no deployment of this workflow with the ID in {param}.', {
    param: ['deploymentIds', missing],
  });
}

/** Finds or creates the version with the draft of a locked workflow. */
async function freeze(ctx: Context, tx: Transaction, { id, draft }: Workflow): Promise<StoredPublication> {
  const newest = await tx.workflowVersion.findFirst({ where: { workflowId: id }, orderBy: { number: 'desc' } });
  const config = workflowConfig.parse(draft);
  if (newest && isDeepStrictEqual(workflowConfig.parse(newest.config), config)) {
    return { version: newest.number, isNew: false };
  }
  const version = (newest?.number ?? 0) + 1;
  await tx.$executeRaw`
    INSERT INTO workflow_version (workflow_id, number, config, created_at)
    SELECT id, ${version}, ${JSON.stringify(config)}::jsonb, ${ctx.now()} FROM workflow
    WHERE id = ${id} AND workspace_id = ${ctx.environment.workspaceId}::uuid`;
  return { version, isNew: true };
}

interface Written extends StoredPublication {
  readonly workflowId: number;
  readonly deploymentIds: readonly string[];
}

async function writeDown(ctx: Context, tx: Transaction, written: Written): Promise<void> {
  const { workflowId, deploymentIds, version, isNew } = written;
  const at = ctx.now();
  const details = { version, new_version: isNew, deployment_ids: deploymentIds };
  await tx.$executeRaw(
    insertAuditEntry(ctx, { action: 'workflow.published', subjectId: String(workflowId), details, at }),
  );
  for (const subjectId of deploymentIds) {
    await tx.$executeRaw(
      insertAuditEntry(ctx, { action: 'deployment.published', subjectId, details: { version }, at }),
    );
  }
}

async function publicationOf(
  tx: Transaction,
  workflowId: number,
  ids: readonly string[],
  { version, isNew }: StoredPublication,
): Promise<Publication> {
  const deployments = await tx.deployment.findMany({ where: { id: { in: [...ids] }, workflowId } });
  const key = { workflowId_number: { workflowId, number: version } };
  return {
    version: await tx.workflowVersion.findUniqueOrThrow({ where: key }),
    isNew,
    deployments: deployments.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id)),
  };
}

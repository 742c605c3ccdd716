import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Deployment, Workflow, WorkflowVersion } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { markEffect } from '../access/idempotency.ts';
import { audited } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import type { WorkflowAddress } from './changes.ts';
import { workflowConfig } from './config.ts';
import { lockWorkflow, requireRevision, requireWorkflow } from './reads.ts';

const publication = z.object({
  deploymentIds: z
    .array(z.string())
    .min(1, 'must name a deployment')
    .max(LIMITS.publishedDeployments, `must name at most ${LIMITS.publishedDeployments} deployments`)
    .refine((ids) => new Set(ids).size === ids.length, 'must name each deployment once'),
});

/** What was published, and where. */
export interface Publication {
  readonly version: WorkflowVersion;
  /** Whether the draft became a version of its own; else it was equal to this one. */
  readonly isNew: boolean;
  readonly deployments: Deployment[];
}

/** A publication as an idempotency key remembers it. */
type MadePublication = Readonly<{ version: number; isNew: boolean }>;

/**
 * Freezes the draft into the next version, unless the newest one is equal to it, and lets the deployments run it from
 * their next turn on. Publications of one workflow come one after another, so of two that race each gets a number of
 * its own, or both share one.
 * @throws {ServiceError} not_found, invalid_request, precondition_failed
 */
export async function publishWorkflow(
  ctx: Context,
  { workflowId, ifRevision }: WorkflowAddress,
  ids: readonly string[],
): Promise<Publication> {
  await requireWorkflow(ctx, workflowId);
  const { deploymentIds } = parseInput(publication, { deploymentIds: ids });
  // Written below, and by nothing else that is asked through its field.
  const made = ctx.request.claim?.effect as MadePublication | null | undefined;
  if (made) return publicationOf(ctx.db, workflowId, deploymentIds, made);
  return inTransaction(ctx.db, async (tx) => {
    const workflow = await lockWorkflow(ctx, tx, workflowId);
    requireRevision(ifRevision, workflow);
    await requireDeployments(tx, workflowId, deploymentIds);
    const published = await freeze(ctx, tx, workflow);
    const data = { publishedVersion: published.version, updatedAt: ctx.now() };
    await tx.deployment.updateMany({ where: { id: { in: deploymentIds } }, data });
    await writeDown(ctx, tx, { workflowId, deploymentIds, ...published });
    await markEffect(tx, ctx.request.claim, published satisfies MadePublication);
    return publicationOf(tx, workflowId, deploymentIds, published);
  });
}

async function requireDeployments(tx: Transaction, workflowId: number, ids: readonly string[]): Promise<void> {
  const found = await tx.deployment.findMany({ where: { id: { in: [...ids] }, workflowId }, select: { id: true } });
  const known = new Set(found.map(({ id }) => id));
  const missing = ids.findIndex((id) => !known.has(id));
  if (missing < 0) return;
  throw new ServiceError('not_found', 'There is no deployment of this workflow with the id in {param}.', {
    param: ['deploymentIds', missing],
  });
}

/** The version that holds the draft of a locked workflow: the newest, or one that is made for it. */
async function freeze(ctx: Context, tx: Transaction, { id, draft }: Workflow): Promise<MadePublication> {
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

interface Written extends MadePublication {
  readonly workflowId: number;
  readonly deploymentIds: readonly string[];
}

async function writeDown(ctx: Context, tx: Transaction, written: Written): Promise<void> {
  const { workflowId, deploymentIds, version, isNew } = written;
  const at = ctx.now();
  const details = { version, new_version: isNew, deployment_ids: deploymentIds };
  await tx.$executeRaw(audited(ctx, { action: 'workflow.published', subjectId: String(workflowId), details, at }));
  for (const subjectId of deploymentIds) {
    await tx.$executeRaw(audited(ctx, { action: 'deployment.published', subjectId, details: { version }, at }));
  }
}

async function publicationOf(
  tx: Transaction,
  workflowId: number,
  ids: readonly string[],
  { version, isNew }: MadePublication,
): Promise<Publication> {
  const deployments = await tx.deployment.findMany({ where: { id: { in: [...ids] }, workflowId } });
  const key = { workflowId_number: { workflowId, number: version } };
  return {
    version: await tx.workflowVersion.findUniqueOrThrow({ where: key }),
    isNew,
    deployments: deployments.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id)),
  };
}

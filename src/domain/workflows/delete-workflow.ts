import { Prisma } from '../../db/generated/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { recordEffect } from '../access/claimed-effect.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { type DependantRows, requireUnused } from '../dependants.ts';
import type { WorkflowAddress } from './changes.ts';
import { lockWorkflow, requireRevision, requireWorkflow } from './reads.ts';

/** A deletion as an idempotency key stores it. */
type RecordedDeletion = Readonly<Record<'deletedWorkflowId', number>>;

/**
 * Deletes a workflow without deployments, with its draft and its versions. Entries of the workflow log stay, with its ID.
 * @throws {ServiceError} not_found, precondition_failed, in_use
 */
export async function deleteWorkflow(ctx: Context, { workflowId, ifRevision }: WorkflowAddress): Promise<number> {
  // Only this function writes this effect.
  const recorded = ctx.request.claim?.effect as RecordedDeletion | null | undefined;
  if (recorded) return recorded.deletedWorkflowId;
  await requireWorkflow(ctx, workflowId);
  const { workspaceId } = ctx.environment;
  const deployments: DependantRows = {
    kind: 'deployment',
    table: Prisma.sql`deployment`,
    where: Prisma.sql`d.workflow_id = ${workflowId} AND d.workspace_id = ${workspaceId}::uuid`,
    isOwn: true,
  };
  await inTransaction(ctx.db, async (tx) => {
    const workflow = await lockWorkflow(ctx, tx, workflowId, { toDelete: true });
    requireRevision(ifRevision, workflow);
    await requireUnused(ctx, tx, 'workflow', [[deployments]]);
    await recordEffect(tx, ctx.request.claim, { deletedWorkflowId: workflowId } satisfies RecordedDeletion);
    const { name } = workflow;
    const entry = {
      action: 'workflow.deleted',
      subjectId: String(workflowId),
      details: { name },
      at: ctx.now(),
    } as const;
    await tx.$executeRaw(insertAuditEntry(ctx, entry));
    await tx.workflowVersion.deleteMany({ where: { workflowId } });
    await tx.workflow.delete({ where: { id: workflowId } });
  });
  return workflowId;
}

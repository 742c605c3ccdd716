import type { Workflow } from '../../db/generated/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { requireWorkflow } from './reads.ts';

/**
 * Sets whether turns of the workflow's deployments must start from a trigger, from the next request on.
 * @throws {ServiceError} not_found
 */
export async function setTriggerRequired(
  ctx: Context,
  workflowId: number,
  triggerRequired: boolean,
): Promise<Workflow> {
  await requireWorkflow(ctx, workflowId);
  const at = ctx.now();
  const entry = {
    action: 'workflow.trigger_settings_changed',
    subjectId: String(workflowId),
    details: { trigger_required: triggerRequired },
    at,
  } as const;
  return inTransaction(ctx.db, async (tx) => {
    await tx.$executeRaw(insertAuditEntry(ctx, entry));
    return tx.workflow.update({ where: { id: workflowId }, data: { triggerRequired, updatedAt: at } });
  });
}

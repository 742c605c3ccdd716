import { ServiceError } from '../../contract/errors.ts';
import type { Workflow } from '../../db/generated/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { audited } from '../audit/append.ts';
import type { Context } from '../context.ts';

/** PostgreSQL's integer: no workflow's number is beyond it. */
const MOST = 2 ** 31 - 1;

/**
 * Says whether turns of the workflow's deployments must start from a trigger (SPEC 4.7). Holds from the next request on.
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
    await tx.$executeRaw(audited(ctx, entry));
    return tx.workflow.update({ where: { id: workflowId }, data: { triggerRequired, updatedAt: at } });
  });
}

/** @throws {ServiceError} not_found */
export async function requireWorkflow(ctx: Context, workflowId: number): Promise<void> {
  const found = workflowId >= 1 && workflowId <= MOST && (await ctx.db.workflow.count({ where: { id: workflowId } }));
  if (found) return;
  throw new ServiceError('not_found', 'There is no workflow with this id here. Check {param}.', {
    param: ['workflowId'],
  });
}

import { ServiceError } from '../../contract/errors.ts';
import type { Workflow, WorkflowVersion } from '../../db/generated/client.ts';
import { type Keyset, type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { workflowConfig } from './config.ts';
import type { RunnableWorkflow } from './deployments.ts';

/** PostgreSQL's integer: no workflow's number is beyond it. */
const MOST = 2 ** 31 - 1;

/** Workflows, newest first: their numbers grow. */
const WORKFLOWS: Keyset<Workflow> = { list: 'workflows', columns: [{ field: 'id', type: 'int' }], direction: 'desc' };

/** Versions of one workflow, newest first. */
const VERSIONS: Keyset<WorkflowVersion> = {
  list: 'workflow_versions',
  columns: [{ field: 'number', type: 'int' }],
  direction: 'desc',
};

/** @throws {ServiceError} not_found */
export async function requireWorkflow(ctx: Context, workflowId: number): Promise<void> {
  const found = workflowId >= 1 && workflowId <= MOST && (await ctx.db.workflow.count({ where: { id: workflowId } }));
  if (!found) throw workflowNotFound();
}

/** The workflow, with what `query` selects of it. @throws {ServiceError} not_found */
export async function findWorkflow(ctx: Context, workflowId: number, query: object = {}): Promise<Workflow> {
  const found = await ctx.db.workflow.findFirst({ ...query, where: { id: workflowId } });
  if (!found) throw workflowNotFound();
  return found;
}

/** A keyset page of the workspace's workflows, with what `query` selects of them. */
export function listWorkflows(ctx: Context, args: PageArgs, query: object): Promise<KeysetPage<Workflow>> {
  return keysetPage(WORKFLOWS, args, bindingOf(ctx), {
    find: (page) => ctx.db.workflow.findMany({ ...query, ...page }),
    count: () => ctx.db.workflow.count(),
  });
}

/** A keyset page of what was published of a workflow. */
export function listVersions(ctx: Context, workflowId: number, args: PageArgs): Promise<KeysetPage<WorkflowVersion>> {
  const filter = { workflowId };
  return keysetPage(VERSIONS, args, bindingOf(ctx, workflowId), {
    find: ({ where, orderBy, take }) =>
      ctx.db.workflowVersion.findMany({ where: { AND: [filter, ...where.AND] }, orderBy, take }),
    count: () => ctx.db.workflowVersion.count({ where: filter }),
  });
}

/** The draft, to be run without a deployment. @throws {ServiceError} not_found */
export async function runnableDraft(ctx: Context, workflowId: number): Promise<RunnableWorkflow> {
  const { draft } = await findWorkflow(ctx, workflowId, { select: { draft: true } });
  return { id: null, workflowId, version: null, config: workflowConfig.parse(draft) };
}

/**
 * The workflow, held until the transaction's end: its changes and publications come one after another. Triggers, which
 * name it, may be made meanwhile.
 * @throws {ServiceError} not_found
 */
export async function lockWorkflow(ctx: Context, tx: Transaction, workflowId: number): Promise<Workflow> {
  await tx.$queryRaw`
    SELECT 1 FROM workflow WHERE id = ${workflowId} AND workspace_id = ${ctx.environment.workspaceId}::uuid
    FOR NO KEY UPDATE`;
  const workflow = await tx.workflow.findUnique({ where: { id: workflowId } });
  if (!workflow) throw workflowNotFound();
  return workflow;
}

/** Holds a caller to the workflow that it has seen. @throws {ServiceError} precondition_failed */
export function requireRevision(ifRevision: number | null | undefined, { revision }: Workflow): void {
  if (ifRevision == null || ifRevision === revision) return;
  throw new ServiceError('precondition_failed', 'The workflow was changed meanwhile. Read it again.', {
    param: ['ifRevision'],
  });
}

function workflowNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no workflow with this id here. Check {param}.', {
    param: ['workflowId'],
  });
}

function bindingOf(ctx: Context, ...filters: readonly unknown[]) {
  return { secret: ctx.services.secretKey, filters: [ctx.environment.workspaceId, ...filters] };
}

import { ServiceError } from '../../contract/errors.ts';
import { Prisma, type Workflow } from '../../db/generated/client.ts';
import type { Keyset } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { workflowConfig } from './config.ts';
import { type RunnableWorkflow, unknownVersion } from './deployments.ts';

/** The maximum of PostgreSQL's integer. */
const MAX_ID = 2 ** 31 - 1;

/** Workflows, newest first. IDs are assigned in ascending order. */
const WORKFLOWS: Keyset<Workflow> = { list: 'workflows', columns: [{ field: 'id', type: 'int' }], direction: 'desc' };

/** @throws {ServiceError} not_found */
export async function requireWorkflow(ctx: Context, workflowId: number): Promise<void> {
  const exists =
    workflowId >= 1 && workflowId <= MAX_ID && (await ctx.db.workflow.count({ where: { id: workflowId } }));
  if (!exists) throw workflowNotFound();
}

/** Finds a workflow. `query` selects its fields. @throws {ServiceError} not_found */
export async function findWorkflow(ctx: Context, workflowId: number, query: object = {}): Promise<Workflow> {
  const workflow = await ctx.db.workflow.findFirst({ ...query, where: { id: workflowId } });
  if (!workflow) throw workflowNotFound();
  return workflow;
}

/** A page of the workspace's workflows. `query` selects their fields. */
export function listWorkflows(ctx: Context, args: PageArgs, query: object): Promise<KeysetPage<Workflow>> {
  return keysetPage(WORKFLOWS, args, bindingOf(ctx), {
    find: (page) => ctx.db.workflow.findMany({ ...query, ...page }),
    count: () => ctx.db.workflow.count(),
  });
}

/** The draft, to run without a deployment. @throws {ServiceError} not_found */
export async function runnableDraft(ctx: Context, workflowId: number): Promise<RunnableWorkflow> {
  const { draft } = await findWorkflow(ctx, workflowId, { select: { draft: true } });
  return { id: null, workflowId, version: null, config: workflowConfig.parse(draft), hasBudgets: true };
}

/** A version, to run without a deployment. @throws {ServiceError} not_found */
export async function runnableVersion(ctx: Context, workflowId: number, version: number): Promise<RunnableWorkflow> {
  const key = { workflowId_number: { workflowId, number: version } };
  const row = version <= MAX_ID ? await ctx.db.workflowVersion.findUnique({ where: key }) : null;
  if (!row) throw unknownVersion('version');
  return { id: null, workflowId, version, config: workflowConfig.parse(row.config), hasBudgets: true };
}

/**
 * Locks the workflow until the end of the transaction, so its changes and publications run one after another. Deployments
 * and triggers that refer to it can still be created, unless it is about to be deleted.
 * @throws {ServiceError} not_found
 */
export async function lockWorkflow(
  ctx: Context,
  tx: Transaction,
  workflowId: number,
  { toDelete = false }: { readonly toDelete?: boolean } = {},
): Promise<Workflow> {
  await tx.$queryRaw`
    SELECT 1 FROM workflow WHERE id = ${workflowId} AND workspace_id = ${ctx.environment.workspaceId}::uuid
    ${toDelete ? Prisma.sql`FOR UPDATE` : Prisma.sql`FOR NO KEY UPDATE`}`;
  const workflow = await tx.workflow.findUnique({ where: { id: workflowId } });
  if (!workflow) throw workflowNotFound();
  return workflow;
}

/** Requires the revision that the caller has seen. @throws {ServiceError} precondition_failed */
export function requireRevision(ifRevision: number | null | undefined, workflow: Workflow): void {
  if (ifRevision == null || ifRevision === workflow.revision) return;
  throw new ServiceError('precondition_failed', 'The workflow changed after you read it. Read it again.', {
    param: ['ifRevision'],
    current: { type: 'Workflow', value: workflow },
  });
}

/** @param param the argument that names the version */
export function workflowNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no workflow with this ID in this workspace. Check {param}.', {
    param: ['workflowId'],
  });
}

function bindingOf(ctx: Context, ...filters: readonly unknown[]) {
  return { secret: ctx.services.settings.secretKey, filters: [ctx.environment.workspaceId, ...filters] };
}

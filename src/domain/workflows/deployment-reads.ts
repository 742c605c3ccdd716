import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../contract/errors.ts';
import { type Deployment, Prisma } from '../../db/generated/client.ts';
import { type ListOrder, newestFirst, ordered } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { workflowConfig } from './config.ts';

/** Deployments, newest first. */
const DEPLOYMENTS = newestFirst<Deployment>('deployments', 'createdAt');

/**
 * Finds a deployment, published or not. `query` selects its fields.
 * @throws {ServiceError} not_found
 */
export async function findDeployment(ctx: Context, id: string, query: object = {}): Promise<Deployment> {
  const row = await ctx.db.deployment.findFirst({ ...query, where: { id } });
  if (!row) throw unknownDeployment();
  return row;
}

/** A page of the workspace's deployments, optionally of one workflow. `query` selects their fields. */
export function listDeployments(
  ctx: Context,
  args: PageArgs,
  { workflowId }: { readonly workflowId?: number | null | undefined },
  { query, order }: { readonly query: object; readonly order?: ListOrder<'createdAt'> | null | undefined },
): Promise<KeysetPage<Deployment>> {
  const filter = workflowId == null ? {} : { workflowId };
  const binding = { secret: ctx.services.settings.secretKey, filters: [ctx.environment.workspaceId, filter] };
  return keysetPage(ordered(DEPLOYMENTS, order), args, binding, {
    find: ({ where, orderBy, take }) =>
      ctx.db.deployment.findMany({ ...query, where: { AND: [filter, ...where.AND] }, orderBy, take }),
    count: () => ctx.db.deployment.count({ where: filter }),
  });
}

/**
 * Locks the deployment until the end of the transaction. Other rows can still refer to it, unless it is about to be deleted.
 * @throws {ServiceError} not_found
 */
export async function lockDeployment(
  ctx: Context,
  tx: Transaction,
  id: string,
  { toDelete = false }: { readonly toDelete?: boolean } = {},
): Promise<Deployment> {
  await tx.$queryRaw`
    SELECT 1 FROM deployment WHERE id = ${id}::uuid AND workspace_id = ${ctx.environment.workspaceId}::uuid
    ${toDelete ? Prisma.sql`FOR UPDATE` : Prisma.sql`FOR NO KEY UPDATE`}`;
  const deployment = await tx.deployment.findUnique({ where: { id } });
  if (!deployment) throw unknownDeployment();
  return deployment;
}

/** Whether publishing the draft would change what the deployment runs. True for an unpublished deployment. */
export function differs(draft: unknown, published: unknown): boolean {
  return published === undefined || !isDeepStrictEqual(workflowConfig.parse(draft), workflowConfig.parse(published));
}

function unknownDeployment(): ServiceError {
  return new ServiceError('not_found', 'There is no deployment with this ID in this workspace. Check {param}.', {
    param: ['deploymentId'],
  });
}

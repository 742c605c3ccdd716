import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../contract/errors.ts';
import type { Deployment } from '../../db/generated/client.ts';
import { type KeysetPage, keysetPage, newestFirst, type PageArgs } from '../../db/keyset.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';
import { workflowConfig } from './config.ts';

/** Deployments, newest first. */
const DEPLOYMENTS = newestFirst<Deployment>('deployments', 'createdAt');

/**
 * The deployment, published or not, with what `query` selects of it.
 * @throws {ServiceError} not_found
 */
export async function findDeployment(ctx: Context, id: string, query: object = {}): Promise<Deployment> {
  const found = await ctx.db.deployment.findFirst({ ...query, where: { id } });
  if (!found) throw unknownDeployment();
  return found;
}

/** A keyset page of the workspace's deployments, of one workflow where it is given. */
export function listDeployments(
  ctx: Context,
  args: PageArgs,
  workflowId: number | null | undefined,
  query: object,
): Promise<KeysetPage<Deployment>> {
  const filter = workflowId == null ? {} : { workflowId };
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.workspaceId, filter] };
  return keysetPage(DEPLOYMENTS, args, binding, {
    find: ({ where, orderBy, take }) =>
      ctx.db.deployment.findMany({ ...query, where: { AND: [filter, ...where.AND] }, orderBy, take }),
    count: () => ctx.db.deployment.count({ where: filter }),
  });
}

/** The deployment, held until the transaction's end. @throws {ServiceError} not_found */
export async function lockDeployment(ctx: Context, tx: Transaction, id: string): Promise<Deployment> {
  await tx.$queryRaw`
    SELECT 1 FROM deployment WHERE id = ${id}::uuid AND workspace_id = ${ctx.environment.workspaceId}::uuid
    FOR NO KEY UPDATE`;
  const deployment = await tx.deployment.findUnique({ where: { id } });
  if (!deployment) throw unknownDeployment();
  return deployment;
}

/** Whether publishing the draft would change what a deployment runs. One that runs nothing would begin to. */
export function differs(draft: unknown, published: unknown): boolean {
  return published === undefined || !isDeepStrictEqual(workflowConfig.parse(draft), workflowConfig.parse(published));
}

function unknownDeployment(): ServiceError {
  return new ServiceError('not_found', 'There is no deployment with this id here. Check {param}.', {
    param: ['deploymentId'],
  });
}

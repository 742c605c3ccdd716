import { ServiceError } from '../../../contract/errors.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { SessionCaller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import { credentialTopic } from '../caller-ends.ts';
import { byCaller, endApps } from './end-apps.ts';

/** The condition on the connected apps of the caller. Nobody reads the apps of others. */
export function ownApps(ctx: Context, { user }: SessionCaller) {
  return { userId: user.id, expiresAt: { gt: ctx.now() } };
}

/** The apps that the member has connected to the workspace, newest first. */
export function listConnectedApps(ctx: Context, caller: SessionCaller) {
  return ctx.db.connectedApp.findMany({
    where: ownApps(ctx, caller),
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
}

/** Ends the access of one of the member's own apps on every process. @throws {ServiceError} not_found */
export async function disconnectApp(ctx: Context, { user }: SessionCaller, appId: string): Promise<void> {
  const { workspaceId } = ctx.environment;
  const mine = Prisma.sql`id = ${appId}::uuid AND user_id = ${user.id}::uuid AND workspace_id = ${workspaceId}::uuid`;
  const ended = await inTransaction(ctx.db, (tx) => endApps(byCaller(ctx), tx, mine));
  if (ended.length === 0) {
    throw new ServiceError('not_found', 'You have no connected app with this ID. Check {param}.', { param: ['appId'] });
  }
  for (const id of ended) ctx.services.stores.pubSub.publish(credentialTopic(id));
}

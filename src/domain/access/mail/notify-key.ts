import { LIMITS } from '../../../contract/limits.ts';
import type { Transaction } from '../../../db/transaction.ts';
import type { Context } from '../../context.ts';
import { notify } from './notify.ts';

/**
 * Tells the owners of the workspace about a new secret of an API key, and the member who made it: a key outlives the session
 * and the membership that made it.
 */
export async function notifyKey(
  ctx: Context,
  tx: Transaction,
  kind: 'key_created' | 'key_rotated',
  keyName: string,
): Promise<void> {
  const { services, environment, caller } = ctx;
  if (!services.stores.mail.isOn) return;
  const { workspaceId } = environment;
  const owners = await tx.membership.findMany({
    where: { workspaceId, role: 'owner' },
    select: { userId: true },
    orderBy: { createdAt: 'asc' },
    take: LIMITS.notifiedOwners,
  });
  const actor = caller.kind === 'session' || caller.kind === 'app' ? [caller.user.id] : [];
  const userIds = [...actor, ...owners.map(({ userId }) => userId)];
  await notify(ctx, tx, { userIds, workspaceId }, kind, { keyName, environment: environment.kind });
}

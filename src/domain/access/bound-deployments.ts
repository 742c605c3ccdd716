import type { Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';

/**
 * The index of the first ID that no deployment of the workspace has, or -1. Locks the others until the end of the
 * transaction, so that nobody deletes one while a key or an issuer is bound to it.
 */
export async function unknownDeployment(ctx: Context, tx: Transaction, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return -1;
  const found = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM deployment
    WHERE id = ANY (${[...ids]}::uuid[]) AND workspace_id = ${ctx.environment.workspaceId}::uuid
    ORDER BY id FOR KEY SHARE`;
  const known = new Set(found.map(({ id }) => id));
  return ids.findIndex((id) => !known.has(id.toLowerCase()));
}

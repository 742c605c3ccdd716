import { ServiceError } from '../../contract/errors.ts';
import { ADMINISTRATORS, assignableRoles, type Role } from '../../contract/roles.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import type { SessionCaller } from '../caller.ts';
import type { Context } from '../context.ts';
import { requireSession } from './scopes.ts';
import { unauthorized } from './unauthorized.ts';

/**
 * Changes the members or invitations of the caller's workspace. Changes run one after another, so rules about all members
 * hold. `actor` is the current role of the caller, which may differ from the role at the start of the request.
 * @throws {ServiceError} unauthorized or forbidden if the caller is no longer allowed to do this
 */
export function administerMembers<T>(
  ctx: Context,
  work: (tx: Transaction, actor: Role, caller: SessionCaller) => Promise<T>,
): Promise<T> {
  const caller = requireSession(ctx.caller);
  const { workspaceId } = ctx.environment;
  return inTransaction(ctx.db, async (tx) => {
    await lockMembers(tx, workspaceId);
    const where = { workspaceId_userId: { workspaceId, userId: caller.user.id } };
    const actor = (await tx.membership.findUnique({ where, select: { role: true } }))?.role;
    if (!actor) throw unauthorized();
    if (!ADMINISTRATORS.includes(actor)) throw notAllowed('Only owners and admins can do this.', ADMINISTRATORS);
    return work(tx, actor, caller);
  });
}

/** Makes changes of the members of a workspace run one after another. */
export async function lockMembers(tx: Transaction, workspaceId: string): Promise<void> {
  // NO KEY UPDATE still allows inserts that reference the workspace.
  await tx.$queryRaw`SELECT id FROM workspace WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE`;
}

/** A caller cannot assign a role above their own. @throws {ServiceError} forbidden, for the field `role` */
export function requireMayGive(actor: Role, role: Role): void {
  if (assignableRoles(actor).includes(role)) return;
  throw notAllowed('{param} is above your own role. Only an owner can assign the role owner.', ['owner'], 'role');
}

/** Only an owner can change an owner. @throws {ServiceError} forbidden, for the field `param` */
export function requireMayTouch(actor: Role, role: Role, param: string): void {
  if (assignableRoles(actor).includes(role)) return;
  throw notAllowed('{param} is an owner. Only an owner can change or remove an owner.', ['owner'], param);
}

function notAllowed(message: string, roles: readonly Role[], param?: string): ServiceError {
  return new ServiceError('forbidden', message, {
    facts: { required_roles: roles },
    ...(param !== undefined && { param: [param] }),
  });
}

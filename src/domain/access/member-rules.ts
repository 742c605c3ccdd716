import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { ADMINISTRATORS, type Role, rolesGivenBy } from '../../contract/roles.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import type { Context, SessionCaller } from '../context.ts';
import { unauthorized } from './authenticate.ts';
import { requireSession } from './scopes.ts';

/** An address as accounts are found by it. */
export const emailInput = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .pipe(
    z.email('must be an e-mail address').max(LIMITS.emailLength, `must have at most ${LIMITS.emailLength} characters`),
  );

/**
 * Changes who is a member of the caller's workspace, or may become one. One change comes after another, so that rules
 * about all of them hold, and `actor` is what the caller is now, not what they were when they asked.
 * @throws {ServiceError} unauthorized or forbidden where they may not any more
 */
export function administerMembers<T>(
  ctx: Context,
  work: (tx: Transaction, actor: Role, caller: SessionCaller) => Promise<T>,
): Promise<T> {
  const caller = requireSession(ctx.caller);
  const { workspaceId } = ctx.environment;
  return inTransaction(ctx.db, async (tx) => {
    // Rows that name the workspace may still be written meanwhile.
    await tx.$queryRaw`SELECT id FROM workspace WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE`;
    const where = { workspaceId_userId: { workspaceId, userId: caller.user.id } };
    const actor = (await tx.membership.findUnique({ where, select: { role: true } }))?.role;
    if (!actor) throw unauthorized();
    if (!ADMINISTRATORS.includes(actor)) throw mayNot('This is for owners and admins.', ADMINISTRATORS);
    return work(tx, actor, caller);
  });
}

/** Nobody gives a role above their own. @throws {ServiceError} forbidden, for the field `role` */
export function requireMayGive(actor: Role, role: Role): void {
  if (rolesGivenBy(actor).includes(role)) return;
  throw mayNot('{param} is above your own role: only an owner makes owners.', ['owner'], 'role');
}

/** What is an owner's is for owners alone. @throws {ServiceError} forbidden, for the field `param` */
export function requireMayTouch(actor: Role, role: Role, param: string): void {
  if (rolesGivenBy(actor).includes(role)) return;
  throw mayNot('{param} is of an owner: only an owner changes or removes one.', ['owner'], param);
}

function mayNot(message: string, roles: readonly Role[], param?: string): ServiceError {
  return new ServiceError('forbidden', message, {
    facts: { required_roles: roles },
    ...(param !== undefined && { param: [param] }),
  });
}

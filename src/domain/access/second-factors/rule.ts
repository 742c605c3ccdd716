import { ServiceError } from '../../../contract/errors.ts';
import type { Role } from '../../../contract/roles.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Transaction } from '../../../db/transaction.ts';
import type { SessionCaller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import { appsOfMembers, byCaller, endApps } from '../apps/end-apps.ts';
import { requireMayTouch } from '../member-rules.ts';
import { endSessions } from '../sessions.ts';

/**
 * Changes whether the workspace requires a second factor, in `tx` with the members locked. If it does from now on,
 * sessions that a password alone opened end, and all apps. Returns them for `publishSessionChanges` after the commit.
 * @throws {ServiceError} forbidden unless the caller is an owner; invalid_request if their session proved no factor
 */
export async function changeFactorRule(
  ctx: Context,
  tx: Transaction,
  { actor, caller }: { readonly actor: Role; readonly caller: SessionCaller },
  required: boolean | null | undefined,
): Promise<string[]> {
  if (required == null) return [];
  requireMayTouch(actor, 'owner', 'secondFactorRequired');
  const { workspaceId } = ctx.environment;
  if (required) await requireProof(tx, caller);
  await tx.workspace.update({ where: { id: workspaceId }, data: { secondFactorRequired: required } });
  if (!required) return [];
  const unproven = Prisma.sql`workspace_id = ${workspaceId}::uuid AND NOT single_sign_on AND NOT second_factor`;
  const sessions = await endSessions(ctx, tx, unproven);
  // Nobody knows what the session that allowed an app had proved.
  return [...sessions, ...(await endApps(byCaller(ctx), tx, appsOfMembers(workspaceId)))];
}

/** An owner without a second factor would lock themselves out of the page that turns it off. */
async function requireProof(tx: Transaction, { id }: SessionCaller): Promise<void> {
  const proven = { id, OR: [{ secondFactor: true }, { singleSignOn: true }] };
  if ((await tx.session.count({ where: proven })) > 0) return;
  const message = '{param} needs your own second factor. Add one on the page of your account, then try again.';
  throw new ServiceError('invalid_request', message, { param: ['secondFactorRequired'] });
}

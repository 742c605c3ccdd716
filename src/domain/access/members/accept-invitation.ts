import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../../contract/errors.ts';
import type { Invitation } from '../../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import type { Caller } from '../../caller.ts';
import type { PublicContext } from '../../context.ts';
import { accountDb } from '../claimed-effect.ts';
import { type SignedIn, ssoRequired } from '../open-session.ts';
import { replacePassword } from '../passwords/replace-password.ts';
import { admit, sessionOf } from '../second-factors/admission.ts';
import { publishSessionChanges } from '../sessions.ts';
import { hashToken } from '../tokens.ts';
import { type Acceptance, type Entrance, entranceOf, findAccount, wrongPassword } from './entrance.ts';

/** Finds the open invitation of a link. @throws {ServiceError} not_found, with the same message for every reason */
export async function openInvitation({ services, now }: PublicContext, token: string): Promise<Invitation> {
  const where = { tokenHash: hashToken(token), expiresAt: { gt: now() } };
  const invitation = await services.stores.prisma.invitation.findFirst({ where });
  if (invitation) return invitation;
  throw invitationNotOpen();
}

/**
 * Creates the membership, once, and signs the user in. `entranceOf` decides which account joins.
 * @throws {ServiceError} not_found, invalid_request; unauthorized, for example if the workspace requires single sign-on;
 * second_factor_required, after the person has joined
 */
export async function acceptInvitation(
  open: PublicContext,
  invitation: Invitation,
  caller: Caller | undefined,
  acceptance: Acceptance,
): Promise<SignedIn> {
  const prisma = accountDb(open);
  const { workspaceId, id, email, role } = invitation;
  // The provider decides who joins. Its first sign-on accepts the invitation.
  if ((await prisma.ssoProvider.count({ where: { workspaceId, required: true } })) > 0) throw ssoRequired();
  const entrance = await entranceOf(open, invitation, caller, acceptance);
  const { admission, ended } = await inTransaction(prisma, async (tx) => {
    // If several requests accept it at the same time, one of them deletes it. A replaced invitation has another token.
    const { count } = await tx.invitation.deleteMany({ where: { id, expiresAt: { gt: open.now() } } });
    if (count === 0) throw invitationNotOpen();
    const { userId, ended } = await enter(open, tx, email, entrance);
    const member = { workspaceId, userId, role, createdAt: open.now(), acceptsPassword: true };
    await tx.membership.createMany({ data: [member], skipDuplicates: true });
    await auditAcceptance(open, tx, invitation, userId);
    const secondFactor = await hasProvenFactor(tx, entrance);
    return { admission: await admit(open, tx, userId, workspaceId, { secondFactor }), ended };
  });
  publishSessionChanges(open, ended);
  return sessionOf(admission);
}

/** Whether the person accepts with a session that proved a second factor. */
async function hasProvenFactor(tx: Transaction, entrance: Entrance): Promise<boolean> {
  if (entrance.kind === 'set' || !entrance.sessionId) return false;
  return (await tx.session.count({ where: { id: entrance.sessionId, secondFactor: true, revokedAt: null } })) > 0;
}

/** Creates or changes the account in `tx`, unless it has changed since `entranceOf` read it. */
async function enter(
  open: PublicContext,
  tx: Transaction,
  email: string,
  entrance: Entrance,
): Promise<{ readonly userId: string; readonly ended: readonly string[] }> {
  // Also waits for a membership that another invitation gives to the account.
  await tx.$queryRaw`SELECT id FROM user_account WHERE email = ${email} FOR UPDATE`;
  if (!isDeepStrictEqual(await findAccount(tx, email), entrance.account)) throw wrongPassword();
  if (entrance.kind === 'join') return { userId: entrance.account.id, ended: [] };
  const { account, name, passwordHash, provesAddress } = entrance;
  if (account) {
    const change = { userId: account.id, name, passwordHash, provesAddress };
    return { userId: account.id, ended: await replacePassword(open, tx, change, () => ({ kind: 'anonymous' })) };
  }
  const createdAt = open.now();
  const emailVerifiedAt = provesAddress ? createdAt : null;
  const user = { id: open.newId(), email, name, passwordHash, createdAt, emailVerifiedAt };
  const created = await tx.user.createMany({ data: [user], skipDuplicates: true });
  if (created.count === 0) throw wrongPassword();
  return { userId: user.id, ended: [] };
}

/** Records that a person accepted their invitation. */
export function auditAcceptance(
  { request, now }: PublicContext,
  tx: Transaction,
  { id, workspaceId, email, role }: Invitation,
  userId: string,
): Promise<unknown> {
  const details = JSON.stringify({ email, role });
  return tx.$executeRaw`
    INSERT INTO audit_entry (workspace_id, action, actor_kind, actor_id, subject_id, details, address, request_id,
                             occurred_at)
    VALUES (${workspaceId}::uuid, 'invitation.accepted', 'session', ${userId}, ${id}, ${details}::jsonb,
            ${request.address}, ${request.id}, ${now()})`;
}

function invitationNotOpen(): ServiceError {
  const message = 'This invitation is not valid: it was used, replaced or revoked, or is older than 7 days.';
  return new ServiceError('not_found', `${message} Ask for a new one.`, { param: ['token'] });
}

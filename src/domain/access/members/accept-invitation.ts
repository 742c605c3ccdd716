import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { Invitation } from '../../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import type { Caller } from '../../caller.ts';
import type { PublicContext } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { hashPassword, isPassword } from '../passwords/passwords.ts';
import { openSession, type SignedIn, ssoRequired } from '../sessions.ts';
import { hashToken } from '../tokens.ts';

/** The name and password of a new account, or the password of an existing account. */
export interface Acceptance {
  readonly name?: string | null | undefined;
  readonly password?: string | null | undefined;
}

const nameInput = z.object({
  name: z
    .string()
    .max(LIMITS.personNameLength, `must have at most ${LIMITS.personNameLength} characters`)
    .refine((text) => text.trim() !== '', 'must not be blank'),
});

/** Finds the open invitation of a link. @throws {ServiceError} not_found, with the same message for every reason */
export async function openInvitation({ services, now }: PublicContext, token: string): Promise<Invitation> {
  const where = { tokenHash: hashToken(token), expiresAt: { gt: now() } };
  const invitation = await services.prisma.invitation.findFirst({ where });
  if (invitation) return invitation;
  throw invitationNotOpen();
}

/**
 * Creates the membership, once, and signs the user in. If the email address already has an account, the caller must send
 * its password or have a session of it.
 * @throws {ServiceError} not_found, invalid_request; unauthorized, also if the workspace requires single sign-on
 */
export async function acceptInvitation(
  open: PublicContext,
  invitation: Invitation,
  caller: Caller | undefined,
  acceptance: Acceptance,
): Promise<SignedIn> {
  const { prisma } = open.services;
  const { workspaceId } = invitation;
  // The provider decides who joins. Its first sign-on accepts the invitation.
  if ((await prisma.ssoProvider.count({ where: { workspaceId, required: true } })) > 0) throw ssoRequired();
  const account = await prisma.user.findUnique({ where: { email: invitation.email } });
  const person = account
    ? { id: account.id, account: undefined }
    : { id: open.newId(), account: await newAccount(acceptance) };
  const isSignedIn = caller?.kind === 'session' && caller.user.id === account?.id;
  if (account && !isSignedIn) await requirePassword(open, invitation, account, acceptance.password);
  return inTransaction(prisma, async (tx) => {
    const { id, email, role } = invitation;
    // If several requests accept it at the same time, one of them deletes it. A replaced invitation has another token.
    const { count } = await tx.invitation.deleteMany({ where: { id, expiresAt: { gt: open.now() } } });
    if (count === 0) throw invitationNotOpen();
    const createdAt = open.now();
    if (person.account) {
      const data = [{ id: person.id, email, ...person.account, createdAt }];
      const created = await tx.user.createMany({ data, skipDuplicates: true });
      if (created.count === 0) throw passwordRequired();
    }
    const member = { workspaceId, userId: person.id, role, createdAt };
    await tx.membership.createMany({ data: [member], skipDuplicates: true });
    await auditAcceptance(open, tx, invitation, person.id);
    return openSession(open, tx, person.id, workspaceId);
  });
}

async function newAccount({ name, password }: Acceptance): Promise<{ name: string; passwordHash: string }> {
  const input = parseInput(nameInput, { name });
  if (password == null) throw new ServiceError('invalid_request', '{param} is required.', { param: ['password'] });
  return { name: input.name.trim(), passwordHash: await hashPassword(password, 'password') };
}

async function requirePassword(
  { services, request }: PublicContext,
  { workspaceId }: Invitation,
  account: { readonly id: string; readonly passwordHash: string },
  password: string | null | undefined,
): Promise<void> {
  if (password == null) throw passwordRequired();
  if (await isPassword(account.passwordHash, password)) return;
  services.credentialUse.recordFailedSignIn(workspaceId, account.id, request);
  throw new ServiceError('unauthorized', 'This is not the password of the account with this email address.', {
    param: ['password'],
  });
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

function passwordRequired(): ServiceError {
  const message = 'There is already an account with this email address. Sign in to it, or send its {param}.';
  return new ServiceError('invalid_request', message, { param: ['password'] });
}

function invitationNotOpen(): ServiceError {
  const message = 'This invitation is not valid: it was used, replaced or revoked, or is older than 7 days.';
  return new ServiceError('not_found', `${message} Ask for a new one.`, { param: ['token'] });
}

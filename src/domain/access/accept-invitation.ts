import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Invitation } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import type { Caller, PublicContext } from '../context.ts';
import { parseInput } from '../input.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { openSession, type SignedIn } from './sessions.ts';
import { hashToken } from './tokens.ts';

/** Who accepts: a new account's name and password, or the password of the one that there is. */
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

/** The open invitation of a link. @throws {ServiceError} not_found, in the same words whatever became of it */
export async function openInvitation({ services, now }: PublicContext, token: string): Promise<Invitation> {
  const where = { tokenHash: hashToken(token), expiresAt: { gt: now() } };
  const invitation = await services.prisma.invitation.findFirst({ where });
  if (invitation) return invitation;
  throw notOpen();
}

/**
 * Makes whoever holds the link a member, once, and signs them in. An address that has an account already is its owner's:
 * they give its password, or come with a session of it.
 * @throws {ServiceError} not_found, invalid_request, unauthorized
 */
export async function acceptInvitation(
  open: PublicContext,
  invitation: Invitation,
  caller: Caller | undefined,
  acceptance: Acceptance,
): Promise<SignedIn> {
  const { prisma } = open.services;
  const account = await prisma.user.findUnique({ where: { email: invitation.email } });
  const person = account
    ? { id: account.id, made: undefined }
    : { id: open.newId(), made: await newAccount(acceptance) };
  const isTheirs = caller?.kind === 'session' && caller.user.id === account?.id;
  if (account && !isTheirs) await requirePassword(open, invitation, account, acceptance.password);
  return inTransaction(prisma, async (tx) => {
    const { id, workspaceId, email, role } = invitation;
    // Of those who accept it at the same time one deletes it; and one that was replaced has another token.
    const { count } = await tx.invitation.deleteMany({ where: { id, expiresAt: { gt: open.now() } } });
    if (count === 0) throw notOpen();
    const createdAt = open.now();
    if (person.made) {
      const data = [{ id: person.id, email, ...person.made, createdAt }];
      const made = await tx.user.createMany({ data, skipDuplicates: true });
      if (made.count === 0) throw passwordNeeded();
    }
    const member = { workspaceId, userId: person.id, role, createdAt };
    await tx.membership.createMany({ data: [member], skipDuplicates: true });
    await tellOfAcceptance(open, tx, invitation, person.id);
    return openSession(open, tx, person.id, workspaceId);
  });
}

async function newAccount({ name, password }: Acceptance): Promise<{ name: string; passwordHash: string }> {
  const given = parseInput(nameInput, { name });
  if (password == null) throw new ServiceError('invalid_request', '{param} is required.', { param: ['password'] });
  return { name: given.name.trim(), passwordHash: await hashPassword(password, 'password') };
}

async function requirePassword(
  { services, request }: PublicContext,
  { workspaceId }: Invitation,
  account: { readonly id: string; readonly passwordHash: string },
  password: string | null | undefined,
): Promise<void> {
  if (password == null) throw passwordNeeded();
  if (await isPassword(account.passwordHash, password)) return;
  services.credentialUse.refuse(workspaceId, account.id, request);
  throw new ServiceError('unauthorized', 'There is an account of this address, and this is not its password.', {
    param: ['password'],
  });
}

function tellOfAcceptance(
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

function passwordNeeded(): ServiceError {
  const message = 'There is an account of this address already. Sign in to it, or give its {param}.';
  return new ServiceError('invalid_request', message, { param: ['password'] });
}

function notOpen(): ServiceError {
  const message = 'This invitation is not open: it was used, replaced or revoked, or is older than 7 days.';
  return new ServiceError('not_found', `${message} Ask for another one.`, { param: ['token'] });
}

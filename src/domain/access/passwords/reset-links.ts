import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { type AuditSource, insertAuditEntry } from '../../audit/append.ts';
import type { PublicContext } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { resetMail } from '../mail/mails.ts';
import { publishSessionChanges } from '../sessions.ts';
import { hashToken, newResetToken } from '../tokens.ts';
import { checkPasswordLength, hashPassword } from './passwords.ts';
import { replacePassword } from './replace-password.ts';

/** Creates a link that sets a new password once, within an hour. Audits it in each workspace of the user. */
export async function createResetLink(
  { services, request, now }: PublicContext,
  userId: string,
  actorAt: (workspaceId: string) => AuditSource['caller'],
): Promise<string> {
  const token = newResetToken();
  const at = now();
  const expiresAt = new Date(at.getTime() + LIMITS.passwordResetMinutes * 60_000);
  await services.prisma.$transaction(async (tx) => {
    await tx.passwordReset.deleteMany({ where: { userId, expiresAt: { lte: at } } });
    await tx.passwordReset.create({ data: { tokenHash: hashToken(token), userId, createdAt: at, expiresAt } });
    const memberships = await tx.membership.findMany({ where: { userId }, select: { workspaceId: true } });
    for (const { workspaceId } of memberships) {
      const source = { caller: actorAt(workspaceId), environment: { workspaceId, kind: null }, request };
      await tx.$executeRaw(insertAuditEntry(source, { action: 'password.link_created', subjectId: userId, at }));
    }
  });
  // After a #, so no server logs the token.
  return `${services.publicUrl}/dashboard/reset-password#token=${token}`;
}

const ANONYMOUS = { kind: 'anonymous' } as const;

const resetRequest = z.object({
  email: z.string().max(LIMITS.emailLength, `must have at most ${LIMITS.emailLength} characters`).trim().toLowerCase(),
});

/** The email address of a request for a link, as accounts store it. @throws {ServiceError} invalid_request */
export function readResetEmail(input: Readonly<Record<string, unknown>>): string {
  return parseInput(resetRequest, input).email;
}

/**
 * Sends a link to the user with this email address, if there is one. Everything happens after the response, so neither
 * its content nor its time shows whether there is a user.
 * @throws {ServiceError} invalid_request if the service cannot send messages
 */
export function requestPasswordReset(open: PublicContext, email: string): void {
  const { mail, prisma } = open.services;
  if (!mail.isOn) {
    const message = 'This service sends no email. Ask its operator for a link that sets a new password.';
    throw new ServiceError('invalid_request', message);
  }
  mail.add(async () => {
    const user = await prisma.user.findUnique({ where: { email }, select: { id: true, email: true } });
    return user ? resetMail(user.email, await createResetLink(open, user.id, () => ANONYMOUS)) : undefined;
  });
}

/**
 * Sets a new password with the token of a link, once. Revokes all sessions of the user. Returns their email address.
 * @throws {ServiceError} not_found, invalid_request
 */
export async function completePasswordReset(
  open: PublicContext,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<string> {
  const { prisma } = open.services;
  checkPasswordLength(password, 'password');
  const where = { tokenHash: hashToken(token), expiresAt: { gt: open.now() } };
  const reset = await prisma.passwordReset.findFirst({ where, include: { user: { select: { email: true } } } });
  if (!reset) throw linkNotOpen();
  const { userId, user } = reset;
  const passwordHash = await hashPassword(password, 'password');
  const ended = await prisma.$transaction(async (tx) => {
    // If several requests use the link at the same time, one of them deletes it.
    const { count } = await tx.passwordReset.deleteMany({ where });
    if (count === 0) throw linkNotOpen();
    return replacePassword(open, tx, { userId, passwordHash }, () => ANONYMOUS);
  });
  publishSessionChanges(open, ended);
  return user.email;
}

function linkNotOpen(): ServiceError {
  const minutes = LIMITS.passwordResetMinutes;
  const message = `This link is not valid: it was used or replaced, or is older than ${minutes} minutes.`;
  return new ServiceError('not_found', `${message} Ask for a new one.`, { param: ['token'] });
}

import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { sqlIn } from '../../../db/sql.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { REQUEST_PASSWORD_RESET } from '../../../shapes/accounts.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { type AuditSource, insertAuditEntry } from '../../audit/append.ts';
import type { PublicContext } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { accountDb, recordEffect } from '../claimed-effect.ts';
import { notify } from '../mail/notify.ts';
import { checkPasswordLength, hashPassword } from '../password-hash.ts';
import { publishSessionChanges } from '../sessions.ts';
import { hashToken, newResetToken } from '../tokens.ts';
import { replacePassword } from './replace-password.ts';

/** Where a link is created, and when. */
interface LinkSource extends Pick<AuditSource, 'request'> {
  readonly publicUrl: string;
  readonly at: Date;
}

interface ResetLink {
  readonly url: string;
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

/** Creates a link in `tx` that sets a new password once, within an hour. Audits it in each workspace of the user. */
export async function createResetLink(
  { publicUrl, request, at }: LinkSource,
  tx: Transaction,
  userId: string,
  actorAt: (workspaceId: string) => AuditSource['caller'],
): Promise<ResetLink> {
  const token = newResetToken();
  const tokenHash = hashToken(token);
  const expiresAt = new Date(at.getTime() + LIMITS.passwordResetMinutes * 60_000);
  await tx.passwordReset.deleteMany({ where: { userId, expiresAt: { lte: at } } });
  await tx.passwordReset.create({ data: { tokenHash, userId, createdAt: at, expiresAt } });
  const memberships = await tx.membership.findMany({ where: { userId }, select: { workspaceId: true } });
  for (const { workspaceId } of memberships) {
    const source = { caller: actorAt(workspaceId), environment: { workspaceId, kind: null }, request };
    await tx.$executeRaw(insertAuditEntry(source, { action: 'password.link_created', subjectId: userId, at }));
  }
  // After a #, so no server logs the token.
  return { url: `${publicUrl}/dashboard/reset-password#token=${token}`, tokenHash, expiresAt };
}

export const ANONYMOUS = { kind: 'anonymous' } as const;

/** When a caller can try again after too many requests for links wait. */
const FULL_SECONDS = 60;

const resetRequest = z.object(rulesOf(REQUEST_PASSWORD_RESET.fields));

/** The email address of a request for a link, as accounts store it. @throws {ServiceError} invalid_request */
export function readResetEmail(input: Readonly<Record<string, unknown>>): string {
  return parseInput(resetRequest, input).email;
}

/**
 * Stores the request for a link. The dispatcher looks for the user after the response, so neither its content nor its time
 * shows whether there is a user.
 * @throws {ServiceError} invalid_request if the service cannot send messages; rate_limited if too many requests wait
 */
export async function requestPasswordReset(open: PublicContext, email: string): Promise<void> {
  const { services, request } = open;
  const { mail } = services.stores;
  const { claim } = request;
  if (!mail.isOn) {
    const message = 'This service sends no email. Ask its operator for a link that sets a new password.';
    throw new ServiceError('invalid_request', message);
  }
  if (claim?.effect) return;
  const content = { email, request: { id: request.id, address: request.address } };
  const isStored = await inTransaction(accountDb(open), async (tx) => {
    const isAdded = await mail.add(sqlIn(tx), { kind: 'password_reset', workspaceId: null, content });
    if (isAdded) await recordEffect(tx, claim, { isRequested: true });
    return isAdded;
  });
  if (!isStored) {
    const message = `Too many requests for links wait. Try again in ${FULL_SECONDS} s.`;
    const limit = { name: 'waiting-resets', points: LIMITS.waitingAccountMails, seconds: FULL_SECONDS };
    request.reportLimit({ limit, result: { allowed: false, remaining: 0, resetSeconds: FULL_SECONDS } });
    throw new ServiceError('rate_limited', message, { retryAfterMs: FULL_SECONDS * 1_000 });
  }
  mail.publish();
}

/**
 * Sets a new password with the token of a link, once. Revokes all sessions of the user. Returns their email address.
 * @throws {ServiceError} not_found, invalid_request
 */
export async function completePasswordReset(
  open: PublicContext,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<string> {
  const prisma = accountDb(open);
  checkPasswordLength(password, 'password');
  const where = { tokenHash: hashToken(token), expiresAt: { gt: open.now() } };
  const reset = await prisma.passwordReset.findFirst({ where, include: { user: { select: { email: true } } } });
  if (!reset) throw linkNotOpen();
  const { userId, user } = reset;
  const passwordHash = await hashPassword(password, 'password');
  const ended = await inTransaction(prisma, async (tx) => {
    // If several requests use the link at the same time, one of them deletes it.
    const { count } = await tx.passwordReset.deleteMany({ where });
    if (count === 0) throw linkNotOpen();
    await notify({ ...open, caller: ANONYMOUS }, tx, { userIds: [userId], workspaceId: null }, 'password_changed', {});
    // The link went to the address, or through the hands of the operator.
    return replacePassword(open, tx, { userId, passwordHash, provesAddress: true }, () => ANONYMOUS);
  });
  publishSessionChanges(open, ended);
  return user.email;
}

function linkNotOpen(): ServiceError {
  const minutes = LIMITS.passwordResetMinutes;
  const message = `This link is not valid: it was used or replaced, or is older than ${minutes} minutes.`;
  return new ServiceError('not_found', `${message} Ask for a new one.`, { param: ['token'] });
}

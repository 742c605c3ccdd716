import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { SignInTicket } from '../../../db/generated/client.ts';
import type { Transaction } from '../../../db/transaction.ts';
import type { PublicContext } from '../../context.ts';
import { accountDb } from '../claimed-effect.ts';
import { hashToken } from '../tokens.ts';

/** Finds the sign-in of a ticket. @throws {ServiceError} unauthorized, with the same message for every reason */
export async function findTicket({ services, now }: PublicContext, ticket: string): Promise<SignInTicket> {
  const where = {
    tokenHash: hashToken(ticket),
    expiresAt: { gt: now() },
    attempts: { lt: LIMITS.secondFactorAttempts },
  };
  const found = await services.stores.prisma.signInTicket.findFirst({ where });
  if (found) return found;
  throw ticketOver();
}

/** Counts an attempt before it runs, so that a failed attempt counts. @throws {ServiceError} unauthorized */
export async function countAttempt(open: PublicContext, { tokenHash }: SignInTicket): Promise<void> {
  const { count } = await accountDb(open).signInTicket.updateMany({
    where: { tokenHash, attempts: { lt: LIMITS.secondFactorAttempts } },
    data: { attempts: { increment: 1 } },
  });
  if (count === 0) throw ticketOver();
}

/** Uses up the challenge for a passkey. Undefined: it was used before. */
export async function takeChallenge(
  open: PublicContext,
  { tokenHash, challenge }: SignInTicket,
): Promise<string | undefined> {
  if (challenge === null) return undefined;
  const where = { tokenHash, challenge };
  const { count } = await accountDb(open).signInTicket.updateMany({ where, data: { challenge: null } });
  return count > 0 ? challenge : undefined;
}

/** Uses up the ticket, in the transaction of the session. @throws {ServiceError} unauthorized */
export async function consumeTicket(tx: Transaction, { tokenHash }: SignInTicket): Promise<void> {
  const { count } = await tx.signInTicket.deleteMany({ where: { tokenHash } });
  if (count === 0) throw ticketOver();
}

function ticketOver(): ServiceError {
  const message = 'This sign-in was completed, has expired or had too many attempts. Sign in again.';
  return new ServiceError('unauthorized', message, { param: ['ticket'] });
}

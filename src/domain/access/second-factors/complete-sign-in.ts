import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import type { SignInTicket } from '../../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { required } from '../../../shapes/field.ts';
import { passkey } from '../../../shapes/second-factors.ts';
import type { PublicContext } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { accountDb } from '../claimed-effect.ts';
import { openSession, type SignedIn, ssoRequired } from '../open-session.ts';
import { confirmedOf, factorOwner } from './factors.ts';
import { usedPasskey } from './passkeys.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import { consumeTicket, countAttempt, takeChallenge } from './tickets.ts';
import { totpStep } from './totp.ts';

/** What proves the second factor. Exactly one of them. After an enrolment with the ticket it is empty. */
export interface FactorProof {
  readonly code?: string | null | undefined;
  readonly recoveryCode?: string | null | undefined;
  readonly passkey?: unknown;
}

/** Checks a proof in the transaction of the session, and uses it up. */
type Check = (tx: Transaction) => Promise<boolean>;

/**
 * Opens the session of a ticket. The proof, the ticket and the session are one transaction, so each works once.
 * @throws {ServiceError} invalid_request, unauthorized
 */
export async function completeSignIn(open: PublicContext, ticket: SignInTicket, proof: FactorProof): Promise<SignedIn> {
  const check = ticket.enrolled ? undefined : await checkOf(open, ticket, proof);
  const { userId, workspaceId } = ticket;
  try {
    return await inTransaction(accountDb(open), async (tx) => {
      await consumeTicket(tx, ticket);
      if (check && !(await check(tx))) throw wrongProof();
      if ((await tx.ssoProvider.count({ where: { workspaceId, required: true } })) > 0) throw ssoRequired();
      return openSession(open, tx, userId, workspaceId, { secondFactor: true });
    });
  } catch (error) {
    if (error instanceof WrongProof) {
      open.services.stores.credentialUse.recordFailedSignIn(workspaceId, userId, open.request, { second_factor: true });
    }
    throw error;
  }
}

/** Counts the attempt, and chooses the check. */
async function checkOf(open: PublicContext, ticket: SignInTicket, proof: FactorProof): Promise<Check> {
  const { code, recoveryCode, passkey } = proof;
  const given = [code, recoveryCode, passkey].filter((value) => value != null);
  if (given.length !== 1) {
    throw new ServiceError('invalid_request', 'Send one of `code`, `recoveryCode` and `passkey`.');
  }
  if (passkey != null) readPasskey(passkey);
  await countAttempt(open, ticket);
  if (code != null) return (tx) => isCode(open, tx, ticket, code);
  if (recoveryCode != null) return (tx) => isRecoveryCode(tx, ticket, recoveryCode);
  const challenge = await takeChallenge(open, ticket);
  return (tx) => isPasskey(open, tx, ticket, passkey as object, challenge);
}

const passkeyInput = z.object({ passkey: required(passkey).rule });

/** The response of a passkey. @throws {ServiceError} invalid_request if it is no object or too long */
export function readPasskey(response: unknown): object {
  return parseInput(passkeyInput, { passkey: response }).passkey;
}

async function isCode(open: PublicContext, tx: Transaction, { userId }: SignInTicket, code: string): Promise<boolean> {
  const at = open.now();
  const factors = await tx.secondFactor.findMany({ where: { ...confirmedOf(userId), kind: 'totp' } });
  for (const { id, sealedSecret } of factors) {
    const secret = sealedSecret && open.services.settings.secretBox.open(sealedSecret, factorOwner(userId));
    const step = secret ? totpStep(secret, code, at) : undefined;
    if (step === undefined) continue;
    // Each step works once, so nobody can repeat a code that they saw.
    const where = { id, OR: [{ lastStep: null }, { lastStep: { lt: step } }] };
    const { count } = await tx.secondFactor.updateMany({ where, data: { lastStep: step, lastUsedAt: at } });
    if (count > 0) return true;
  }
  return false;
}

async function isRecoveryCode(tx: Transaction, { userId }: SignInTicket, code: string): Promise<boolean> {
  const where = { userId, codeHash: hashRecoveryCode(userId, code) };
  return (await tx.recoveryCode.deleteMany({ where })).count > 0;
}

async function isPasskey(
  open: PublicContext,
  tx: Transaction,
  { userId }: SignInTicket,
  response: object,
  challenge: string | undefined,
): Promise<boolean> {
  const { id } = response as { readonly id?: unknown };
  if (challenge === undefined || typeof id !== 'string') return false;
  const row = await tx.secondFactor.findFirst({ where: { ...confirmedOf(userId), credentialId: id } });
  if (!row?.publicKey) return false;
  const { publicKey, counter, transports } = row;
  const passkey = { credentialId: id, publicKey, counter, transports };
  const used = await usedPasskey(open.services.settings.publicUrl, response, challenge, passkey);
  if (used === undefined) return false;
  const where = { id: row.id, counter };
  const { count } = await tx.secondFactor.updateMany({ where, data: { counter: used, lastUsedAt: open.now() } });
  return count > 0;
}

/** The second factor is wrong: nothing was used up but the attempt. */
class WrongProof extends ServiceError {}

function wrongProof(): ServiceError {
  return new WrongProof(
    'unauthorized',
    'The second factor is wrong, or was used before. Try again, or use another one.',
  );
}

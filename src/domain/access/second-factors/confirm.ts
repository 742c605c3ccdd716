import { ServiceError } from '../../../contract/errors.ts';
import { Prisma, type SecondFactor } from '../../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import type { PublicContext } from '../../context.ts';
import { accountDb } from '../claimed-effect.ts';
import { auditEverywhere } from './audit.ts';
import { type FactorProof, readPasskey } from './complete-sign-in.ts';
import { type Enroller, requireMayAdd, userOf } from './enrol.ts';
import { confirmedOf, factorOwner } from './factors.ts';
import { registeredPasskey } from './passkeys.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';
import { totpStep } from './totp.ts';

/** A new second factor. */
export interface ConfirmedFactor {
  /** Only with the first second factor. They are shown once. */
  readonly recoveryCodes: readonly string[] | null;
  /** The sessions that ended, for `publishSessionChanges` after the commit. */
  readonly ended: readonly string[];
}

/**
 * Adds a second factor after its first proof. The first one ends all other sessions that a password opened.
 * @throws {ServiceError} not_found, invalid_request
 */
export async function confirmEnrolment(
  open: PublicContext,
  enroller: Enroller,
  enrolmentId: string,
  proof: Pick<FactorProof, 'code' | 'passkey'>,
): Promise<ConfirmedFactor> {
  const userId = userOf(enroller);
  const prisma = accountDb(open);
  const where = { id: enrolmentId, userId, expiresAt: { gt: open.now() } };
  const row = await prisma.secondFactor.findFirst({ where });
  if (!row) throw notFound();
  const proven =
    row.kind === 'totp' ? provenCode(open, row, proof.code) : await provenPasskey(open, row, proof.passkey);
  return inTransaction(prisma, async (tx) => {
    // Orders it with sign-ins and with other changes of the second factors.
    await tx.$queryRaw`SELECT id FROM user_account WHERE id = ${userId}::uuid FOR UPDATE`;
    const existing = await tx.secondFactor.count({ where: confirmedOf(userId) });
    requireMayAdd(enroller, existing);
    const data = { ...proven, challenge: null, expiresAt: null };
    const { count } = await tx.secondFactor.updateMany({ where, data });
    if (count === 0) throw notFound();
    await markEnroller(tx, enroller);
    const actor = enroller.caller ?? ({ kind: 'anonymous' } as const);
    const change = { request: open.request, now: open.now, actorAt: () => actor };
    await auditEverywhere(change, tx, userId, { action: 'second_factor.added', details: { kind: row.kind } });
    if (existing > 0) return { recoveryCodes: null, ended: [] };
    const ended = await endOthers(open, tx, userId, enroller);
    return { recoveryCodes: await replaceRecoveryCodes(tx, userId, open.now()), ended };
  });
}

function provenCode({ services, now }: PublicContext, row: SecondFactor, code: string | null | undefined) {
  const secret = row.sealedSecret && services.settings.secretBox.open(row.sealedSecret, factorOwner(row.userId));
  const step = secret && code != null ? totpStep(secret, code, now()) : undefined;
  if (step !== undefined) return { lastStep: step };
  throw new ServiceError('invalid_request', '{param} is wrong. Check the clock of the device.', { param: ['code'] });
}

async function provenPasskey(open: PublicContext, row: SecondFactor, received: unknown) {
  const response = readPasskey(received);
  // The challenge works once, even if the response is wrong.
  const taken = row.challenge === null ? undefined : { id: row.id, challenge: row.challenge };
  const { count } = taken
    ? await accountDb(open).secondFactor.updateMany({ where: taken, data: { challenge: null } })
    : { count: 0 };
  const passkey =
    taken && count > 0 && (await registeredPasskey(open.services.settings.publicUrl, response, taken.challenge));
  const isKnown =
    passkey &&
    (await open.services.stores.prisma.secondFactor.count({ where: { credentialId: passkey.credentialId } })) > 0;
  if (!passkey || isKnown) {
    const message = '{param} is not valid for this registration. Start again.';
    throw new ServiceError('invalid_request', message, { param: ['passkey'] });
  }
  const { credentialId, publicKey, counter, transports } = passkey;
  return { credentialId, publicKey: Buffer.from(publicKey), counter, transports: [...transports] };
}

/** The session or sign-in of the person has proved the factor now. */
async function markEnroller(tx: Transaction, { caller, ticket }: Enroller): Promise<void> {
  if (caller) await tx.session.updateMany({ where: { id: caller.id }, data: { secondFactor: true } });
  else {
    const { count } = await tx.signInTicket.updateMany({
      where: { tokenHash: ticket.tokenHash },
      data: { enrolled: true },
    });
    if (count === 0) throw notFound();
  }
}

/** Ends what a password opened without the second factor. */
async function endOthers(
  { now }: PublicContext,
  tx: Transaction,
  userId: string,
  { caller, ticket }: Enroller,
): Promise<string[]> {
  const own = caller ? Prisma.sql`AND id <> ${caller.id}::uuid` : Prisma.empty;
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE session SET revoked_at = ${now()}
    WHERE user_id = ${userId}::uuid AND revoked_at IS NULL AND NOT single_sign_on ${own} RETURNING id`;
  await tx.signInTicket.deleteMany({ where: { userId, NOT: { tokenHash: ticket?.tokenHash ?? '' } } });
  return rows.map(({ id }) => id);
}

function notFound(): ServiceError {
  const message = 'This registration was completed or replaced, or has expired. Start again.';
  return new ServiceError('not_found', message, { param: ['enrolmentId'] });
}

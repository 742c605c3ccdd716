import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { SecondFactorKind } from '../../../contract/sign-in.ts';
import type { SignInTicket } from '../../../db/generated/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { START_SECOND_FACTOR } from '../../../shapes/second-factors.ts';
import type { SessionCaller } from '../../caller.ts';
import type { PublicContext } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { accountDb } from '../claimed-effect.ts';
import { confirmedOf, factorOwner } from './factors.ts';
import { requireOwnPassword } from './own-password.ts';
import { registrationOptions } from './passkeys.ts';
import { newTotpSecret, totpUri } from './totp.ts';

/** Who sets up a second factor: a signed-in member, or a sign-in that requires their first one. */
export type Enroller =
  | { readonly caller: SessionCaller; readonly ticket?: undefined }
  | { readonly ticket: SignInTicket; readonly caller?: undefined };

/** A second factor that waits for its first proof. */
export interface StartedEnrolment {
  readonly enrolmentId: string;
  readonly expiresAt: Date;
  /** For an authenticator app: the secret in Base32, and the URI for a QR code. They are shown once. */
  readonly totp: { readonly secret: string; readonly uri: string } | undefined;
  /** For a passkey: what the browser needs to create it. */
  readonly passkeyOptions: object | undefined;
}

const { kind, name } = START_SECOND_FACTOR.fields;

const enrolmentInput = z.object(rulesOf({ kind, name }));

/** The input of an enrolment. */
export interface EnrolmentInput {
  readonly kind: SecondFactorKind;
  readonly name: string;
  readonly password?: string | null | undefined;
}

/**
 * Starts to set up a second factor. A new start replaces the last one. With a session it needs the password, so a stolen
 * session is not enough.
 * @throws {ServiceError} invalid_request, unauthorized
 */
export async function startEnrolment(
  open: PublicContext,
  enroller: Enroller,
  input: EnrolmentInput,
): Promise<StartedEnrolment> {
  const { kind, name } = parseInput(enrolmentInput, input);
  if (enroller.caller) await requireOwnPassword(open, enroller.caller, input.password);
  const userId = userOf(enroller);
  const { publicUrl, secretBox } = open.services.settings;
  const prisma = accountDb(open);
  const user = await prisma.user.findUniqueOrThrow({ where: { id: userId }, select: { email: true, name: true } });
  const existing = await prisma.secondFactor.findMany({ where: confirmedOf(userId) });
  requireMayAdd(enroller, existing.length);
  const createdAt = open.now();
  const minutes = kind === 'passkey' ? LIMITS.secondFactorMinutes : LIMITS.enrolmentMinutes;
  const expiresAt = new Date(createdAt.getTime() + minutes * 60_000);
  const enrolmentId = open.newId();
  const row = { id: enrolmentId, userId, kind, name: name.trim(), createdAt, expiresAt };
  const secret = kind === 'totp' ? newTotpSecret() : undefined;
  const passkeys = existing.flatMap(({ credentialId, transports }) =>
    credentialId ? [{ credentialId, transports }] : [],
  );
  const options = secret ? undefined : await registrationOptions(publicUrl, { userId, ...user }, passkeys);
  const sealedSecret = secret === undefined ? null : secretBox.seal(secret, factorOwner(userId));
  await inTransaction(prisma, async (tx) => {
    await tx.secondFactor.deleteMany({ where: { userId, expiresAt: { not: null } } });
    await tx.secondFactor.create({ data: { ...row, sealedSecret, challenge: options?.challenge ?? null } });
  });
  const totp = secret === undefined ? undefined : { secret, uri: totpUri(secret, user.email) };
  return { enrolmentId, expiresAt, totp, passkeyOptions: options };
}

export function userOf({ caller, ticket }: Enroller): string {
  return caller ? caller.user.id : ticket.userId;
}

/** A ticket proves only the password, so it cannot add a factor next to others. */
export function requireMayAdd({ ticket }: Enroller, existing: number): void {
  if (ticket && existing > 0) {
    const message = 'Your account has a second factor. Complete the sign-in with it.';
    throw new ServiceError('invalid_request', message, { param: ['ticket'] });
  }
  if (existing < LIMITS.secondFactors) return;
  throw new ServiceError('invalid_request', `You can have ${LIMITS.secondFactors} second factors. Remove one first.`);
}

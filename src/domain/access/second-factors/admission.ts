import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { SecondFactorMethod } from '../../../contract/sign-in.ts';
import type { Transaction } from '../../../db/transaction.ts';
import type { PublicContext } from '../../context.ts';
import { openSession, type Proof, type SignedIn, wrongCredentials } from '../open-session.ts';
import { hashToken, newSignInTicket } from '../tokens.ts';
import { confirmedOf, methodsOf } from './factors.ts';
import { requestOptions } from './passkeys.ts';

/** A sign-in that still needs a second factor. */
export interface IssuedTicket {
  readonly ticket: string;
  readonly expiresAt: Date;
  /** Empty: the user must set up their first second factor. */
  readonly methods: readonly SecondFactorMethod[];
  /** What the browser needs to use a passkey. */
  readonly passkeyOptions: object | undefined;
}

export type Admission =
  | { readonly session: SignedIn; readonly pending?: undefined }
  | { readonly pending: IssuedTicket; readonly session?: undefined };

/**
 * Opens a session for a user whose password was right, in `tx`. Returns a ticket instead if the user has a second
 * factor, or the workspace requires one.
 */
export async function admit(
  open: PublicContext,
  tx: Transaction,
  userId: string,
  workspaceId: string,
  proof: Proof,
): Promise<Admission> {
  // Waits for changes of the password, of second factors and of the rule, which end the sessions that were opened before.
  const { passwordHash = null } = proof;
  const proven = await tx.$queryRaw<object[]>`
    SELECT id FROM user_account
    WHERE id = ${userId}::uuid AND (${passwordHash}::text IS NULL OR password_hash = ${passwordHash}::text)
    FOR SHARE`;
  if (proven.length === 0) throw wrongCredentials();
  const [rule] = await tx.$queryRaw<{ readonly required: boolean }[]>`
    SELECT second_factor_required AS required FROM workspace WHERE id = ${workspaceId}::uuid FOR SHARE`;
  const methods = await methodsOf(tx, userId);
  if (proof.secondFactor || (methods.length === 0 && !rule?.required)) {
    return { session: await openSession(open, tx, userId, workspaceId, proof) };
  }
  return { pending: await issueTicket(open, tx, { userId, workspaceId, methods }) };
}

async function issueTicket(
  { services, now }: PublicContext,
  tx: Transaction,
  owner: { readonly userId: string; readonly workspaceId: string; readonly methods: readonly SecondFactorMethod[] },
): Promise<IssuedTicket> {
  const { userId, workspaceId, methods } = owner;
  const ticket = newSignInTicket();
  const createdAt = now();
  const minutes = methods.length > 0 ? LIMITS.secondFactorMinutes : LIMITS.enrolmentMinutes;
  const expiresAt = new Date(createdAt.getTime() + minutes * 60_000);
  const where = { ...confirmedOf(userId), kind: 'passkey' as const };
  const passkeys = await tx.secondFactor.findMany({ where, select: { credentialId: true, transports: true } });
  const refs = passkeys.flatMap(({ credentialId, transports }) => (credentialId ? [{ credentialId, transports }] : []));
  const options = refs.length > 0 ? await requestOptions(services.settings.publicUrl, refs) : undefined;
  await tx.signInTicket.deleteMany({ where: { OR: [{ expiresAt: { lte: createdAt } }, { userId, workspaceId }] } });
  const row = { tokenHash: hashToken(ticket), userId, workspaceId, challenge: options?.challenge ?? null };
  await tx.signInTicket.create({ data: { ...row, createdAt, expiresAt } });
  return { ticket, expiresAt, methods, passkeyOptions: options };
}

/** Returns the session. @throws {ServiceError} second_factor_required, with the ticket */
export function sessionOf({ session, pending }: Admission): SignedIn {
  if (session) return session;
  const { ticket, expiresAt, methods, passkeyOptions } = pending;
  const message =
    methods.length > 0
      ? 'Complete the sign-in with your second factor.'
      : 'The workspace requires a second factor. Set one up, then complete the sign-in.';
  throw new ServiceError('second_factor_required', message, {
    facts: {
      ticket,
      expires_at: expiresAt.toISOString(),
      methods,
      enrolment_required: methods.length === 0,
      ...(passkeyOptions && { passkey_options: passkeyOptions }),
    },
  });
}

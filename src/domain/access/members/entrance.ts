import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import type { Invitation, PrismaClient } from '../../../db/generated/client.ts';
import { required } from '../../../shapes/field.ts';
import { ACCEPT_INVITATION } from '../../../shapes/sign-in.ts';
import type { Caller } from '../../caller.ts';
import type { PublicContext } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { checkPasswordLength, hashPassword, isPassword } from '../password-hash.ts';

/** The name and password of a new account, or the password of an existing account. */
export interface Acceptance {
  readonly name?: string | null | undefined;
  readonly password?: string | null | undefined;
}

/** What decides how the account of an invited address joins. */
interface Account {
  readonly id: string;
  readonly passwordHash: string | null;
  readonly emailVerifiedAt: Date | null;
  /** The number of its workspaces. */
  readonly workspaces: number;
}

/** `join`: an account that proved itself joins. `set`: the account is created, or gets a new name and password. */
export type Entrance =
  | { readonly kind: 'join'; readonly account: Account; readonly sessionId?: string }
  | {
      readonly kind: 'set';
      readonly account: Account | undefined;
      readonly name: string;
      readonly passwordHash: string;
      readonly provesAddress: boolean;
    };

export async function findAccount(
  prisma: Pick<PrismaClient, 'user' | 'membership'>,
  email: string,
): Promise<Account | undefined> {
  const select = { id: true, passwordHash: true, emailVerifiedAt: true } as const;
  const user = await prisma.user.findUnique({ where: { email }, select });
  return user ? { ...user, workspaces: await prisma.membership.count({ where: { userId: user.id } }) } : undefined;
}

/**
 * Whether the holder of the link can set the password of the account. Nobody proved the address of the account, and
 * nobody loses anything: the account has no workspace, or only the owner of the address received the link.
 */
export function isClaimable(account: Account, { emailed }: Pick<Invitation, 'emailed'>): boolean {
  return account.emailVerifiedAt === null && (emailed || account.workspaces === 0);
}

const nameInput = z.object({ name: required(ACCEPT_INVITATION.fields.name).rule });

/**
 * Decides which account accepts an invitation. Wrong input gets the same error whether the address has an account or
 * not, because the inviter may hold the link.
 * @throws {ServiceError} invalid_request, unauthorized
 */
export async function entranceOf(
  open: PublicContext,
  invitation: Invitation,
  caller: Caller | undefined,
  acceptance: Acceptance,
): Promise<Entrance> {
  const account = await findAccount(open.services.stores.prisma, invitation.email);
  const isClaim = !account || isClaimable(account, invitation);
  if (!isClaim && caller?.kind === 'session' && caller.user.id === account.id) {
    return { ...joinAs(account), sessionId: caller.id };
  }
  const { name, password } = readAcceptance(acceptance);
  const isRight = await isPassword(account?.passwordHash, password);
  if (isRight && account) {
    if (!isClaim) return joinAs(account);
    // A stranger may have chosen it and passed it on.
    if (account.workspaces > 0) throw new ServiceError('invalid_request', USED_BEFORE, { param: ['password'] });
  }
  if (account && !isClaim) {
    open.services.stores.credentialUse.recordFailedSignIn(invitation.workspaceId, account.id, open.request);
  }
  if (name === undefined) throw new ServiceError('invalid_request', NEEDS_NAME, { param: ['name'] });
  if (!isClaim) throw wrongPassword();
  const passwordHash = await hashPassword(password, 'password');
  return { kind: 'set', account, name, passwordHash, provesAddress: invitation.emailed };
}

const USED_BEFORE = '{param} was used before the email address was verified. Choose another one.';
const NEEDS_NAME =
  'This is not the password of an account with this email address. For a new account, send its {param}.';

/** A workspace does not trust a password that a stranger could have set for the address. */
function joinAs(account: Account): Entrance & { readonly kind: 'join' } {
  if (account.emailVerifiedAt !== null) return { kind: 'join', account };
  const remedy =
    'Set a new password with a link that you get by email or from the operator, then accept the invitation.';
  throw new ServiceError('invalid_request', `The email address of your account is not verified. ${remedy}`, {
    param: ['token'],
  });
}

function readAcceptance({ name, password }: Acceptance) {
  if (password == null) {
    const message = 'Send a {param}: of the account with this email address, or for a new account.';
    throw new ServiceError('invalid_request', message, { param: ['password'] });
  }
  const input = name == null ? undefined : parseInput(nameInput, { name });
  checkPasswordLength(password, 'password');
  return { name: input?.name.trim(), password };
}

export function wrongPassword(): ServiceError {
  const message = 'This is not the password of the account with this email address.';
  return new ServiceError('unauthorized', message, { param: ['password'] });
}

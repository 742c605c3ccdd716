import { ServiceError } from '../../contract/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { PublicContext } from '../context.ts';
import { ACCEPTS_PASSWORD } from './accepts-password.ts';
import { accountDb } from './claimed-effect.ts';
import { type SignedIn, ssoRequired, wrongCredentials } from './open-session.ts';
import { isPassword } from './password-hash.ts';
import { admit, sessionOf } from './second-factors/admission.ts';

/** The credentials of a sign-in. */
export interface SignInInput {
  readonly email: string;
  readonly password: string;
  /** Default: the workspace that the user joined first. */
  readonly workspaceId?: string | null | undefined;
}

interface Account {
  readonly user_id: string;
  readonly password_hash: string | null;
  readonly workspace_id: string | null;
  readonly accepts_password: boolean;
  readonly requires_sso: boolean;
}

/**
 * Opens a session for 24 hours. It takes the same time for unknown users. Workspaces that do not accept the password come
 * last, and a right password does not open them.
 * @throws {ServiceError} unauthorized; second_factor_required, with the ticket for `completeSignIn`
 */
export async function signIn(open: PublicContext, { email, password, workspaceId }: SignInInput): Promise<SignedIn> {
  const [account] = await open.services.stores.sql.rows<Account>`
    SELECT u.id AS user_id, u.password_hash, m.workspace_id, ${ACCEPTS_PASSWORD} AS accepts_password,
           coalesce(p.required, false) AS requires_sso
    FROM user_account u
    LEFT JOIN membership m ON m.user_id = u.id
      AND m.workspace_id = coalesce(${workspaceId ?? null}::uuid, m.workspace_id)
    LEFT JOIN sso_provider p ON p.workspace_id = m.workspace_id
    WHERE u.email = ${email.trim().toLowerCase()}
    ORDER BY requires_sso, accepts_password DESC, m.created_at LIMIT 1`;
  const isRight = await isPassword(account?.password_hash, password);
  if (!account?.workspace_id || !isRight) {
    if (account?.workspace_id) {
      open.services.stores.credentialUse.recordFailedSignIn(account.workspace_id, account.user_id, open.request);
    }
    throw wrongCredentials();
  }
  // Only after the password: others must not find out how the members of a workspace sign in.
  if (account.requires_sso) throw ssoRequired();
  if (!account.accepts_password) throw passwordNotAccepted();
  const { password_hash: passwordHash, user_id: userId } = account;
  const { workspace_id: where } = account;
  return sessionOf(await inTransaction(accountDb(open), (tx) => admit(open, tx, userId, where, { passwordHash })));
}

/** The workspace admitted the account without its password. */
function passwordNotAccepted(): ServiceError {
  const message =
    'This workspace does not accept the password. Choose "Continue with single sign-on", or set a new one.';
  return new ServiceError('unauthorized', message);
}

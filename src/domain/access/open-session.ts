import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Role } from '../../contract/roles.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { EnvironmentRef, SessionCaller } from '../caller.ts';
import type { PublicContext } from '../context.ts';
import { notifySignIn } from './mail/notify-sign-in.ts';
import { hashToken, newSessionToken } from './tokens.ts';

const MOST_USER_AGENT = 300;

/** A session with its token, which is shown only once. */
export interface SignedIn {
  readonly token: string;
  readonly expiresAt: Date;
  readonly sessionId: string;
  readonly member: SessionMember;
}

/** The member that the session belongs to. */
export interface SessionMember {
  readonly user: SessionCaller['user'];
  readonly environment: { readonly workspaceId: string };
  readonly workspaceName: string;
  /** Live, then test. */
  readonly environments: readonly EnvironmentRef[];
  readonly role: Role;
}

/** How the user proved who they are. */
export interface Proof {
  readonly singleSignOn?: boolean;
  /** The hash of the password that they sent. The session is not opened if the account has another one by now. */
  readonly passwordHash?: string | null;
  /** Whether they proved a second factor. */
  readonly secondFactor?: boolean;
}

/** Opens a session in `tx`. The caller must have checked the password, or the response of the provider. */
export async function openSession(
  open: PublicContext,
  tx: Pick<Transaction, '$executeRaw' | '$queryRaw' | 'membership'>,
  userId: string,
  workspaceId: string,
  { singleSignOn = false, passwordHash = null, secondFactor = false }: Proof = {},
): Promise<SignedIn> {
  const token = newSessionToken();
  const sessionId = open.newId();
  const at = open.now();
  const expiresAt = new Date(at.getTime() + LIMITS.sessionHours * 3_600_000);
  const { id, address, userAgent } = open.request;
  const details = JSON.stringify({
    ...(singleSignOn && { single_sign_on: true }),
    ...(secondFactor && { second_factor: true }),
  });
  // The locks order it with changes of the password and of second factors, which end the sessions that were opened before.
  const count = await tx.$executeRaw`
    WITH proven AS (
      SELECT u.id FROM user_account u JOIN workspace w ON w.id = ${workspaceId}::uuid
      WHERE u.id = ${userId}::uuid AND (${passwordHash}::text IS NULL OR u.password_hash = ${passwordHash}::text)
        AND (${singleSignOn}::boolean OR ${secondFactor}::boolean OR NOT (
          w.second_factor_required
          OR EXISTS (SELECT FROM second_factor f WHERE f.user_id = u.id AND f.expires_at IS NULL)))
      FOR SHARE
    ), opened AS (
      INSERT INTO session (id, user_id, workspace_id, token_hash, created_at, expires_at, address, user_agent,
                           single_sign_on, second_factor)
      SELECT ${sessionId}::uuid, id, ${workspaceId}::uuid, ${hashToken(token)}, ${at}::timestamptz,
             ${expiresAt}::timestamptz, ${address}, ${userAgent?.slice(0, MOST_USER_AGENT) ?? null},
             ${singleSignOn}::boolean, ${secondFactor}::boolean
      FROM proven
      RETURNING id
    )
    INSERT INTO audit_entry (workspace_id, action, actor_kind, actor_id, subject_id, details, address, request_id,
                             occurred_at)
    SELECT ${workspaceId}::uuid, 'session.created', 'session', ${userId}, id::text, ${details}::jsonb,
           ${address}, ${id}, ${at}::timestamptz
    FROM opened`;
  if (count === 0) throw wrongCredentials();
  await notifySignIn(open, tx, { sessionId, userId });
  return { token, expiresAt, sessionId, member: await memberOf(tx, userId, workspaceId) };
}

async function memberOf(
  tx: Pick<Transaction, 'membership'>,
  userId: string,
  workspaceId: string,
): Promise<SessionMember> {
  const { user, workspace, role } = await tx.membership.findUniqueOrThrow({
    where: { workspaceId_userId: { workspaceId, userId } },
    select: {
      role: true,
      user: { select: { id: true, email: true, name: true } },
      workspace: { select: { name: true, environments: { orderBy: { kind: 'asc' } } } },
    },
  });
  const { name: workspaceName, environments } = workspace;
  return { user, environment: { workspaceId }, workspaceName, environments, role };
}

export function wrongCredentials(): ServiceError {
  return new ServiceError('unauthorized', 'The email address or the password is wrong.');
}

/** The workspace does not accept passwords. */
export function ssoRequired(): ServiceError {
  const message = 'This workspace requires single sign-on. Choose "Continue with single sign-on".';
  return new ServiceError('unauthorized', message);
}

import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Role } from '../../contract/roles.ts';
import { Prisma, type Session } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { SessionCaller } from '../caller.ts';
import type { Context, PublicContext } from '../context.ts';
import { credentialTopic } from './caller-ends.ts';
import { notify } from './mail/notify.ts';
import { notifySignIn } from './mail/notify-sign-in.ts';
import { hashPassword, isPassword } from './passwords/passwords.ts';
import { hashToken, newSessionToken } from './tokens.ts';

/** SPEC 8. */

const MOST_USER_AGENT = 300;

/** The credentials of a sign-in. */
export interface SignInInput {
  readonly email: string;
  readonly password: string;
  /** Default: the workspace that the user joined first. */
  readonly workspaceId?: string | null | undefined;
}

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
  readonly role: Role;
}

interface Account {
  readonly user_id: string;
  readonly password_hash: string;
  readonly workspace_id: string | null;
  readonly requires_sso: boolean;
}

/**
 * Opens a session for 24 hours. It takes the same time for unknown users. Workspaces that require single sign-on come
 * last, and a right password does not open them.
 * @throws {ServiceError} unauthorized
 */
export async function signIn(open: PublicContext, { email, password, workspaceId }: SignInInput): Promise<SignedIn> {
  const [account] = await open.services.sql.rows<Account>`
    SELECT u.id AS user_id, u.password_hash, m.workspace_id, coalesce(p.required, false) AS requires_sso
    FROM user_account u
    LEFT JOIN membership m ON m.user_id = u.id
      AND m.workspace_id = coalesce(${workspaceId ?? null}::uuid, m.workspace_id)
    LEFT JOIN sso_provider p ON p.workspace_id = m.workspace_id
    WHERE u.email = ${email.trim().toLowerCase()}
    ORDER BY requires_sso, m.created_at LIMIT 1`;
  const isRight = await isPassword(account?.password_hash, password);
  if (!account?.workspace_id || !isRight) {
    if (account?.workspace_id) {
      open.services.credentialUse.recordFailedSignIn(account.workspace_id, account.user_id, open.request);
    }
    throw new ServiceError('unauthorized', 'The email address or the password is wrong.');
  }
  // Only after the password: others must not find out how the members of a workspace sign in.
  if (account.requires_sso) throw ssoRequired();
  return openSession(open, open.services.prisma, account.user_id, account.workspace_id);
}

/** The workspace does not accept passwords. */
export function ssoRequired(): ServiceError {
  const message = 'This workspace requires single sign-on. Choose "Continue with single sign-on".';
  return new ServiceError('unauthorized', message);
}

/** Opens a session in `tx`. The caller must have checked the password, or the response of the provider. */
export async function openSession(
  open: PublicContext,
  tx: Pick<Transaction, '$executeRaw' | '$queryRaw' | 'membership'>,
  userId: string,
  workspaceId: string,
  singleSignOn = false,
): Promise<SignedIn> {
  const token = newSessionToken();
  const sessionId = open.newId();
  const at = open.now();
  const expiresAt = new Date(at.getTime() + LIMITS.sessionHours * 3_600_000);
  const { id, address, userAgent } = open.request;
  const details = JSON.stringify(singleSignOn ? { single_sign_on: true } : {});
  await tx.$executeRaw`
    WITH opened AS (
      INSERT INTO session (id, user_id, workspace_id, token_hash, created_at, expires_at, address, user_agent,
                           single_sign_on)
      VALUES (${sessionId}::uuid, ${userId}::uuid, ${workspaceId}::uuid, ${hashToken(token)}, ${at}, ${expiresAt},
              ${address}, ${userAgent?.slice(0, MOST_USER_AGENT) ?? null}, ${singleSignOn})
    )
    INSERT INTO audit_entry (workspace_id, action, actor_kind, actor_id, subject_id, details, address, request_id,
                             occurred_at)
    VALUES (${workspaceId}::uuid, 'session.created', 'session', ${userId}, ${sessionId}, ${details}::jsonb,
            ${address}, ${id}, ${at})`;
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
      workspace: { select: { name: true } },
    },
  });
  return { user, environment: { workspaceId }, workspaceName: workspace.name, role };
}

/** A workspace and the role of the user in it. */
export interface WorkspaceMembership {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** The workspaces of the user, the first joined first. `signIn` accepts their IDs. */
export async function listMemberships({ services }: Context, { user }: SessionCaller): Promise<WorkspaceMembership[]> {
  const memberships = await services.prisma.membership.findMany({
    where: { userId: user.id },
    include: { workspace: true },
    orderBy: { createdAt: 'asc' },
  });
  return memberships.map(({ workspace: { id, name }, role }) => ({ id, name, role }));
}

/** The condition on the open sessions of the caller. Nobody reads the sessions of others. */
export function ownSessions(ctx: Context, { user }: SessionCaller) {
  return { userId: user.id, revokedAt: null, expiresAt: { gt: ctx.now() } };
}

/** The active sessions of the user, newest first. */
export function listSessions(ctx: Context, caller: SessionCaller): Promise<Session[]> {
  return ctx.db.session.findMany({
    where: ownSessions(ctx, caller),
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
}

/** Revokes the session of this request. Returns false if it was revoked meanwhile. */
export async function signOut(ctx: Context, caller: SessionCaller): Promise<boolean> {
  const ended = await endOwnSession(ctx, caller, caller.id);
  publishSessionChanges(ctx, ended);
  return ended.length > 0;
}

/** Revokes one of the user's own sessions. @throws {ServiceError} not_found */
export async function revokeSession(ctx: Context, caller: SessionCaller, sessionId: string): Promise<void> {
  const ended = await endOwnSession(ctx, caller, sessionId);
  if (ended.length === 0) {
    throw new ServiceError('not_found', 'You have no active session with this ID. Check {param}.', {
      param: ['sessionId'],
    });
  }
  publishSessionChanges(ctx, ended);
}

function endOwnSession(ctx: Context, caller: SessionCaller, sessionId: string) {
  const { workspaceId } = ctx.environment;
  const mine = Prisma.sql`id = ${sessionId}::uuid AND user_id = ${caller.user.id}::uuid
                          AND workspace_id = ${workspaceId}::uuid`;
  return inTransaction(ctx.db, (tx) => endSessions(ctx, tx, mine));
}

/**
 * Changes the password of the user, and revokes all their other sessions in all workspaces.
 * @throws {ServiceError} invalid_request if the current password is wrong or the new one is too short or too long
 */
export async function changePassword(
  ctx: Context,
  { id: sessionId, user }: SessionCaller,
  { currentPassword, newPassword }: { readonly currentPassword: string; readonly newPassword: string },
): Promise<void> {
  const passwordHash = await hashPassword(newPassword, 'newPassword');
  const { prisma } = ctx.services;
  const { passwordHash: stored } = await prisma.user.findUniqueOrThrow({ where: { id: user.id } });
  if (!(await isPassword(stored, currentPassword))) {
    throw new ServiceError('invalid_request', '{param} is wrong.', { param: ['currentPassword'] });
  }
  // Not scoped to the environment, because the sessions can belong to other workspaces.
  const ended = await inTransaction(prisma, async (tx) => {
    await tx.user.updateMany({ where: { id: user.id }, data: { passwordHash } });
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'password.changed', subjectId: user.id, at: ctx.now() }));
    await notify(ctx, tx, { userIds: [user.id], workspaceId: null }, 'password_changed', {});
    return endSessions(ctx, tx, Prisma.sql`id <> ${sessionId}::uuid AND user_id = ${user.id}::uuid`);
  });
  publishSessionChanges(ctx, ended);
}

/** Revokes the active sessions that match, in `tx`. Returns their IDs for `publishSessionChanges` after the commit. */
export async function endSessions(ctx: Context, tx: Transaction, which: Prisma.Sql): Promise<string[]> {
  const at = ctx.now();
  const ended = await tx.$queryRaw<{ id: string; workspace_id: string }[]>`
    UPDATE session SET revoked_at = ${at} WHERE revoked_at IS NULL AND ${which} RETURNING id, workspace_id`;
  for (const { id, workspace_id: workspaceId } of ended) {
    const there = { ...ctx, environment: { ...ctx.environment, workspaceId } };
    await tx.$executeRaw(insertAuditEntry(there, { action: 'session.revoked', subjectId: id, at }));
  }
  return ended.map(({ id }) => id);
}

/** Makes every process check the credentials of the open subscriptions of these sessions again. */
export function publishSessionChanges({ services }: Pick<Context, 'services'>, ids: readonly string[]): void {
  for (const id of ids) services.pubSub.publish(credentialTopic(id));
}

import { ServiceError } from '../../contract/errors.ts';
import type { Role } from '../../contract/roles.ts';
import { Prisma, type Session } from '../../db/generated/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { audited } from '../audit/append.ts';
import type { Context, PublicContext, SessionCaller } from '../context.ts';
import { credentialTopic } from './caller-ends.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { hashToken, newSessionToken } from './tokens.ts';

/** SPEC 8. */
const SESSION_HOURS = 24;

const MOST_USER_AGENT = 300;

/** Who signs in. */
export interface SignInInput {
  readonly email: string;
  readonly password: string;
}

/** A session and its token, which is shown this once. */
export interface SignedIn {
  readonly token: string;
  readonly expiresAt: Date;
  readonly sessionId: string;
}

interface Account {
  readonly user_id: string;
  readonly password_hash: string;
  readonly workspace_id: string | null;
  readonly role: Role | null;
}

/**
 * Opens a session of 24 hours in the workspace that the user has been a member of for longest. Takes as long for a user
 * that is not known.
 * @throws {ServiceError} unauthorized
 */
export async function signIn(open: PublicContext, { email, password }: SignInInput): Promise<SignedIn> {
  const [account] = await open.services.prisma.$queryRaw<Account[]>`
    SELECT u.id AS user_id, u.password_hash, m.workspace_id
    FROM user_account u LEFT JOIN membership m ON m.user_id = u.id
    WHERE u.email = ${email.trim().toLowerCase()}
    ORDER BY m.created_at LIMIT 1`;
  const isRight = await isPassword(account?.password_hash, password);
  if (!account?.workspace_id || !isRight) {
    if (account?.workspace_id) {
      open.services.credentialUse.refuse(account.workspace_id, account.user_id, open.request);
    }
    throw new ServiceError('unauthorized', 'The e-mail address or the password is wrong.');
  }
  return openSession(open, account.user_id, account.workspace_id);
}

async function openSession(open: PublicContext, userId: string, workspaceId: string): Promise<SignedIn> {
  const token = newSessionToken();
  const sessionId = open.newId();
  const at = open.now();
  const expiresAt = new Date(at.getTime() + SESSION_HOURS * 3_600_000);
  const { id, address, userAgent } = open.request;
  await open.services.prisma.$executeRaw`
    WITH opened AS (
      INSERT INTO session (id, user_id, workspace_id, token_hash, created_at, expires_at, address, user_agent)
      VALUES (${sessionId}::uuid, ${userId}::uuid, ${workspaceId}::uuid, ${hashToken(token)}, ${at}, ${expiresAt},
              ${address}, ${userAgent?.slice(0, MOST_USER_AGENT) ?? null})
    )
    INSERT INTO audit_entry (workspace_id, action, actor_kind, actor_id, subject_id, details, address, request_id,
                             occurred_at)
    VALUES (${workspaceId}::uuid, 'session.created', 'session', ${userId}, ${sessionId}, '{}', ${address}, ${id}, ${at})`;
  return { token, expiresAt, sessionId };
}

/** The user's sessions that are open, newest first. */
export function listSessions(ctx: Context, { user }: SessionCaller): Promise<Session[]> {
  return ctx.db.session.findMany({
    where: { userId: user.id, revokedAt: null, expiresAt: { gt: ctx.now() } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
}

/** Ends one of the user's own sessions. @throws {ServiceError} not_found */
export async function revokeSession(ctx: Context, caller: SessionCaller, sessionId: string): Promise<void> {
  const ended = await endSessions(ctx, Prisma.sql`id = ${sessionId}::uuid AND user_id = ${caller.user.id}::uuid`);
  if (ended > 0) return;
  throw new ServiceError('not_found', 'There is no open session of yours with this id. Check {param}.', {
    param: ['sessionId'],
  });
}

/**
 * Gives the user another password, and ends all other sessions of theirs.
 * @throws {ServiceError} invalid_request where the current one is wrong or the new one will not do
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
  await inTransaction(ctx.db, async (tx) => {
    await tx.user.updateMany({ where: { id: user.id }, data: { passwordHash } });
    await tx.$executeRaw(audited(ctx, { action: 'password.changed', subjectId: user.id, at: ctx.now() }));
  });
  await endSessions(ctx, Prisma.sql`id <> ${sessionId}::uuid AND user_id = ${user.id}::uuid`);
}

/** Ends the sessions of the caller's workspace that match. Answers how many. */
async function endSessions(ctx: Context, which: Prisma.Sql): Promise<number> {
  const at = ctx.now();
  const ended = await ctx.db.$queryRaw<{ id: string }[]>`
    UPDATE session SET revoked_at = ${at}
    WHERE workspace_id = ${ctx.environment.workspaceId}::uuid AND revoked_at IS NULL AND ${which}
    RETURNING id`;
  for (const { id } of ended) {
    await ctx.db.$executeRaw(audited(ctx, { action: 'session.revoked', subjectId: id, at }));
    ctx.services.live.publish(credentialTopic(id));
  }
  return ended.length;
}

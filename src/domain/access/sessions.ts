import { ServiceError } from '../../contract/errors.ts';
import type { Role } from '../../contract/roles.ts';
import { Prisma, type Session } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
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
  /** Where; the workspace that they have been a member of for longest where it is left out. */
  readonly workspaceId?: string | null | undefined;
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
}

/**
 * Opens a session of 24 hours. Takes as long for a user that is not known.
 * @throws {ServiceError} unauthorized
 */
export async function signIn(open: PublicContext, { email, password, workspaceId }: SignInInput): Promise<SignedIn> {
  const [account] = await open.services.sql.rows<Account>`
    SELECT u.id AS user_id, u.password_hash, m.workspace_id
    FROM user_account u
    LEFT JOIN membership m ON m.user_id = u.id
      AND m.workspace_id = coalesce(${workspaceId ?? null}::uuid, m.workspace_id)
    WHERE u.email = ${email.trim().toLowerCase()}
    ORDER BY m.created_at LIMIT 1`;
  const isRight = await isPassword(account?.password_hash, password);
  if (!account?.workspace_id || !isRight) {
    if (account?.workspace_id) {
      open.services.credentialUse.refuse(account.workspace_id, account.user_id, open.request);
    }
    throw new ServiceError('unauthorized', 'The e-mail address or the password is wrong.');
  }
  return openSession(open, open.services.prisma, account.user_id, account.workspace_id);
}

/** Opens a session of a member whose password has been seen, in `tx`. */
export async function openSession(
  open: PublicContext,
  tx: Pick<Transaction, '$executeRaw'>,
  userId: string,
  workspaceId: string,
): Promise<SignedIn> {
  const token = newSessionToken();
  const sessionId = open.newId();
  const at = open.now();
  const expiresAt = new Date(at.getTime() + SESSION_HOURS * 3_600_000);
  const { id, address, userAgent } = open.request;
  await tx.$executeRaw`
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

/** A workspace, and what the user is in it. */
export interface Belonging {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** The workspaces that the user is a member of, the first one first: `signIn` takes their ids. */
export async function listBelongings({ services }: Context, { user }: SessionCaller): Promise<Belonging[]> {
  const found = await services.prisma.membership.findMany({
    where: { userId: user.id },
    include: { workspace: true },
    orderBy: { createdAt: 'asc' },
  });
  return found.map(({ workspace: { id, name }, role }) => ({ id, name, role }));
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
  const { workspaceId } = ctx.environment;
  const mine = Prisma.sql`id = ${sessionId}::uuid AND user_id = ${caller.user.id}::uuid
                          AND workspace_id = ${workspaceId}::uuid`;
  const ended = await inTransaction(ctx.db, (tx) => endSessions(ctx, tx, mine));
  if (ended.length === 0) {
    throw new ServiceError('not_found', 'There is no open session of yours with this id. Check {param}.', {
      param: ['sessionId'],
    });
  }
  tellOfSessions(ctx, ended);
}

/**
 * Gives the user another password, and ends all other sessions of theirs, in whichever workspace.
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
  const ended = await inTransaction(ctx.db, async (tx) => {
    await tx.user.updateMany({ where: { id: user.id }, data: { passwordHash } });
    await tx.$executeRaw(audited(ctx, { action: 'password.changed', subjectId: user.id, at: ctx.now() }));
    return endSessions(ctx, tx, Prisma.sql`id <> ${sessionId}::uuid AND user_id = ${user.id}::uuid`);
  });
  tellOfSessions(ctx, ended);
}

/** Ends the open sessions that match, in `tx`. Answers their ids, to be told of once it is committed. */
export async function endSessions(ctx: Context, tx: Transaction, which: Prisma.Sql): Promise<string[]> {
  const at = ctx.now();
  const ended = await tx.$queryRaw<{ id: string; workspace_id: string }[]>`
    UPDATE session SET revoked_at = ${at} WHERE revoked_at IS NULL AND ${which} RETURNING id, workspace_id`;
  for (const { id, workspace_id: workspaceId } of ended) {
    const there = { ...ctx, environment: { ...ctx.environment, workspaceId } };
    await tx.$executeRaw(audited(there, { action: 'session.revoked', subjectId: id, at }));
  }
  return ended.map(({ id }) => id);
}

/** Says that sessions have ended, or may do something else: what they have open is looked at anew, on every process. */
export function tellOfSessions({ services }: Context, ids: readonly string[]): void {
  for (const id of ids) services.live.publish(credentialTopic(id));
}

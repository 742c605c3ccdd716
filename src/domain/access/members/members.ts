import { ServiceError } from '../../../contract/errors.ts';
import { assignableRoles, type Role } from '../../../contract/roles.ts';
import { type Membership, Prisma } from '../../../db/generated/client.ts';
import type { Keyset } from '../../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../../db/keyset-page.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { type AuditSource, insertAuditEntry } from '../../audit/append.ts';
import type { Context } from '../../context.ts';
import { byCaller, endApps } from '../apps/end-apps.ts';
import { notify } from '../mail/notify.ts';
import { administerMembers, requireMayGive, requireMayTouch } from '../member-rules.ts';
import { endSessions, publishSessionChanges } from '../sessions.ts';

/** A membership with its user, and the user's accounts at identity providers. */
export interface Member extends Membership {
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly identities: readonly { readonly createdAt: Date }[];
}

const USER = {
  user: { select: { id: true, email: true, name: true } },
  identities: { select: { createdAt: true }, orderBy: { createdAt: 'desc' }, take: 1 },
} as const;

/** Members, newest first. */
const MEMBERS: Keyset<Member> = {
  list: 'members',
  columns: [
    { field: 'createdAt', type: 'date' },
    { field: 'userId', type: 'string' },
  ],
  direction: 'desc',
};

/** Who changes a member, and when. */
type ChangeSource = AuditSource & Pick<Context, 'now'>;

/** Members of the workspace. */
export function listMembers(ctx: Context, args: PageArgs): Promise<KeysetPage<Member>> {
  const binding = { secret: ctx.services.settings.secretKey, filters: [ctx.environment.workspaceId] };
  return keysetPage(MEMBERS, args, binding, {
    find: ({ where, orderBy, take }) => ctx.db.membership.findMany({ where, orderBy, take, include: USER }),
    count: () => ctx.db.membership.count(),
  });
}

/** Finds the members with these user IDs. Other IDs are ignored. */
export function findMembers(ctx: Context, userIds: readonly string[]): Promise<Member[]> {
  return ctx.db.membership.findMany({ where: { userId: { in: [...userIds] } }, include: USER });
}

/** Finds the members' accounts by their IDs. Other IDs are ignored. */
export function findUsers(ctx: Context, ids: readonly string[]): Promise<Member['user'][]> {
  return ctx.db.user.findMany({ where: { id: { in: [...ids] } }, ...USER.user });
}

/** The display names of these users. Null for a user who is no member of the workspace. */
export async function memberNames(ctx: Context, ids: readonly string[]): Promise<(string | null)[]> {
  const users = await findUsers(ctx, [...new Set(ids)]);
  const names = new Map(users.map(({ id, name }) => [id, name]));
  return ids.map((id) => names.get(id) ?? null);
}

/**
 * Changes the role of a member. All processes apply it at once, and end the open subscriptions of the member. No audit
 * entry is written if the role is the same.
 * @throws {ServiceError} not_found; forbidden if a role is above the caller's; invalid_request for the last owner
 */
export async function updateMember(ctx: Context, userId: string, role: Role): Promise<Member> {
  const { member, sessions } = await administerMembers(ctx, async (tx, actor) => {
    const before = await requireMember(tx, userId);
    requireMayTouch(actor, before.role, 'userId');
    requireMayGive(actor, role);
    if (before.role === role) return { member: before, sessions: [] };
    if (before.role === 'owner') await requireAnotherOwner(tx, before, 'role');
    const facts = { from: before.role, to: role };
    await notify(ctx, tx, { userIds: [userId], workspaceId: before.workspaceId }, 'role_changed', facts);
    return changeRole(ctx, tx, before, role);
  });
  publishSessionChanges(ctx, sessions);
  return member;
}

/** Writes the new role in `tx`. Returns the open sessions and the apps of the member for `publishSessionChanges` after the commit. */
export async function changeRole(
  source: ChangeSource,
  tx: Transaction,
  { workspaceId, userId, role: from }: Pick<Membership, 'workspaceId' | 'userId' | 'role'>,
  role: Role,
): Promise<{ readonly member: Member; readonly sessions: readonly string[] }> {
  await endInvitationsOf(source, tx, userId, role);
  const entry = { action: 'member.role_changed', subjectId: userId, details: { from, to: role } } as const;
  await tx.$executeRaw(insertAuditEntry(source, { ...entry, at: source.now() }));
  const open = await tx.session.findMany({ where: { userId, workspaceId, revokedAt: null }, select: { id: true } });
  const where = { workspaceId_userId: { workspaceId, userId } };
  const member = await tx.membership.update({ where, data: { role }, include: USER });
  const apps = await tx.connectedApp.findMany({ where: { userId, workspaceId }, select: { id: true } });
  return { member, sessions: [...open, ...apps].map(({ id }) => id) };
}

/**
 * Removes a member from the workspace. Ends their sessions and apps there and the invitations that they sent. Their account
 * stays, and so do the API keys that they created, because those belong to the workspace.
 * @throws {ServiceError} not_found; forbidden if only the member is an owner; invalid_request for the last owner
 */
export async function removeMember(ctx: Context, userId: string): Promise<Member> {
  const { workspaceId } = ctx.environment;
  const { member, sessions } = await administerMembers(ctx, async (tx, actor) => {
    const before = await requireMember(tx, userId);
    requireMayTouch(actor, before.role, 'userId');
    if (before.role === 'owner') await requireAnotherOwner(tx, before, 'userId');
    await endInvitationsOf(ctx, tx, userId, undefined);
    const details = { role: before.role, email: before.user.email };
    await tx.$executeRaw(
      insertAuditEntry(ctx, { action: 'member.removed', subjectId: userId, details, at: ctx.now() }),
    );
    await notify(ctx, tx, { userIds: [userId], workspaceId }, 'member_removed', {});
    const condition = Prisma.sql`user_id = ${userId}::uuid AND workspace_id = ${workspaceId}::uuid`;
    const ended = [...(await endSessions(ctx, tx, condition)), ...(await endApps(byCaller(ctx), tx, condition))];
    await tx.membership.delete({ where: { workspaceId_userId: { workspaceId, userId } } });
    return { member: before, sessions: ended };
  });
  publishSessionChanges(ctx, sessions);
  return member;
}

async function requireMember(tx: Transaction, userId: string): Promise<Member> {
  const member = await tx.membership.findFirst({ where: { userId }, include: USER });
  if (member) return member;
  throw new ServiceError('not_found', 'There is no member with this ID. Check {param}.', { param: ['userId'] });
}

/** Nobody could add an owner to a workspace without owners. */
async function requireAnotherOwner(tx: Transaction, owner: OwnerRef, param: string): Promise<void> {
  if (await hasAnotherOwner(tx, owner)) return;
  const message = '{param}: this is the last owner of the workspace. Make another member an owner first.';
  throw new ServiceError('invalid_request', message, { param: [param] });
}

type OwnerRef = Pick<Membership, 'workspaceId' | 'userId'>;

/** Whether the workspace has another owner. Call it with the workspace locked. */
export async function hasAnotherOwner(tx: Transaction, { workspaceId, userId }: OwnerRef): Promise<boolean> {
  return (await tx.membership.count({ where: { workspaceId, role: 'owner', userId: { not: userId } } })) > 0;
}

/** Deletes the invitations that the member could not send with their new role. */
async function endInvitationsOf(
  source: ChangeSource,
  tx: Transaction,
  userId: string,
  role: Role | undefined,
): Promise<void> {
  const allowedRoles = role ? assignableRoles(role) : [];
  const { workspaceId } = source.environment;
  const where = { workspaceId, invitedById: userId, role: { notIn: [...allowedRoles] } };
  const ended = await tx.invitation.findMany({ where, select: { id: true, email: true } });
  await tx.invitation.deleteMany({ where });
  for (const { id, email } of ended) {
    const entry = { action: 'invitation.revoked', subjectId: id, details: { email }, at: source.now() } as const;
    await tx.$executeRaw(insertAuditEntry(source, entry));
  }
}

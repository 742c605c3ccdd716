import { ServiceError } from '../../contract/errors.ts';
import { type Role, rolesGivenBy } from '../../contract/roles.ts';
import { type Membership, Prisma } from '../../db/generated/client.ts';
import { type Keyset, type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset.ts';
import type { Transaction } from '../../db/transaction.ts';
import { audited } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { administerMembers, requireMayGive, requireMayTouch } from './member-rules.ts';
import { endSessions, tellOfSessions } from './sessions.ts';

/** A member, and who they are. */
export interface Member extends Membership {
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
}

const USER = { user: { select: { id: true, email: true, name: true } } } as const;

/** Members, newest first. */
const MEMBERS: Keyset<Member> = {
  list: 'members',
  columns: [
    { field: 'createdAt', type: 'date' },
    { field: 'userId', type: 'string' },
  ],
  direction: 'desc',
};

/** Members of the workspace. */
export function listMembers(ctx: Context, args: PageArgs): Promise<KeysetPage<Member>> {
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.workspaceId] };
  return keysetPage(MEMBERS, args, binding, {
    find: ({ where, orderBy, take }) => ctx.db.membership.findMany({ where, orderBy, take, include: USER }),
    count: () => ctx.db.membership.count(),
  });
}

/** Those of these users that are members of the workspace. */
export function findMembers(ctx: Context, userIds: readonly string[]): Promise<Member[]> {
  return ctx.db.membership.findMany({ where: { userId: { in: [...userIds] } }, include: USER });
}

/**
 * Gives a member another role, which holds from now on, on every process: what their sessions have open ends. Where
 * nothing changes the audit log tells of nothing.
 * @throws {ServiceError} not_found; forbidden where a role is above the caller's; invalid_request for the last owner
 */
export async function updateMember(ctx: Context, userId: string, role: Role): Promise<Member> {
  const { member, sessions } = await administerMembers(ctx, async (tx, actor) => {
    const before = await requireMember(tx, userId);
    requireMayTouch(actor, before.role, 'userId');
    requireMayGive(actor, role);
    if (before.role === role) return { member: before, sessions: [] };
    if (before.role === 'owner') await requireAnotherOwner(tx, userId, 'role');
    await endInvitationsOf(ctx, tx, userId, role);
    const details = { from: before.role, to: role };
    await tx.$executeRaw(audited(ctx, { action: 'member.role_changed', subjectId: userId, details, at: ctx.now() }));
    const open = await tx.session.findMany({ where: { userId, revokedAt: null }, select: { id: true } });
    const where = { workspaceId_userId: { workspaceId: before.workspaceId, userId } };
    const changed = await tx.membership.update({ where, data: { role }, include: USER });
    return { member: changed, sessions: open.map(({ id }) => id) };
  });
  tellOfSessions(ctx, sessions);
  return member;
}

/**
 * Takes a member out of the workspace: their sessions in it, and the invitations that they have made, end at once. Their
 * account stays, and so do the API keys that they made, which are the workspace's.
 * @throws {ServiceError} not_found; forbidden for an owner, where the caller is none; invalid_request for the last owner
 */
export async function removeMember(ctx: Context, userId: string): Promise<Member> {
  const { workspaceId } = ctx.environment;
  const { member, sessions } = await administerMembers(ctx, async (tx, actor) => {
    const before = await requireMember(tx, userId);
    requireMayTouch(actor, before.role, 'userId');
    if (before.role === 'owner') await requireAnotherOwner(tx, userId, 'userId');
    await endInvitationsOf(ctx, tx, userId, undefined);
    const details = { role: before.role, email: before.user.email };
    await tx.$executeRaw(audited(ctx, { action: 'member.removed', subjectId: userId, details, at: ctx.now() }));
    const theirs = Prisma.sql`user_id = ${userId}::uuid AND workspace_id = ${workspaceId}::uuid`;
    const ended = await endSessions(ctx, tx, theirs);
    await tx.membership.delete({ where: { workspaceId_userId: { workspaceId, userId } } });
    return { member: before, sessions: ended };
  });
  tellOfSessions(ctx, sessions);
  return member;
}

async function requireMember(tx: Transaction, userId: string): Promise<Member> {
  const member = await tx.membership.findFirst({ where: { userId }, include: USER });
  if (member) return member;
  throw new ServiceError('not_found', 'There is no member with this id. Check {param}.', { param: ['userId'] });
}

/** A workspace without an owner could never be given one. */
async function requireAnotherOwner(tx: Transaction, userId: string, param: string): Promise<void> {
  if ((await tx.membership.count({ where: { role: 'owner', userId: { not: userId } } })) > 0) return;
  const message = '{param}: this is the last owner of the workspace. Make somebody else an owner first.';
  throw new ServiceError('invalid_request', message, { param: [param] });
}

/** Whoever may not invite any more, or not to so high a role, has left no way in behind. */
async function endInvitationsOf(ctx: Context, tx: Transaction, userId: string, role: Role | undefined): Promise<void> {
  const still = role ? rolesGivenBy(role) : [];
  const where = { invitedById: userId, role: { notIn: [...still] } };
  const ended = await tx.invitation.findMany({ where, select: { id: true, email: true } });
  await tx.invitation.deleteMany({ where });
  for (const { id, email } of ended) {
    const entry = { action: 'invitation.revoked', subjectId: id, details: { email }, at: ctx.now() } as const;
    await tx.$executeRaw(audited(ctx, entry));
  }
}

import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { ROLES } from '../../../contract/roles.ts';
import type { Invitation } from '../../../db/generated/client.ts';
import { newestFirst } from '../../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../../db/keyset-page.ts';
import { insertAuditEntry } from '../../audit/append.ts';
import type { Context } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { newTypeId } from '../../type-id.ts';
import { invitationMail } from '../mail/mails.ts';
import { hashToken, newInvitationToken } from '../tokens.ts';
import { administerMembers, emailInput, requireMayGive, requireMayTouch } from './member-rules.ts';

/** An invitation with the user who sent it. */
export interface OpenInvitation extends Invitation {
  readonly invitedBy: { readonly id: string; readonly email: string; readonly name: string };
}

/** An invitation with its link, which is shown only once. */
export interface ShownInvitation {
  readonly invitation: OpenInvitation;
  readonly url: string;
  /** Whether the service sends the link to the invited person. */
  readonly emailed: boolean;
}

const INVITED_BY = { invitedBy: { select: { id: true, email: true, name: true } } } as const;

/** Invitations by creation, newest first. */
const INVITATIONS = newestFirst<OpenInvitation>('invitations', 'createdAt');

const invitationInput = z.object({ email: emailInput, role: z.enum(ROLES) });

/**
 * Invites an email address to the workspace for 7 days. It replaces an open invitation of the address, whose link stops
 * working.
 * @throws {ServiceError} invalid_request; forbidden if the role is above the caller's
 */
export async function inviteMember(ctx: Context, input: Readonly<Record<string, unknown>>): Promise<ShownInvitation> {
  const { email, role } = parseInput(invitationInput, input);
  const token = newInvitationToken();
  const at = ctx.now();
  const expiresAt = new Date(at.getTime() + LIMITS.invitationDays * 86_400_000);
  const id = newTypeId('inv');
  const { workspaceId } = ctx.environment;
  const invitation = await administerMembers(ctx, async (tx, actor, caller) => {
    requireMayGive(actor, role);
    if ((await tx.membership.count({ where: { user: { email } } })) > 0) {
      const message = '{param} belongs to a member of the workspace. Change their role instead.';
      throw new ServiceError('invalid_request', message, { param: ['email'] });
    }
    const before = await tx.invitation.findFirst({ where: { email, expiresAt: { gt: at } } });
    if (before) requireMayTouch(actor, before.role, 'email');
    await tx.invitation.deleteMany({ where: { OR: [{ email }, { expiresAt: { lte: at } }] } });
    const details = { email, role };
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'invitation.created', subjectId: id, details, at }));
    const data = { id, workspaceId, email, role, tokenHash: hashToken(token), invitedById: caller.user.id };
    return tx.invitation.create({ data: { ...data, createdAt: at, expiresAt }, include: INVITED_BY });
  });
  // After a #, so no server logs the token.
  const url = `${ctx.services.publicUrl}/dashboard/invitation#token=${token}`;
  return { invitation, url, emailed: sendInvitation(ctx, invitation, url) };
}

/** Returns false if the service cannot send messages. */
function sendInvitation(
  { services }: Context,
  { email, invitedBy, workspaceId }: OpenInvitation,
  url: string,
): boolean {
  const { mail, prisma } = services;
  mail.add(async () => {
    const { name } = await prisma.workspace.findUniqueOrThrow({ where: { id: workspaceId }, select: { name: true } });
    return invitationMail(email, { url, inviter: invitedBy.name, workspace: name });
  });
  return mail.isOn;
}

/** Revokes an open invitation. @throws {ServiceError} not_found, forbidden */
export function revokeInvitation(ctx: Context, id: string): Promise<OpenInvitation> {
  return administerMembers(ctx, async (tx, actor) => {
    const at = ctx.now();
    const before = await tx.invitation.findFirst({ where: { id, expiresAt: { gt: at } }, include: INVITED_BY });
    if (!before) throw invitationNotFound();
    requireMayTouch(actor, before.role, 'id');
    // Accepting an invitation does not lock the workspace, so it can happen at the same time.
    const { count } = await tx.invitation.deleteMany({ where: { id } });
    if (count === 0) throw invitationNotFound();
    const details = { email: before.email };
    await tx.$executeRaw(insertAuditEntry(ctx, { action: 'invitation.revoked', subjectId: id, details, at }));
    return before;
  });
}

/** The open invitations of the workspace. */
export function listInvitations(ctx: Context, args: PageArgs): Promise<KeysetPage<OpenInvitation>> {
  const open = { expiresAt: { gt: ctx.now() } };
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.workspaceId] };
  return keysetPage(INVITATIONS, args, binding, {
    find: ({ where, orderBy, take }) =>
      ctx.db.invitation.findMany({ where: { AND: [open, ...where.AND] }, orderBy, take, include: INVITED_BY }),
    count: () => ctx.db.invitation.count({ where: open }),
  });
}

/** Finds open invitations by their IDs, in any order. Other IDs are left out. */
export function findInvitations(ctx: Context, ids: readonly string[]): Promise<OpenInvitation[]> {
  const where = { id: { in: [...ids] }, expiresAt: { gt: ctx.now() } };
  return ctx.db.invitation.findMany({ where, include: INVITED_BY });
}

function invitationNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no open invitation with this ID. Check {param}.', { param: ['id'] });
}

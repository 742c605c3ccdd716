import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { ROLES } from '../../contract/roles.ts';
import type { Invitation } from '../../db/generated/client.ts';
import { type KeysetPage, keysetPage, newestFirst, type PageArgs } from '../../db/keyset.ts';
import { audited } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { parseInput } from '../input.ts';
import { newTypeId } from '../type-id.ts';
import { administerMembers, emailInput, requireMayGive, requireMayTouch } from './member-rules.ts';
import { hashToken, newInvitationToken } from './tokens.ts';

const OPEN_DAYS = 7;

/** An invitation, and who made it. */
export interface OpenInvitation extends Invitation {
  readonly invitedBy: { readonly id: string; readonly email: string; readonly name: string };
}

/** An invitation with its link, which is shown this once. */
export interface ShownInvitation {
  readonly invitation: OpenInvitation;
  readonly url: string;
}

const INVITED_BY = { invitedBy: { select: { id: true, email: true, name: true } } } as const;

/** Invitations by creation, newest first. */
const INVITATIONS = newestFirst<OpenInvitation>('invitations', 'createdAt');

const invitationInput = z.object({ email: emailInput, role: z.enum(ROLES) });

/**
 * Invites an address into the workspace for 7 days. What was open for it is replaced: its link is of no use any more.
 * @throws {ServiceError} invalid_request, forbidden where the role is above the caller's
 */
export async function inviteMember(ctx: Context, input: Readonly<Record<string, unknown>>): Promise<ShownInvitation> {
  const { email, role } = parseInput(invitationInput, input);
  const token = newInvitationToken();
  const at = ctx.now();
  const expiresAt = new Date(at.getTime() + OPEN_DAYS * 86_400_000);
  const id = newTypeId('inv');
  const { workspaceId } = ctx.environment;
  const invitation = await administerMembers(ctx, async (tx, actor, caller) => {
    requireMayGive(actor, role);
    if ((await tx.membership.count({ where: { user: { email } } })) > 0) {
      const message = '{param} is of somebody who is a member already. Give them another role instead.';
      throw new ServiceError('invalid_request', message, { param: ['email'] });
    }
    const before = await tx.invitation.findFirst({ where: { email, expiresAt: { gt: at } } });
    if (before) requireMayTouch(actor, before.role, 'email');
    await tx.invitation.deleteMany({ where: { OR: [{ email }, { expiresAt: { lte: at } }] } });
    const details = { email, role };
    await tx.$executeRaw(audited(ctx, { action: 'invitation.created', subjectId: id, details, at }));
    const data = { id, workspaceId, email, role, tokenHash: hashToken(token), invitedById: caller.user.id };
    return tx.invitation.create({ data: { ...data, createdAt: at, expiresAt }, include: INVITED_BY });
  });
  // Behind a #, so that it is in no server's log.
  return { invitation, url: `${ctx.services.publicUrl}/dashboard/invitation#token=${token}` };
}

/** Ends an open invitation. @throws {ServiceError} not_found, forbidden */
export function revokeInvitation(ctx: Context, id: string): Promise<OpenInvitation> {
  return administerMembers(ctx, async (tx, actor) => {
    const at = ctx.now();
    const before = await tx.invitation.findFirst({ where: { id, expiresAt: { gt: at } }, include: INVITED_BY });
    if (!before) throw invitationNotFound();
    requireMayTouch(actor, before.role, 'id');
    // Whoever accepts it does not wait for the workspace.
    const { count } = await tx.invitation.deleteMany({ where: { id } });
    if (count === 0) throw invitationNotFound();
    const details = { email: before.email };
    await tx.$executeRaw(audited(ctx, { action: 'invitation.revoked', subjectId: id, details, at }));
    return before;
  });
}

/** Invitations of the workspace that are open. */
export function listInvitations(ctx: Context, args: PageArgs): Promise<KeysetPage<OpenInvitation>> {
  const open = { expiresAt: { gt: ctx.now() } };
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.workspaceId] };
  return keysetPage(INVITATIONS, args, binding, {
    find: ({ where, orderBy, take }) =>
      ctx.db.invitation.findMany({ where: { AND: [open, ...where.AND] }, orderBy, take, include: INVITED_BY }),
    count: () => ctx.db.invitation.count({ where: open }),
  });
}

function invitationNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no open invitation with this id. Check {param}.', { param: ['id'] });
}

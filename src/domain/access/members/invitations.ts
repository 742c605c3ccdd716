import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { Invitation } from '../../../db/generated/client.ts';
import { newestFirst } from '../../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../../db/keyset-page.ts';
import { INVITE_MEMBER } from '../../../shapes/accounts.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { insertAuditEntry } from '../../audit/append.ts';
import type { Context } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { newTypeId } from '../../type-id.ts';
import { recordEffect } from '../claimed-effect.ts';
import { addInvitationMail } from '../mail/add-invitation-mail.ts';
import { recipientKey } from '../mail/outbox.ts';
import { administerMembers, requireMayGive, requireMayTouch } from '../member-rules.ts';
import { RATE_LIMITS, type RateLimit } from '../rate-limits.ts';
import { requireSession } from '../scopes.ts';
import { hashToken, newInvitationToken } from '../tokens.ts';

/** An invitation with the user who sent it. */
export interface OpenInvitation extends Invitation {
  readonly invitedBy: { readonly id: string; readonly email: string; readonly name: string };
}

/** An invitation with its link, which is shown at most once. A link that its inviter saw proves no address. */
export interface ShownInvitation {
  readonly invitation: OpenInvitation;
  /** Null: the service sends the link to the invited person, and shows it to nobody else. */
  readonly url: string | null;
}

const INVITED_BY = { invitedBy: { select: { id: true, email: true, name: true } } } as const;

/** Invitations by creation, newest first. */
const INVITATIONS = newestFirst<OpenInvitation>('invitations', 'createdAt');

/** The effect that is stored with an idempotency key. */
type StoredInvitation = Readonly<Record<'invitationId', string>>;

const invitationInput = z.object(rulesOf(INVITE_MEMBER.fields));

/**
 * Counts an invitation: for its address in the workspace, for the caller, and for the workspace. The limit of an address in all
 * workspaces applies to the mails, because an error about it would show that others invited the address.
 * @throws {ServiceError} invalid_request, rate_limited
 */
export async function countInvitation(
  { caller, environment, services }: Context,
  input: Readonly<Record<string, unknown>>,
  count: (limit: RateLimit, key: string) => Promise<void>,
): Promise<void> {
  const { email } = parseInput(invitationInput, input);
  const { workspaceId } = environment;
  await count(RATE_LIMITS.invitationsToAddress, `${workspaceId}:${recipientKey(services.settings.secretBox, email)}`);
  await count(RATE_LIMITS.invitationsByMember, requireSession(caller).user.id);
  await count(RATE_LIMITS.invitationsToWorkspace, workspaceId);
}

/**
 * Invites an email address to the workspace for 7 days. It replaces an open invitation of the address, whose link stops
 * working.
 * @throws {ServiceError} invalid_request; forbidden if the role is above the caller's
 */
export async function inviteMember(ctx: Context, input: Readonly<Record<string, unknown>>): Promise<ShownInvitation> {
  const { email, role } = parseInput(invitationInput, input);
  const stored = ctx.request.claim?.effect as StoredInvitation | null | undefined;
  const [existing] = stored ? await findInvitations(ctx, [stored.invitationId]) : [];
  if (existing?.emailed) return { invitation: existing, url: null };
  // A link that only the response has shown was lost with it: the new one replaces it.
  const token = newInvitationToken();
  const at = ctx.now();
  const expiresAt = new Date(at.getTime() + LIMITS.invitationDays * 86_400_000);
  const id = newTypeId('inv');
  const { workspaceId } = ctx.environment;
  // After a #, so no server logs the token.
  const url = `${ctx.services.settings.publicUrl}/dashboard/invitation#token=${token}`;
  const shown = await administerMembers(ctx, async (tx, actor, caller) => {
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
    const mailed = { id, email, workspaceId, invitedBy: { name: caller.user.name } };
    const emailed = await addInvitationMail(ctx, tx, mailed, url);
    const data = { id, workspaceId, email, role, emailed, tokenHash: hashToken(token), invitedById: caller.user.id };
    const invitation = await tx.invitation.create({ data: { ...data, createdAt: at, expiresAt }, include: INVITED_BY });
    await recordEffect(tx, ctx.request.claim, { invitationId: id } satisfies StoredInvitation);
    // A link that nobody else sees proves the address.
    return { invitation, url: emailed ? null : url };
  });
  ctx.services.stores.mail.publish();
  return shown;
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
  const binding = { secret: ctx.services.settings.secretKey, filters: [ctx.environment.workspaceId] };
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

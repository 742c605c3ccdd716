import type { Role } from '../../../contract/roles.ts';
import type { PublicContext } from '../../context.ts';
import { openInvitation } from './accept-invitation.ts';
import { findAccount, isClaimable } from './entrance.ts';

/** The public data of an open invitation. */
export interface InvitationOffer {
  readonly workspaceName: string;
  readonly email: string;
  readonly role: Role;
  /**
   * Whether the email address has an account whose password is required. Always false if the link was shown to the
   * inviter: they must not learn who has an account.
   */
  readonly hasAccount: boolean;
  /** Whether only the owner of the address received the link. */
  readonly emailed: boolean;
  readonly expiresAt: Date;
}

/**
 * Returns what an invitation offers to the holder of its link. Accepting it would reveal the same data.
 * @throws {ServiceError} not_found, with the same message for every reason
 */
export async function readInvitationOffer(open: PublicContext, token: string): Promise<InvitationOffer> {
  const invitation = await openInvitation(open, token);
  const { workspaceId, email, role, emailed, expiresAt } = invitation;
  const { prisma } = open.services.stores;
  const [workspace, account] = await Promise.all([
    prisma.workspace.findUniqueOrThrow({ where: { id: workspaceId }, select: { name: true } }),
    emailed ? findAccount(prisma, email) : undefined,
  ]);
  const hasAccount = account !== undefined && !isClaimable(account, invitation);
  return { workspaceName: workspace.name, email, role, hasAccount, emailed, expiresAt };
}

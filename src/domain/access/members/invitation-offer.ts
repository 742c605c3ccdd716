import type { Role } from '../../../contract/roles.ts';
import type { PublicContext } from '../../context.ts';
import { openInvitation } from './accept-invitation.ts';

/** The public data of an open invitation. */
export interface InvitationOffer {
  readonly workspaceName: string;
  readonly email: string;
  readonly role: Role;
  /** Whether the email address has an account. Then its password is required. */
  readonly hasAccount: boolean;
  readonly expiresAt: Date;
}

/**
 * Returns what an invitation offers to the holder of its link. Accepting it would reveal the same data.
 * @throws {ServiceError} not_found, with the same message for every reason
 */
export async function readInvitationOffer(open: PublicContext, token: string): Promise<InvitationOffer> {
  const { workspaceId, email, role, expiresAt } = await openInvitation(open, token);
  const { prisma } = open.services;
  const [workspace, accounts] = await Promise.all([
    prisma.workspace.findUniqueOrThrow({ where: { id: workspaceId }, select: { name: true } }),
    prisma.user.count({ where: { email } }),
  ]);
  return { workspaceName: workspace.name, email, role, hasAccount: accounts > 0, expiresAt };
}

import type { Role } from '../../contract/roles.ts';
import type { PublicContext } from '../context.ts';
import { openInvitation } from './accept-invitation.ts';

/** What an open invitation is an invitation to. */
export interface InvitationOffer {
  readonly workspaceName: string;
  readonly email: string;
  readonly role: Role;
  /** Whether its address has an account, whose password is asked for. */
  readonly hasAccount: boolean;
  readonly expiresAt: Date;
}

/**
 * Tells whoever holds the link what they would join. Nothing is told that accepting it would not tell.
 * @throws {ServiceError} not_found, in the same words whatever became of it
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

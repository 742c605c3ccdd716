import type { PrismaClient } from '../../db/generated/client.ts';
import type { Caller } from '../caller.ts';

/** The topic that is published when a credential is revoked or changed. */
export function credentialTopic(id: string): string {
  return `credential:${id}`;
}

/** Whether the credential of a caller is still valid, with the same role. */
export async function isStillValid(prisma: PrismaClient, caller: Caller): Promise<boolean> {
  const { kind, id, tokenHash } = caller;
  if (kind === 'anonymous') {
    const open = caller.visitor ? { hostedPage: true } : { authRequired: false };
    return (await prisma.deployment.count({ where: { id, ...open } })) > 0;
  }
  if (kind === 'operator' || kind === 'service') return true;
  const where = { id, tokenHash, revokedAt: null };
  if (kind === 'api_key') return (await prisma.apiKey.count({ where })) > 0;
  const { role, user, environment } = caller;
  const member = { userId: user.id, workspaceId: environment.workspaceId, role };
  const [sessions, members] = await Promise.all([
    prisma.session.count({ where: { ...where, expiresAt: { gt: new Date() } } }),
    prisma.membership.count({ where: member }),
  ]);
  return sessions > 0 && members > 0;
}

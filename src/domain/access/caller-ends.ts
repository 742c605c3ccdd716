import type { PrismaClient } from '../../db/generated/client.ts';
import type { Caller } from '../context.ts';

/** What is published when a credential has ended or got another secret. */
export function credentialTopic(id: string): string {
  return `credential:${id}`;
}

/** Whether a caller could still come with the credential that they came with. */
export async function isStillValid(prisma: PrismaClient, { kind, id, tokenHash }: Caller): Promise<boolean> {
  if (kind === 'anonymous') return (await prisma.deployment.count({ where: { id, authRequired: false } })) > 0;
  const where = { id, tokenHash, revokedAt: null };
  if (kind === 'api_key') return (await prisma.apiKey.count({ where })) > 0;
  return (await prisma.session.count({ where: { ...where, expiresAt: { gt: new Date() } } })) > 0;
}

import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '../../src/db/generated/client.ts';

interface Place {
  readonly environmentId: string;
  readonly deploymentId: string;
  readonly createdAt: Date;
}

/** A row of each model of end users. */
export async function createEndUserRows(prisma: PrismaClient, { environmentId, deploymentId, createdAt }: Place) {
  return {
    EndUserToken: await prisma.endUserToken.create({
      data: {
        id: randomUUID(),
        environmentId,
        deploymentId,
        endUser: 'u',
        tokenHash: randomUUID(),
        createdAt,
        expiresAt: createdAt,
      },
    }),
    EndUserIssuer: await issuerOf(prisma, environmentId, createdAt),
    RevokedEndUser: await prisma.revokedEndUser.create({
      data: { environmentId, endUserHash: randomUUID(), revokedAt: createdAt },
    }),
  };
}

/** The issuer of an environment. Not an upsert: Prisma would open a transaction for it. */
async function issuerOf(prisma: PrismaClient, environmentId: string, updatedAt: Date) {
  const existing = await prisma.endUserIssuer.findUnique({ where: { environmentId } });
  const data = {
    environmentId,
    id: randomUUID(),
    issuer: randomUUID(),
    audience: 'a',
    jwksUrl: 'https://a',
    updatedAt,
  };
  return existing ?? prisma.endUserIssuer.create({ data });
}

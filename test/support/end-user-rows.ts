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
    EndUserIssuer: await prisma.endUserIssuer.upsert({
      where: { environmentId },
      update: {},
      create: {
        environmentId,
        id: randomUUID(),
        issuer: randomUUID(),
        audience: 'a',
        jwksUrl: 'https://a',
        updatedAt: createdAt,
      },
    }),
    RevokedEndUser: await prisma.revokedEndUser.create({
      data: { environmentId, endUserHash: randomUUID(), revokedAt: createdAt },
    }),
  };
}

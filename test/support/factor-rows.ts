import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '../../src/db/generated/client.ts';
import type { Row } from './all-models.ts';

interface FactorOwner {
  readonly userId: string;
  readonly workspaceId: string;
  readonly createdAt: Date;
}

/** A row of each model of second factors and apps. */
export async function createFactorRows(
  prisma: PrismaClient,
  { userId, workspaceId, createdAt }: FactorOwner,
): Promise<Readonly<Record<string, Row>>> {
  const registration = await prisma.registeredApp.create({
    data: { id: randomUUID(), redirectUris: [], createdAt, expiresAt: createdAt },
  });
  const app = await prisma.connectedApp.create({
    data: {
      ...{ id: randomUUID(), userId, workspaceId, environment: 'live', createdAt, expiresAt: createdAt },
      ...{ clientId: 'https://a.example.com/app.json', clientName: 'A', registrationId: registration.id },
    },
  });
  return {
    RegisteredApp: registration,
    ConnectedApp: app,
    AuthorizationRecord: await prisma.authorizationRecord.create({
      data: { idHash: randomUUID(), kind: 'Grant', payload: {}, appId: app.id, expiresAt: createdAt },
    }),
    SecondFactor: await prisma.secondFactor.create({
      data: { id: randomUUID(), userId, kind: 'totp', name: 'A', createdAt },
    }),
    RecoveryCode: await prisma.recoveryCode.create({ data: { userId, codeHash: randomUUID(), createdAt } }),
    SignInTicket: await prisma.signInTicket.create({
      data: { tokenHash: randomUUID(), userId, workspaceId, createdAt, expiresAt: createdAt },
    }),
  };
}

import { randomUUID } from 'node:crypto';
import { recordHash } from '../../src/domain/access/apps/records.ts';
import type { TestService } from './service.ts';

const APP = { clientId: 'https://app.example.com/app.json', clientName: 'App' };

/** The request of an app, as the authorization server stores it. Returns its ID. */
export async function makeRequest(service: TestService): Promise<string> {
  const id = randomUUID();
  const params = {
    ...{ client_id: APP.clientId, redirect_uri: 'https://app.example.com/callback' },
    ...{ scope: 'resources:read', resource: 'http://127.0.0.1/mcp' },
  };
  const payload = { kind: 'Interaction', params, app: { name: APP.clientName, host: 'app.example.com' } };
  const expiresAt = new Date(Date.now() + 60_000);
  const data = { idHash: recordHash('Interaction', id), kind: 'Interaction', payload, expiresAt };
  await service.service.services.stores.prisma.authorizationRecord.create({ data });
  return id;
}

/** An app that a member has connected. Returns its ID. */
export async function makeApp(service: TestService, userId: string): Promise<string> {
  const { prisma } = service.service.services.stores;
  const { workspaceId } = await prisma.membership.findFirstOrThrow({ where: { userId } });
  const times = { createdAt: new Date(), expiresAt: new Date(Date.now() + 60_000) };
  const data = { id: randomUUID(), userId, workspaceId, environment: 'live', ...APP, ...times } as const;
  return (await prisma.connectedApp.create({ data })).id;
}

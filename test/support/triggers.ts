import { textContent } from './agent-apis.ts';
import type { HttpResponse } from './client.ts';
import { DEMO_CHAT_ID, type TestService } from './service.ts';

export function createTrigger(
  service: TestService,
  fields: object,
  deploymentId = DEMO_CHAT_ID,
): Promise<HttpResponse> {
  const body = { content: textContent('Hello'), ...fields };
  return service.send('POST', `/v1/runner/${deploymentId}/trigger`, { body });
}

/** Reads a trigger without credentials. */
export function readTrigger(service: TestService, id: string, deploymentId = DEMO_CHAT_ID): Promise<HttpResponse> {
  return service.send('GET', `/v1/runner/${deploymentId}/trigger/${id}`, { key: null });
}

export async function expireTrigger({ service }: TestService, id: string): Promise<void> {
  const expiresAt = new Date(Date.now() - 1);
  await service.services.stores.prisma.trigger.updateMany({ where: { id }, data: { expiresAt } });
}

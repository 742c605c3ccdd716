import type { Answer } from './client.ts';
import { text } from './doors.ts';
import { DEMO_CHAT_ID, type TestService } from './service.ts';

export function createTrigger(service: TestService, fields: object, deploymentId = DEMO_CHAT_ID): Promise<Answer> {
  const body = { content: text('Hello'), ...fields };
  return service.send('POST', `/v1/runner/${deploymentId}/trigger`, { body });
}

/** Reads it as the public does. */
export function readTrigger(service: TestService, id: string, deploymentId = DEMO_CHAT_ID): Promise<Answer> {
  return service.send('GET', `/v1/runner/${deploymentId}/trigger/${id}`, { key: null });
}

export async function expireTrigger({ service }: TestService, id: string): Promise<void> {
  const expiresAt = new Date(Date.now() - 1);
  await service.services.prisma.trigger.update({ where: { id }, data: { expiresAt } });
}

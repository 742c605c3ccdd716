import { sweepDue } from '../../src/domain/retention/sweep.ts';
import type { Answer } from './client.ts';
import type { TestService } from './service.ts';

const DAY_MS = 86_400_000;

export function daysAgo(days: number): Date {
  return new Date(Date.now() - days * DAY_MS);
}

/** Makes conversations as old as that. */
export async function age({ service }: TestService, ids: readonly string[], days: number): Promise<void> {
  const where = { id: { in: [...ids] } };
  await service.services.prisma.conversation.updateMany({ where, data: { updatedAt: daysAgo(days) } });
}

export function setRetention(service: TestService, key: string, days: number | null): Promise<Answer> {
  const document = 'mutation ($days: Int) { setRetention(days: $days) { days } }';
  return service.graphql(document, { days }, { key });
}

export async function readRetention(service: TestService, key: string) {
  const { body } = await service.graphql(
    '{ retention { days lastSweep { startedAt finishedAt duration days conversations triggers workflowLogs } } }',
    {},
    { key },
  );
  return body.data.retention;
}

/** Sweeps what is due now, as any process does from time to time. */
export function sweep({ service }: TestService): Promise<void> {
  return sweepDue(service.services);
}

/** Makes every environment due. */
export async function makeDue({ service }: TestService): Promise<void> {
  await service.services.prisma.retention.updateMany({ data: { nextSweepAt: new Date(0) } });
}

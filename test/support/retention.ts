import { sweepDue } from '../../src/domain/retention/sweep.ts';
import type { HttpResponse } from './client.ts';
import type { TestService } from './service.ts';

const DAY_MS = 86_400_000;

export function daysAgo(days: number): Date {
  return new Date(Date.now() - days * DAY_MS);
}

/** Backdates conversations by this many days. */
export async function backdate({ service }: TestService, ids: readonly string[], days: number): Promise<void> {
  const where = { id: { in: [...ids] } };
  await service.services.stores.prisma.conversation.updateMany({ where, data: { updatedAt: daysAgo(days) } });
}

export function setRetention(service: TestService, key: string, days: number | null): Promise<HttpResponse> {
  const document =
    'mutation ($days: Int) { setRetention(input: { days: $days }) { __typename ... on SetRetentionPayload { retention { days } } ... on Error { code message path } } }';
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

/** Sweeps what is due now, as every process does at intervals. */
export function sweep({ service }: TestService): Promise<void> {
  return sweepDue(service.services);
}

/** Makes every environment due. */
export async function makeDue({ service }: TestService): Promise<void> {
  await service.services.stores.prisma.retention.updateMany({ data: { nextSweepAt: new Date(0) } });
}

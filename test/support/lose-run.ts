import { recoverDeadRuns } from '../../src/domain/agent/recovery/dead-runs.ts';
import type { TestService } from './service.ts';
import { until } from './until.ts';

/**
 * Recovers runs as if their process had died. Their leases keep this process as their owner: a heartbeat that misses one
 * ends its turn as a failed model. So a heartbeat can renew a lease in between, and it expires again.
 */
export async function loseRun({ service: { services } }: TestService, ...ids: readonly string[]): Promise<void> {
  const { run } = services.stores.prisma;
  const lost = await run.findMany({ where: { id: { in: [...ids] } } });
  const fences = new Map(lost.map(({ id, fence }) => [id, fence]));
  await until(async () => {
    const all = await run.findMany({ where: { id: { in: [...ids] }, status: 'running' } });
    const running = all.filter(({ id, fence }) => fences.get(id) === fence);
    for (const { id, fence } of running) {
      await run.updateMany({ where: { id, fence, status: 'running' }, data: { leaseExpiresAt: new Date(0) } });
    }
    await recoverDeadRuns(services, lost);
    return running.length === 0;
  });
}

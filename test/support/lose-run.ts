import { recoverDeadRuns } from '../../src/domain/agent/recovery/dead-runs.ts';
import type { TestService } from './service.ts';
import { until } from './until.ts';

/** Recovers a run as if its process had died. A heartbeat of this process can renew its lease in between. */
export async function loseRun({ service: { services } }: TestService, id: string): Promise<void> {
  const { leaseOwner, fence } = await services.stores.prisma.run.findUniqueOrThrow({ where: { id } });
  await until(async () => {
    await services.stores.prisma.run.updateMany({
      where: { id, leaseOwner, fence },
      data: { leaseExpiresAt: new Date(0) },
    });
    await recoverDeadRuns(services, [id]);
    const run = await services.stores.prisma.run.findUniqueOrThrow({ where: { id } });
    return run.fence > fence || run.status !== 'running';
  });
}

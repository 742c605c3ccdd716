import type { PrismaClient } from '../../db/generated/client.ts';

const KEPT_DAYS = 30;

/** Deliveries removed by one statement. */
const BATCH = 1_000;

/** Removes deliveries that were over long ago, with their attempts. */
export async function sweepDeliveries(prisma: PrismaClient): Promise<void> {
  await prisma.$executeRaw`
    DELETE FROM webhook_delivery WHERE id IN (
      SELECT id FROM webhook_delivery
      WHERE status <> 'pending' AND finished_at < now() - make_interval(days => ${KEPT_DAYS}::int)
      ORDER BY finished_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`;
}

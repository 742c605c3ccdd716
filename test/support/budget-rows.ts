import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '../../src/db/generated/client.ts';

/** A budget, and a reservation of it. */
export async function createBudgetRows(
  prisma: PrismaClient,
  { environmentId, createdAt }: { readonly environmentId: string; readonly createdAt: Date },
) {
  const place = `end_user:${randomUUID()}`;
  const settings = { period: 'total', unit: 'tokens', amount: 1_000, onReached: 'refuse', periodStart: createdAt };
  const budget = await prisma.budget.create({
    data: { environmentId, id: randomUUID(), place, ...settings, createdAt, updatedAt: createdAt },
  });
  const reservation = { environmentId, id: randomUUID(), budgetId: budget.id, workId: randomUUID(), amount: 1 };
  return {
    Budget: budget,
    BudgetReservation: await prisma.budgetReservation.create({ data: { ...reservation, expiresAt: createdAt } }),
  };
}

import { randomUUID } from 'node:crypto';
import type { Prisma, PrismaClient } from '../../src/db/generated/client.ts';
import { newTypeId } from '../../src/domain/type-id.ts';
import { DEMO_CHAT_ID, type TestService } from './service.ts';

/** The settings of a budget, as its row has them. */
export interface BudgetRow {
  readonly environmentId: string;
  readonly place?: string;
  readonly period?: 'total' | 'day' | 'month';
  readonly unit?: 'money' | 'tokens';
  readonly amount?: number | string;
  readonly warnAt?: number;
  readonly onReached?: 'refuse' | 'stop' | 'pause';
  readonly expiresAfterSeconds?: number;
  readonly onExpiry?: Prisma.InputJsonObject;
  readonly periodStart?: Date;
}

/** Inserts a budget. The place is the environment by default. */
export async function makeBudget(db: PrismaClient, row: BudgetRow): Promise<string> {
  const { environmentId, place = 'environment', ...settings } = row;
  const id = newTypeId('bud');
  const at = new Date();
  const [kind, of = null] = place.split(':');
  await db.environment.update({ where: { id: environmentId }, data: { hasBudgets: true } });
  await db.budget.create({
    data: {
      ...{
        environmentId,
        id,
        place,
        period: 'total',
        unit: 'tokens',
        onReached: 'refuse',
        amount: 1_000_000,
        periodStart: new Date(0),
        ...settings,
      },
      ...{ createdAt: at, updatedAt: at },
      deploymentId: kind === 'deployment' ? of : null,
      conversationId: kind === 'conversation' ? of : null,
      endUser: kind === 'end_user' ? of : null,
      runId: kind === 'run' ? of : null,
    },
  });
  return id;
}

/** What a budget has spent and reserved. */
export async function ledgerOf(db: PrismaClient, id: string) {
  const row = await db.budget.findFirstOrThrow({ where: { id } });
  const held = await db.budgetReservation.count({ where: { budgetId: id } });
  return { spent: row.spent.toNumber(), reserved: row.reserved.toNumber(), held };
}

/** The tokens of all lines of the workflow log of an environment. */
export async function storedTokens(db: PrismaClient, environmentId: string): Promise<number> {
  const lines = await db.workflowLog.findMany({ where: { environmentId } });
  return lines.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
}

/** The place of an end user whom no other test has. */
export const newEndUserPlace = (name: string) => `end_user:${name} ${randomUUID()}`;

/** Sets a budget that has no room for a step. */
export async function useUp(service: TestService, place: string, kind: 'live' | 'test' = 'live'): Promise<void> {
  const { prisma } = service.service.services.stores;
  const { id: environmentId } = await prisma.environment.findFirstOrThrow({
    where: { kind, workspace: { deployments: { some: { id: DEMO_CHAT_ID } } } },
  });
  if ((await prisma.budget.count({ where: { environmentId, place } })) > 0) return;
  await makeBudget(prisma, { environmentId, place, amount: 1 });
}

/** Lets a deployment run another version of its workflow, without the checks of prices. */
export async function changeVersion(db: PrismaClient, deploymentId: string, config: object): Promise<void> {
  await db.$executeRaw`
    WITH made AS (
      INSERT INTO workflow_version (workflow_id, number, config, created_at)
      SELECT v.workflow_id, v.number + 1, v.config || ${JSON.stringify(config)}::jsonb, now()
      FROM deployment d JOIN workflow_version v ON v.workflow_id = d.workflow_id AND v.number = d.published_version
      WHERE d.id = ${deploymentId}::uuid RETURNING number
    )
    UPDATE deployment SET published_version = made.number FROM made WHERE id = ${deploymentId}::uuid`;
}

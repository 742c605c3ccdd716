import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Prisma } from '../../src/db/generated/client.ts';
import { serviceContext } from '../../src/domain/agent/rows/service-context.ts';
import { reserve } from '../../src/domain/budgets/reserve.ts';
import { makeBudget } from '../support/budgets.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const PLACE = {
  ...{ deploymentId: null, conversationId: null, endUser: null, runId: null },
  ...{ isVisitor: false, defaults: [] },
};

describe.skipIf(!POSTGRES_URL)('a step that waits for the lock of a budget', () => {
  let service: TestService;
  let pool: pg.Pool;
  beforeAll(async () => {
    service = await startService();
    const [row] = await service.service.services.stores.prisma.$queryRaw<{ name: string }[]>`
      SELECT current_database() AS name`;
    const url = new URL(POSTGRES_URL ?? '');
    url.pathname = `/${row?.name}`;
    pool = openPool(url.href, 2);
  });
  afterAll(async () => {
    await pool.end();
    await service.close();
  });

  it('does not take the place of a reservation that has ended meanwhile, and whose room another step has', async () => {
    const { services } = service.service;
    const { prisma } = services.stores;
    const { id, kind, workspaceId } = await prisma.environment.findFirstOrThrow({ where: { kind: 'live' } });
    const budgetId = await makeBudget(prisma, { environmentId: id, amount: 100 });
    const [workId, otherId] = [randomUUID(), randomUUID()];
    const ctx = serviceContext(services, { id, kind, workspaceId });
    const ceiling = { model: 'demo', inputTokens: 60, outputTokens: 40 };
    const reserveFor = (work: string, fence: number) =>
      reserve(ctx, PLACE, ceiling, { workId: work, fence, until: Prisma.sql`now()`, unstored: [] });
    expect(await reserveFor(workId, 1)).toMatchObject([{ isFull: false }]);
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT FROM budget WHERE id = $1 FOR UPDATE', [budgetId]);
    const waiting = reserveFor(workId, 2);
    await until(async () => {
      const { rows } = await pool.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.length === 1;
    });
    await other.query('UPDATE budget_reservation SET work_id = $2, fence = 1 WHERE work_id = $1', [workId, otherId]);
    await other.query('COMMIT');
    other.release();
    expect(await waiting).toMatchObject([{ isFull: true }]);
    const { reserved } = await prisma.budget.findFirstOrThrow({ where: { id: budgetId } });
    expect(Number(reserved)).toBe(100);
  });
});

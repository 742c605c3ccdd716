import { randomUUID } from 'node:crypto';
import { makeBudget, newEndUserPlace } from '../support/budgets.ts';
import { DEMO_CHAT_ID, type TestService } from '../support/service.ts';
import type { Made, Sample } from './samples.ts';

const PATH = '/v1/budgets';
const UNKNOWN = `${PATH}/bud_01k9z3v8c0f6t8r5m2q7x4y1zz`;

/** A budget to read, and a budget to remove. */
export interface Budgets {
  readonly kept: string;
  readonly removed: string;
}

export async function prepareBudgets({ service }: TestService, environmentId: string): Promise<Budgets> {
  const { prisma } = service.services.stores;
  const kept = await makeBudget(prisma, { environmentId, place: newEndUserPlace('kept') });
  return { kept, removed: await makeBudget(prisma, { environmentId, place: newEndUserPlace('removed') }) };
}

/** Samples of the operations on budgets. */
export const BUDGET_SAMPLES: Readonly<Record<string, (made: Made) => Sample[]>> = {
  ListBudgets: ({ weakKey }) => [
    { status: 200, path: `${PATH}?limit=1` },
    { status: 200, path: `${PATH}?place=end_user&end_user=ada&deployment_id=${DEMO_CHAT_ID}` },
    { status: 400, path: `${PATH}?limit=0` },
    { status: 401, path: PATH, key: null },
    { status: 403, path: PATH, key: weakKey },
  ],
  SetBudget: ({ weakKey }) => {
    const body = { deployment_id: DEMO_CHAT_ID, period: 'month', tokens: 1_000_000, warn_at: 0.8, on_reached: 'stop' };
    return [
      { status: 200, path: PATH, body },
      { status: 200, path: PATH, body: { end_user: 'ada', period: 'day', tokens: 5 } },
      { status: 400, path: PATH, body: { ...body, tokens: 0 } },
      { status: 401, path: PATH, body, key: null },
      { status: 403, path: PATH, body, key: weakKey },
      { status: 404, path: PATH, body: { ...body, deployment_id: randomUUID() } },
    ];
  },
  ReadBudget: ({ budgets, weakKey }) => [
    { status: 200, path: `${PATH}/${budgets.kept}` },
    { status: 401, path: UNKNOWN, key: null },
    { status: 403, path: UNKNOWN, key: weakKey },
    { status: 404, path: UNKNOWN },
  ],
  RemoveBudget: ({ budgets, weakKey }) => [
    { status: 401, path: UNKNOWN, key: null },
    { status: 403, path: UNKNOWN, key: weakKey },
    { status: 404, path: UNKNOWN },
    { status: 204, path: `${PATH}/${budgets.removed}` },
  ],
};

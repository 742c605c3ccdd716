import { makeBudget } from './budgets.ts';
import { DEMO_CHAT_ID, type TestService } from './service.ts';
import { makeDeployment } from './tenants.ts';
import { NO_UUID, type Provocation, type Provoke } from './turn-error-rows.ts';

const NO_BUDGET = 'bud_01k9z3v8c0f6t8r5m2q7x4y1zz';

/** A budget in both APIs. */
function setting(input: object, body: object): Provocation {
  return { input, rest: { method: 'PUT', path: '/v1/budgets', body } };
}

/** A budget in money that needs the price of the demo model. */
async function priceInUse(service: TestService): Promise<Provocation> {
  const price =
    'mutation { setModelPrice(input: { model: "demo", inputPerMillion: 1, outputPerMillion: 1 }) { __typename } }';
  await service.graphql(price);
  const body = { deployment_id: DEMO_CHAT_ID, period: 'total', amount: '1' };
  await service.send('PUT', '/v1/budgets', { body });
  return { input: { model: 'demo' } };
}

/** A deployment with a budget in money, and a version whose model has no price. */
async function unpricedVersion(service: TestService): Promise<Provocation> {
  const { id } = await makeDeployment(service, { model: 'openai:unpriced' });
  const { prisma } = service.service.services.stores;
  const { workspaceId } = await prisma.deployment.update({ where: { id }, data: { publishedVersion: null } });
  const environment = await prisma.environment.findFirstOrThrow({ where: { workspaceId, kind: 'live' } });
  await makeBudget(prisma, { environmentId: environment.id, place: `deployment:${id}`, unit: 'money', amount: 1 });
  return { input: { deploymentId: id, version: 1 } };
}

/** Requests for the errors of budgets. */
export const BUDGET_ERROR_ROWS: Readonly<Record<string, Provoke>> = {
  'setBudget invalid_request': () => setting({ period: 'DAY', tokens: 0 }, { period: 'day', tokens: 0 }),
  'setBudget not_found': () =>
    setting({ deploymentId: NO_UUID, period: 'DAY', tokens: 1 }, { deployment_id: NO_UUID, period: 'day', tokens: 1 }),
  'removeBudget not_found': () => ({
    input: { budgetId: NO_BUDGET },
    rest: { method: 'DELETE', path: `/v1/budgets/${NO_BUDGET}` },
  }),
  'removeModelPrice in_use': priceInUse,
  'rollBackDeployment invalid_request': unpricedVersion,
  'setTimeZone invalid_request': () => ({ input: { timeZone: 'Europe/Nowhere' } }),
  'setTimeZone in_use': async (service) => {
    await service.send('PUT', '/v1/budgets', { body: { end_user: 'zone', period: 'day', tokens: 1 } });
    return { input: { timeZone: 'Asia/Tokyo' } };
  },
};

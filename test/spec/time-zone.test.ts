import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTypeId } from '../../src/domain/type-id.ts';
import { removeBudget, setBudget } from '../support/budget-requests.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey, makeWorkspace } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const SET = `mutation ($timeZone: String!) { setTimeZone(input: { timeZone: $timeZone }) { __typename
  ... on SetTimeZonePayload { timeZone } ... on Error { code message path } ... on InUse { dependants { kind count } } } }`;

const setTimeZone = async (timeZone: string, key = service.keys.live) =>
  (await service.graphql(SET, { timeZone }, { key })).body.data.setTimeZone;
const timeZone = async (key = service.keys.live) => (await service.graphql('{ timeZone }', {}, { key })).body.data;

describe('the time zone of an environment', () => {
  it('is UTC at first, and belongs to one environment', async () => {
    const { keys } = await makeWorkspace(service);
    expect(await timeZone(keys.live)).toEqual({ timeZone: 'UTC' });
    expect(await setTimeZone('europe/berlin', keys.live)).toMatchObject({ timeZone: 'Europe/Berlin' });
    expect(await timeZone(keys.live)).toEqual({ timeZone: 'Europe/Berlin' });
    expect(await timeZone(keys.test)).toEqual({ timeZone: 'UTC' });
    const edge = '{ conversations { totalCount } apiKeys { nodes { environment { timeZone } } } }';
    const { body } = await service.graphql(edge, {}, { key: keys.live });
    expect(body.data.apiKeys.nodes[0]).toEqual({ environment: { timeZone: 'Europe/Berlin' } });
  });

  it.each(['Europe/Nowhere', '+01:00', 'FOO3', 'localtime', 'Factory', "UTC'; DROP TABLE budget; --"])(
    'is not %s',
    async (name) => {
      expect(await setTimeZone(name)).toMatchObject({ code: 'INVALID_REQUEST', path: ['timeZone'] });
    },
  );

  it('begins the days and months of budgets', async () => {
    const { keys } = await makeWorkspace(service);
    await setTimeZone('Asia/Kolkata', keys.live);
    const { periodStartsAt, periodEndsAt } = await setBudget(service, { period: 'MONTH', tokens: 1 }, keys.live);
    expect([periodStartsAt, periodEndsAt].map((time) => time.slice(11))).toEqual(['18:30:00.000Z', '18:30:00.000Z']);
    const total = await setBudget(service, { period: 'TOTAL', tokens: 1 }, keys.live);
    expect(total).toMatchObject({ periodStartsAt: null, periodEndsAt: null });
  });

  it('does not change while a budget has days or months', async () => {
    const { keys } = await makeWorkspace(service);
    await setBudget(service, { period: 'TOTAL', tokens: 1 }, keys.live);
    expect(await setTimeZone('Asia/Tokyo', keys.live)).toMatchObject({ timeZone: 'Asia/Tokyo' });
    const { budgetId } = await setBudget(service, { period: 'DAY', tokens: 1 }, keys.live);
    expect(await setTimeZone('UTC', keys.live)).toMatchObject({
      code: 'IN_USE',
      message: 'The time zone cannot be changed: 1 budget depends on it.',
      dependants: [{ kind: 'BUDGET', count: 1 }],
    });
    expect(await setTimeZone('Asia/Tokyo', keys.live)).toMatchObject({ timeZone: 'Asia/Tokyo' });
    await removeBudget(service, budgetId, keys.live);
    expect(await setTimeZone('UTC', keys.live)).toMatchObject({ timeZone: 'UTC' });
  });

  it.skipIf(!POSTGRES_URL)('does not change at the same time as a budget with days', async () => {
    const { keys, environments } = await makeWorkspace(service);
    const { prisma } = service.service.services.stores;
    const pending = await prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT FROM environment WHERE id = ${environments.live}::uuid FOR NO KEY UPDATE`;
      const row = { period: 'day', unit: 'tokens', amount: 1, onReached: 'refuse', periodStart: new Date(0) };
      const times = { createdAt: new Date(), updatedAt: new Date() };
      const place = { environmentId: environments.live, id: newTypeId('bud'), place: 'environment' };
      await tx.budget.create({ data: { ...place, ...row, ...times } });
      const change = setTimeZone('Asia/Tokyo', keys.live);
      const waiting = () => prisma.$queryRaw<object[]>`
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await expect.poll(waiting).not.toEqual([]);
      return [change];
    });
    expect(await pending[0]).toMatchObject({ code: 'IN_USE' });
  });

  it('needs the scope budgets:write to be set', async () => {
    const reader = await makeKey(service, { scopes: ['budgets:read'] });
    const { body } = await service.graphql(SET, { timeZone: 'UTC' }, { key: reader });
    expect(body.errors[0].extensions).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('is in the audit log', async () => {
    const { keys, environments } = await makeWorkspace(service);
    await setTimeZone('Asia/Tokyo', keys.live);
    const { prisma } = service.service.services.stores;
    const entry = await prisma.auditEntry.findFirst({
      where: { action: 'time_zone.set', subjectId: environments.live },
    });
    expect(entry?.details).toEqual({ time_zone: 'Asia/Tokyo', before: 'UTC' });
  });
});

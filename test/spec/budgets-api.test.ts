import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { newTypeId } from '../../src/domain/type-id.ts';
import { removeBudget, setBudget } from '../support/budget-requests.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeKey, makeWorkspace } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const db = () => service.service.services.stores.prisma;
const TOKENS = { period: 'TOTAL', tokens: 1_000_000 };

/** Sets a budget that answers its question itself. */
const setAnswering = (output: object) =>
  setBudget(service, {
    ...{ endUser: 'night', period: 'TOTAL', tokens: 100, onReached: 'PAUSE', expiresAfterSeconds: 60 },
    onExpiry: { mode: 'DEFAULT', output },
  });

describe('a budget', () => {
  it('of an end user has its settings, and nothing is spent', async () => {
    const input = { endUser: 'ada', period: 'DAY', tokens: 1_000_000_000_000, warnAt: 0.8, onReached: 'STOP' };
    const budget = await setBudget(service, input);
    expect(budget).toMatchObject({
      place: 'END_USER',
      deploymentId: null,
      conversationId: null,
      endUser: 'ada',
      period: 'DAY',
      amount: null,
      tokens: 1_000_000_000_000,
      warnAt: 0.8,
      onReached: 'STOP',
      spent: { amount: null, tokens: 0 },
      reserved: { amount: null, tokens: 0 },
      remaining: { amount: null, tokens: 1_000_000_000_000 },
      warnedAt: null,
      reachedAt: null,
    });
    expect(budget.budgetId).toMatch(/^bud_[0-9a-z]{26}$/);
  });

  it('of the environment, a deployment and a conversation names its place', async () => {
    expect(await setBudget(service, TOKENS)).toMatchObject({ place: 'ENVIRONMENT', onReached: 'REFUSE', warnAt: null });
    const ofDeployment = await setBudget(service, { deploymentId: DEMO_CHAT_ID, ...TOKENS });
    expect(ofDeployment).toMatchObject({ place: 'DEPLOYMENT', deployment: { deploymentId: DEMO_CHAT_ID } });
    const { conversation_id: conversationId } = (await service.chat('Hello')).body;
    const budget = await setBudget(service, { conversationId, ...TOKENS });
    expect(budget).toMatchObject({ place: 'CONVERSATION', conversation: { conversationId } });
    const lists = `query ($id: ID!, $deployment: ID!) {
      conversation(id: $id) { budgets { nodes { budgetId } } }
      deployment(id: $deployment) { budgets { nodes { budgetId } } }
      budgets(filter: { place: CONVERSATION, conversationId: $id }) { nodes { budgetId } totalCount } }`;
    const { body } = await service.graphql(lists, { id: conversationId, deployment: DEMO_CHAT_ID });
    expect(body.data).toEqual({
      conversation: { budgets: { nodes: [{ budgetId: budget.budgetId }] } },
      deployment: { budgets: { nodes: [{ budgetId: ofDeployment.budgetId }] } },
      budgets: { nodes: [{ budgetId: budget.budgetId }], totalCount: 1 },
    });
  });

  it('in money is exact to six decimal places', async () => {
    const deployment = await makeWorkspace(service);
    await setPrice(deployment.keys.live);
    const input = { endUser: 'exact', period: 'TOTAL', amount: '999999999.000001' };
    const budget = await setBudget(service, input, deployment.keys.live);
    expect(budget).toMatchObject({
      amount: '999999999.000001',
      tokens: null,
      remaining: { amount: '999999999.000001' },
    });
    await db().budget.updateMany({ where: { id: budget.budgetId }, data: { spent: '0.000000000001' } });
    const read = await readBudget(budget.budgetId, deployment.keys.live);
    expect(read).toMatchObject({
      spent: { amount: '0.000000000001' },
      remaining: { amount: '999999999.000000999999' },
    });
  });

  it.each([
    ['neither amount nor tokens', { period: 'DAY' }, 'amount'],
    ['amount and tokens', { period: 'DAY', amount: '1', tokens: 1 }, 'amount'],
    ['two places', { ...TOKENS, conversationId: DEMO_CHAT_ID, endUser: 'a' }, 'endUser'],
    [
      'a conversation of a deployment',
      { ...TOKENS, conversationId: DEMO_CHAT_ID, deploymentId: DEMO_CHAT_ID },
      'deploymentId',
    ],
    ['an end user and visitors', { ...TOKENS, deploymentId: DEMO_CHAT_ID, endUser: 'a', visitors: true }, 'visitors'],
    ['visitors without a deployment', { ...TOKENS, visitors: true }, 'deploymentId'],
    ['days of a run', { runId: DEMO_CHAT_ID, period: 'DAY', tokens: 1 }, 'period'],
    ['no tokens', { period: 'DAY', tokens: 0 }, 'tokens'],
    ['too many tokens', { period: 'DAY', tokens: LIMITS.budgetTokens + 1 }, 'tokens'],
    ['an amount of 0', { period: 'DAY', amount: '0.000000' }, 'amount'],
    ['a leading 0', { period: 'DAY', amount: '01' }, 'amount'],
    ['seven decimal places', { period: 'DAY', amount: '0.0000001' }, 'amount'],
    ['ten digits', { period: 'DAY', amount: '1000000000' }, 'amount'],
    ['an exponent', { period: 'DAY', amount: '1e3' }, 'amount'],
    ['a warning at 0', { ...TOKENS, warnAt: 0 }, 'warnAt'],
    ['a warning above 1', { ...TOKENS, warnAt: 1.001 }, 'warnAt'],
    ['an empty end user', { ...TOKENS, endUser: ' ' }, 'endUser'],
  ])('with %s is rejected', async (_name, input, field) => {
    expect(await setBudget(service, input)).toMatchObject({ code: 'INVALID_REQUEST', path: [field] });
  });

  it.each<[string, object, string, string]>([
    ['no amount', { approved: true }, 'tokens', 'is required with approved: true. It is what the budget is raised by.'],
    ['the other unit', { approved: true, amount: '5', tokens: 5 }, 'amount', 'does not fit.'],
    ['an amount for nothing', { approved: false, tokens: 5 }, 'tokens', 'does not fit.'],
    ['no decision', { tokens: 5 }, 'approved', 'must be true or false'],
    ['an amount of another type', { approved: true, tokens: '5' }, 'tokens', 'must be a whole number'],
  ])('cannot answer its own question with %s', async (_, output, field, reason) => {
    const error = await setAnswering(output);
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', path: ['onExpiry', 'output', field] });
    expect(error.message).toContain(reason);
  });

  it('answers its own question with an amount, or refuses', async () => {
    for (const output of [{ approved: true, tokens: 5, reason: 'Night' }, { approved: false }]) {
      expect((await setAnswering(output)).__typename).toBeUndefined();
    }
  });

  it('is removed, and can be removed once', async () => {
    const { budgetId, id } = await setBudget(service, { endUser: 'gone', ...TOKENS });
    expect(await removeBudget(service, budgetId)).toMatchObject({ deletedId: id });
    expect(await readBudget(budgetId)).toBeNull();
    expect(await removeBudget(service, budgetId)).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('of another environment is not found', async () => {
    const { budgetId } = await setBudget(service, { endUser: 'mine', ...TOKENS });
    for (const key of [service.keys.test, (await makeWorkspace(service)).keys.live]) {
      expect(await readBudget(budgetId, key)).toBeNull();
      expect(await removeBudget(service, budgetId, key)).toMatchObject({ code: 'NOT_FOUND' });
    }
    const { conversation_id: conversationId } = (await service.chat('Hello')).body;
    const foreign = await setBudget(service, { conversationId, ...TOKENS }, service.keys.test);
    expect(foreign).toMatchObject({ code: 'NOT_FOUND', path: ['conversationId'] });
    const other = await makeWorkspace(service);
    const taken = await setBudget(service, { deploymentId: other.deploymentId, ...TOKENS });
    expect(taken).toMatchObject({ code: 'NOT_FOUND', path: ['deploymentId'] });
  });

  it('is written to the audit log with a digest of the end user', async () => {
    const { budgetId } = await setBudget(service, { endUser: 'ada@example.com', ...TOKENS, warnAt: 0.5 });
    await setBudget(service, { endUser: 'ada@example.com', period: 'TOTAL', tokens: 7 });
    await removeBudget(service, budgetId);
    const entries = await db().auditEntry.findMany({ where: { subjectId: budgetId }, orderBy: { id: 'asc' } });
    expect(entries.map(({ action }) => action)).toEqual(['budget.set', 'budget.set', 'budget.removed']);
    expect(entries[1]?.details).toMatchObject({
      place: 'end_user',
      end_user: expect.stringMatching(/^end_user_/),
      period: 'total',
      tokens: 7,
      warn_at: null,
      on_reached: 'refuse',
      before: { tokens: 1_000_000, warn_at: 0.5 },
    });
    expect(JSON.stringify(entries.map(({ details }) => details))).not.toContain('ada@example.com');
  });

  it('of an erased end user is deleted', async () => {
    const { budgetId } = await setBudget(service, { endUser: 'erased', ...TOKENS });
    await service.send('POST', '/v1/end-users/erase', { body: { end_user: 'erased' } });
    expect(await readBudget(budgetId)).toBeNull();
  });

  it('needs budgets:read to be read, and budgets:write to be changed', async () => {
    const { budgetId } = await setBudget(service, { endUser: 'scoped', ...TOKENS });
    const reader = await makeKey(service, { scopes: ['budgets:read'] });
    const writer = await makeKey(service, { scopes: ['budgets:write'] });
    expect(await readBudget(budgetId, reader)).toMatchObject({ budgetId });
    const body = { end_user: 'scoped', period: 'total', tokens: 1 };
    const status = async (method: 'GET' | 'PUT' | 'DELETE', path: string, key: string) =>
      (await service.send(method, path, { key, ...(method === 'PUT' && { body }) })).status;
    expect(await status('GET', `/v1/budgets/${budgetId}`, writer)).toBe(403);
    expect(await status('PUT', '/v1/budgets', reader)).toBe(403);
    expect(await status('DELETE', `/v1/budgets/${budgetId}`, reader)).toBe(403);
    expect(await status('PUT', '/v1/budgets', writer)).toBe(200);
    expect(await status('DELETE', `/v1/budgets/${budgetId}`, writer)).toBe(204);
  });
});

describe('the same place and period again', () => {
  const input = { endUser: 'again', period: 'TOTAL', tokens: 100, warnAt: 0.5 };
  const spend = (id: string, data: object) => db().budget.updateMany({ where: { id }, data });
  const at = new Date('2026-01-01T00:00:00Z');

  it('replaces the settings and keeps what was spent', async () => {
    const { budgetId } = await setBudget(service, input);
    await spend(budgetId, { spent: 60, reserved: 5, warnedAt: at });
    const replaced = await setBudget(service, { ...input, tokens: 120, onReached: 'STOP' });
    expect(replaced).toMatchObject({ budgetId, tokens: 120, onReached: 'STOP', spent: { tokens: 60 } });
    expect(replaced).toMatchObject({ remaining: { tokens: 55 }, warnedAt: at.toISOString() });
  });

  it('is open again if the new amount leaves room', async () => {
    const { budgetId } = await setBudget(service, input);
    await spend(budgetId, { spent: 100, reserved: 0, warnedAt: at, reachedAt: at });
    expect(await setBudget(service, { ...input, tokens: 90 })).toMatchObject({
      warnedAt: at.toISOString(),
      reachedAt: at.toISOString(),
      remaining: { tokens: 0 },
    });
    expect(await setBudget(service, { ...input, tokens: 150 })).toMatchObject({
      warnedAt: at.toISOString(),
      reachedAt: null,
    });
    expect(await setBudget(service, { ...input, tokens: 1_000 })).toMatchObject({ warnedAt: null, reachedAt: null });
  });

  it('is not reached again, unless it was raised', async () => {
    const mine = { endUser: 'again', period: 'TOTAL' };
    const { budgetId } = await setBudget(service, { ...mine, tokens: 500 });
    const reachedAt = new Date();
    await db().budget.updateMany({ where: { id: budgetId }, data: { spent: 400, reachedAt } });
    expect((await setBudget(service, { ...mine, tokens: 500, onReached: 'STOP' })).reachedAt).not.toBeNull();
    expect((await setBudget(service, { ...mine, tokens: 450 })).reachedAt).not.toBeNull();
    expect((await setBudget(service, { ...mine, tokens: 900 })).reachedAt).toBeNull();
  });

  it('starts at 0 in another unit, without reservations', async () => {
    const { keys, environments } = await makeWorkspace(service);
    await setPrice(keys.live);
    const { budgetId } = await setBudget(service, input, keys.live);
    await spend(budgetId, { spent: 60, reserved: 5, warnedAt: at });
    await db().budgetReservation.create({
      data: {
        ...{ environmentId: environments.live, id: crypto.randomUUID(), budgetId, workId: crypto.randomUUID() },
        ...{ amount: 5, expiresAt: at },
      },
    });
    const inMoney = { endUser: 'again', period: 'TOTAL', amount: '2.5' };
    expect(await setBudget(service, inMoney, keys.live)).toMatchObject({
      budgetId,
      spent: { amount: '0', tokens: null },
      reserved: { amount: '0' },
      remaining: { amount: '2.5' },
      warnedAt: null,
    });
    expect(await db().budgetReservation.count({ where: { budgetId } })).toBe(0);
  });

  it('at the same time is one budget', async () => {
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) => setBudget(service, { ...TOKENS, endUser: 'race', tokens: index + 1 })),
    );
    expect(new Set(results.map(({ budgetId }) => budgetId)).size).toBe(1);
  });
});

describe('the number of budgets', () => {
  it('has a limit that concurrent calls cannot exceed', async () => {
    const { keys, environments } = await makeWorkspace(service);
    const row = { period: 'total', unit: 'tokens', amount: 1, onReached: 'refuse', periodStart: new Date(0) };
    const times = { createdAt: new Date(), updatedAt: new Date() };
    await db().budget.createMany({
      data: Array.from({ length: LIMITS.environmentBudgets - 1 }, (_, index) => ({
        ...{ environmentId: environments.live, id: newTypeId('bud'), place: `end_user:${index}` },
        ...{ endUser: String(index), ...row, ...times },
      })),
    });
    const results = await Promise.all(
      ['a', 'b', 'c'].map((endUser) => setBudget(service, { endUser, ...TOKENS }, keys.live)),
    );
    const rejected = results.filter(({ code }) => code === 'INVALID_REQUEST');
    expect(rejected.map(({ message }) => message)).toEqual(
      Array(2).fill('An environment can have at most 2,000 budgets. Remove one first.'),
    );
    expect(await setBudget(service, { endUser: '1', ...TOKENS }, keys.live)).toMatchObject({ tokens: 1_000_000 });
  });
});

async function readBudget(id: string, key = service.keys.live) {
  const read = `query ($id: ID!) { budget(id: $id) { budgetId spent { amount tokens } remaining { amount tokens } } }`;
  return (await service.graphql(read, { id }, { key })).body.data.budget;
}

async function setPrice(key: string): Promise<void> {
  const price =
    'mutation { setModelPrice(input: { model: "demo", inputPerMillion: 1, outputPerMillion: 1 }) { __typename } }';
  await service.graphql(price, {}, { key });
}

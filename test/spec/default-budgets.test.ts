import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DeploymentSettings } from '../../src/shapes/workflows.ts';
import { textContent } from '../support/agent-apis.ts';
import { setBudget } from '../support/budget-requests.ts';
import { endUserToken } from '../support/end-users.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { resultOf } from '../support/results.ts';
import { workflowsOf } from '../support/workflows.ts';

let parts: ProviderService;
beforeAll(async () => {
  parts = await startProviderService();
});
afterAll(() => parts.close());
beforeEach(async () => {
  await db().budget.deleteMany();
  await db().environment.updateMany({ data: { hasBudgets: false } });
  parts.provider.reply({ kind: 'answer', deltas: ['Hi'], usage: { input: 100, output: 40 } });
});

const db = () => parts.service.service.services.stores.prisma;

const LIMIT = { onReached: 'refuse' } as const;
/** Room for one turn of 140 tokens: a step reserves more than 256, and less than 300. */
const ONE = { ...LIMIT, period: 'total', tokens: 390 } as const;
const MANY = { ...LIMIT, period: 'total', tokens: 100_000 } as const;

/** A public agent with default budgets. */
async function agentWith(
  draft: Parameters<ProviderService['agent']>[0],
  settings: Partial<Pick<DeploymentSettings, 'endUserBudget' | 'visitorBudget'>> = {},
): Promise<string> {
  const id = await parts.agent({ maxReplyTokens: 256, ...draft });
  await db().deployment.update({ where: { id }, data: { authRequired: false, ...settings } as object });
  return id;
}

/** A turn of a caller. Null: without credentials. */
const turn = async (deployment: string, key: string | null, conversation_id?: string) => {
  const body = { content: textContent('Hello'), ...(conversation_id && { conversation_id }) };
  return parts.service.send('POST', `/v2/runner/${deployment}/conversation`, { key, body });
};

const rows = async () => {
  const all = await db().budget.findMany({ orderBy: { createdAt: 'asc' } });
  return all.map(({ place, isDefault, period, unit, amount, spent }) => ({
    ...{ place: place.split(/[:@]/, 1)[0], isDefault, period, unit },
    ...{ amount: amount.toNumber(), spent: spent.toNumber() },
  }));
};

const age = () => db().$executeRaw`UPDATE budget SET created_at = now() - interval '2 hours'`;

const dead = async () => {
  const { deleteEndedDefaults } = await import('../../src/domain/budgets/default-budgets.ts');
  await deleteEndedDefaults(parts.service.service.services.stores.sql);
};

const key = () => parts.service.keys.live;

describe('the default budget of conversations', () => {
  it('is one for each conversation, and refuses its next turn when it is used up', async () => {
    const agent = await agentWith({ conversationBudget: ONE });
    const { body } = await turn(agent, key());
    expect(body.run_status).toBe('completed');
    expect(await rows()).toEqual([
      { place: 'conversation', isDefault: true, period: 'total', unit: 'tokens', amount: 390, spent: 140 },
    ]);
    expect((await turn(agent, key(), body.conversation_id)).body.error.code).toBe('budget_reached');
    expect((await turn(agent, key())).status).toBe(200);
  });

  it('has the settings of today, and keeps what was spent unless the unit changes', async () => {
    const agent = await agentWith({ conversationBudget: ONE });
    const { workflowId, publishedVersion } = await db().deployment.findUniqueOrThrow({ where: { id: agent } });
    const publish = async (conversationBudget: object | null) => {
      await workflowsOf(parts.service).updateWorkflow({ id: workflowId, input: { draft: { conversationBudget } } });
      resultOf(await workflowsOf(parts.service).publish({ id: workflowId, deployments: [agent] }));
    };
    const { body } = await turn(agent, key());
    await publish({ period: 'TOTAL', tokens: 100_000 });
    await turn(agent, key(), body.conversation_id);
    expect(await rows()).toMatchObject([{ amount: 100_000, spent: 280 }]);
    await publish({ period: 'DAY', tokens: 100_000 });
    await turn(agent, key(), body.conversation_id);
    expect(await rows()).toMatchObject([
      { period: 'total', spent: 280 },
      { period: 'day', spent: 140 },
    ]);
    await publish(null);
    await turn(agent, key(), body.conversation_id);
    expect(await rows()).toMatchObject([{ spent: 280 }, { spent: 140 }]);
    expect(publishedVersion).toBe(1);
    await db().budget.updateMany({ where: { period: 'total' }, data: { unit: 'money' } });
    await publish({ period: 'TOTAL', tokens: 100_000 });
    await turn(agent, key(), body.conversation_id);
    expect((await rows())[0]).toMatchObject({ unit: 'tokens', spent: 140 });
  });

  it('is replaced by a budget of the conversation, and is listed only there', async () => {
    const agent = await agentWith({ conversationBudget: ONE });
    const { conversation_id: conversationId } = (await turn(agent, key())).body;
    const list = async (query: string) => (await parts.service.send('GET', `/v1/budgets${query}`)).body.data;
    expect(await list('')).toEqual([]);
    expect(await list(`?conversation_id=${conversationId}`)).toMatchObject([
      { is_default: true, spent: { tokens: 140 } },
    ]);
    await setBudget(parts.service, { conversationId, period: 'TOTAL', tokens: 200_000 });
    await turn(agent, key(), conversationId);
    expect(await rows()).toMatchObject([{ isDefault: false, amount: 200_000, spent: 280 }]);
  });

  it('is not exceeded by parallel turns', async () => {
    const agent = await agentWith({}, { endUserBudget: { ...MANY, tokens: 2_000 } });
    const token = await endUserToken(parts.service, agent, 'many');
    parts.provider.reply({ kind: 'answer', deltas: ['Hi'], usage: { input: 5, output: 256 } });
    const replies = await Promise.all(Array.from({ length: 20 }, () => turn(agent, token)));
    const [row] = await rows();
    const done = replies.filter(({ body }) => body.finish_reason === 'stop').length;
    expect(row?.spent).toBe(done * 261);
    expect(row?.spent).toBeLessThanOrEqual(2_000);
    expect(done).toBeGreaterThan(4);
    expect(await rows()).toHaveLength(1);
  });
});

describe('the default budget of runs', () => {
  it('is one for each turn and one-shot run', async () => {
    const agent = await agentWith({ runBudget: { ...LIMIT, tokens: 750 } });
    const { body } = await turn(agent, key());
    await turn(agent, key(), body.conversation_id);
    await parts.service.send('POST', `/v1/runner/${agent}`, { body: { content: textContent('Hello') } });
    expect(await rows()).toMatchObject(Array(3).fill({ place: 'run', amount: 750, spent: 140 }));
  });

  it('ends a turn whose next step has no room', async () => {
    const agent = await agentWith({ runBudget: { ...LIMIT, tokens: 700 }, allowConversationCompletion: false });
    parts.provider.reply({
      kind: 'answer',
      calls: [{ name: 'nothing', arguments: '{}' }],
      usage: { input: 400, output: 256 },
    });
    expect((await turn(agent, key())).body).toMatchObject({ run_status: 'interrupted', finish_reason: 'budget' });
  });

  it('is deleted an hour after its run has ended', async () => {
    const agent = await agentWith({ runBudget: { ...LIMIT, tokens: 750 }, conversationBudget: MANY });
    const { body } = await turn(agent, key());
    await dead();
    expect(await rows()).toHaveLength(2);
    await age();
    await db().run.updateMany({ where: { id: body.run_id }, data: { status: 'running' } });
    await dead();
    expect(await rows()).toHaveLength(2);
    await db().run.updateMany({ where: { id: body.run_id }, data: { status: 'completed' } });
    await dead();
    expect(await rows()).toMatchObject([{ place: 'conversation' }]);
  });
});

describe('the default budgets of a deployment', () => {
  it('are one for each end user', async () => {
    const agent = await agentWith({}, { endUserBudget: ONE });
    const [ana, ben] = await Promise.all(['ana', 'ben'].map((user) => endUserToken(parts.service, agent, user)));
    for (const token of [ana, ben]) expect((await turn(agent, token ?? null)).status).toBe(200);
    expect((await turn(agent, ana ?? null)).status).toBe(402);
    expect(await rows()).toMatchObject([
      { place: 'end_user', spent: 140 },
      { place: 'end_user', spent: 140 },
    ]);
    expect((await turn(agent, key())).status).toBe(200);
    expect((await turn(agent, null)).status).toBe(200);
  });

  it('are one for all visitors together, who do not use up those of others', async () => {
    const agent = await agentWith({}, { visitorBudget: ONE, endUserBudget: ONE });
    const once = () =>
      parts.service.send('POST', `/v1/runner/${agent}`, { key: null, body: { content: textContent('Hello') } });
    expect((await once()).status).toBe(200);
    expect([(await turn(agent, null)).status, (await once()).status]).toEqual([402, 402]);
    expect(await rows()).toMatchObject([{ place: 'visitors', spent: 140 }]);
    expect((await turn(agent, await endUserToken(parts.service, agent, 'ana'))).status).toBe(200);
  });

  it('are set with the deployment, and read again', async () => {
    const agent = await agentWith({});
    const document = `mutation ($input: UpdateDeploymentInput!) { updateDeployment(input: $input) {
      __typename ... on UpdateDeploymentPayload { deployment { endUserBudget { period amount tokens warnAt onReached } visitorBudget { tokens } } }
      ... on Error { code message path } } }`;
    const update = async (input: object) => {
      const { body } = await parts.service.graphql(document, { input: { deploymentId: agent, ...input } });
      return body.data.updateDeployment;
    };
    const endUserBudget = { period: 'DAY', tokens: 9_000, warnAt: 0.5 };
    expect((await update({ endUserBudget, visitorBudget: { period: 'DAY', tokens: 1 } })).deployment).toEqual({
      endUserBudget: { ...endUserBudget, amount: null, onReached: 'REFUSE' },
      visitorBudget: { tokens: 1 },
    });
    expect((await turn(agent, null)).status).toBe(402);
    expect((await update({ visitorBudget: null })).deployment).toMatchObject({ visitorBudget: null });
    expect((await turn(agent, null)).status).toBe(200);
    const both = { period: 'DAY', tokens: 1, amount: '1' };
    expect(await update({ visitorBudget: both })).toMatchObject({
      code: 'INVALID_REQUEST',
      path: ['visitorBudget', 'amount'],
    });
  });
});

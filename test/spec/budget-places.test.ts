import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { setBudget } from '../support/budget-requests.ts';
import { endUserToken } from '../support/end-users.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';

let parts: ProviderService;
let agent: string;
let open: string;
beforeAll(async () => {
  parts = await startProviderService();
  agent = await parts.agent({ maxReplyTokens: 256, clientTools: [{ name: 'weather' }] });
  open = await parts.agent({ maxReplyTokens: 256 });
  await db().deployment.update({ where: { id: open }, data: { authRequired: false } });
});
afterAll(() => parts.close());
beforeEach(async () => {
  await db().budget.deleteMany();
  parts.provider.reply({ kind: 'answer', deltas: ['Hi'], usage: { input: 100, output: 40 } });
});

const db = () => parts.service.service.services.stores.prisma;

const TOKENS = { period: 'TOTAL', tokens: 100_000 };

const set = async (input: object) => {
  const budget = await setBudget(parts.service, { ...TOKENS, ...input });
  const spent = async () => (await db().budget.findFirstOrThrow({ where: { id: budget.budgetId } })).spent.toNumber();
  return { budget, spent };
};

/** A turn of a caller. Null: without credentials. */
const turn = async (deployment: string, key: string | null, fields: object = {}) => {
  const body = { content: textContent('Hello'), ...fields };
  return parts.service.send('POST', `/v2/runner/${deployment}/conversation`, { key, body });
};

const WEATHER = 'weather';

describe('a budget of a run', () => {
  /** A turn that waits for a client, and its request to continue it. */
  async function waiting(key = parts.service.keys.live) {
    parts.provider.reply({
      kind: 'answer',
      calls: [{ name: 'weather', arguments: '{}' }],
      usage: { input: 100, output: 40 },
    });
    const { body } = await turn(agent, key, { client_capabilities: [WEATHER] });
    expect(body.run_status).toBe('waiting_for_client_action');
    const results = [{ call_id: body.client_tool_calls[0].call_id, output: { sky: 'blue' } }];
    const { conversation_id } = body;
    const go = () =>
      parts.service.send('POST', `/v2/runner/${agent}/conversation`, {
        body: { conversation_id, tool_results: results, client_capabilities: [WEATHER] },
      });
    return { conversation_id, runId: body.run_id as string, go };
  }

  it('counts its steps, and names the run', async () => {
    const { runId, go, conversation_id } = await waiting();
    const { budget, spent } = await set({ runId });
    expect(budget).toMatchObject({ place: 'RUN', runId, run: { runId }, conversationId: null });
    parts.provider.reply({ kind: 'answer', deltas: ['Hi'], usage: { input: 100, output: 40 } });
    expect((await go()).body.run_status).toBe('completed');
    expect(await spent()).toBe(140);
    await turn(agent, parts.service.keys.live, { conversation_id });
    expect(await spent()).toBe(140);
  });

  it('refuses to continue its run when it is used up, until it is raised', async () => {
    const { runId, go } = await waiting();
    await set({ runId, tokens: 10 });
    expect((await go()).body.error).toMatchObject({ code: 'budget_reached', period_ends_at: null });
    await set({ runId });
    parts.provider.reply({ kind: 'answer', deltas: ['Hi'], usage: { input: 100, output: 40 } });
    expect((await go()).body).toMatchObject({ run_status: 'completed', finish_reason: 'stop' });
  });

  it('is listed by its run, and deleted with its conversation', async () => {
    const { runId } = await waiting(await endUserToken(parts.service, agent, 'erased'));
    const { budget } = await set({ runId });
    const list = async () => (await parts.service.send('GET', `/v1/budgets?run_id=${runId}`)).body.data;
    expect(await list()).toMatchObject([{ id: budget.budgetId, place: 'run', run_id: runId }]);
    await parts.service.send('POST', '/v1/end-users/erase', { body: { end_user: 'erased' } });
    expect(await list()).toEqual([]);
  });

  it('is refused if the run has ended, or is not known', async () => {
    const { body } = await turn(agent, parts.service.keys.live);
    const ended = await setBudget(parts.service, { runId: body.run_id, ...TOKENS });
    expect(ended).toMatchObject({ code: 'INVALID_REQUEST', path: ['runId'] });
    expect(ended.message).toContain('has ended');
    const unknown = await setBudget(parts.service, { runId: agent, ...TOKENS });
    expect(unknown).toMatchObject({ code: 'NOT_FOUND', path: ['runId'] });
  });
});

describe('a budget of an end user at a deployment', () => {
  it('counts their turns there alone', async () => {
    const { budget, spent } = await set({ deploymentId: agent, endUser: 'ana' });
    expect(budget).toMatchObject({ place: 'END_USER', deploymentId: agent, endUser: 'ana' });
    const everywhere = await set({ endUser: 'ana' });
    await turn(agent, await endUserToken(parts.service, agent, 'ana'));
    await turn(agent, await endUserToken(parts.service, agent, 'ben'));
    await turn(open, await endUserToken(parts.service, open, 'ana'));
    expect([await spent(), await everywhere.spent()]).toEqual([140, 280]);
  });
});

describe('a budget of the visitors of a deployment', () => {
  it('counts the turns of all callers without an identity', async () => {
    const { budget, spent } = await set({ deploymentId: open, visitors: true });
    expect(budget).toMatchObject({ place: 'VISITORS', deploymentId: open, endUser: null });
    const list = async (query: string) => (await parts.service.send('GET', `/v1/budgets?${query}`)).body.data.length;
    expect(await Promise.all(['place=visitors', 'place=deployment'].map(list))).toEqual([1, 0]);
    const { body } = await turn(open, null);
    await turn(open, null);
    await turn(open, parts.service.keys.live);
    await turn(open, await endUserToken(parts.service, open, 'ana'));
    expect(await spent()).toBe(280);
    await turn(open, null, { conversation_id: body.conversation_id });
    await parts.service.send('POST', `/v1/runner/${open}`, { key: null, body: { content: textContent('Hello') } });
    expect(await spent()).toBe(560);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { Prisma } from '../../src/db/generated/client.ts';
import { continueAffordable } from '../../src/domain/agent/queue/affordable-runs.ts';
import { textContent } from '../support/agent-apis.ts';
import { PausedTurns, REPLY } from '../support/paused-turns.ts';
import type { ProviderService } from '../support/provider-service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let turns: PausedTurns;
let parts: ProviderService;
let agent: string;
let member: string;
beforeAll(async () => {
  turns = await PausedTurns.start();
  ({ parts, agent, member } = turns);
});
afterAll(() => parts.close());
beforeEach(() => turns.reset());

const db = () => turns.db;

const pausing: PausedTurns['pausing'] = (fields) => turns.pausing(fields);
const waiting = () => turns.waiting();
const answer: PausedTurns['answer'] = (...given) => turns.answer(...given);
const runOf = (id: string) => turns.runOf(id);

/** A default budget without room for a step. */
const VISITORS = { period: 'total', tokens: 200, onReached: 'pause' } as const;

const ended = (id: string) =>
  until(async () => {
    const run = await runOf(id);
    return !['running', 'waiting_for_client_action'].includes(run.status) && run;
  });

/** Sets the deadline of a call to now. */
const expire = (callId: string) =>
  db().timelineItem.updateMany({ where: { callId }, data: { expiresAt: new Date(0) } });

describe('the question about a budget', () => {
  it('rejects an answer with a misspelled amount', async () => {
    await pausing();
    const { status, body } = await answer(await waiting(), { approved: true, token: 5_000 });
    expect([status, body.error.code]).toEqual([400, 'invalid_tool_result']);
    expect(body.error.message).toContain('can have only approved, amount, tokens and reason');
  });

  it('is not asked by a model, even if an older workflow has a tool of this name', async () => {
    const own = await parts.agent({ clientTools: [{ name: 'raise_budget', availability: 'always' }] });
    const args = JSON.stringify({ budget_id: 'bud_x', approver: 'either', anonymous: true });
    parts.provider.reply({ kind: 'answer', calls: [{ name: 'raise_budget', arguments: args }] }, REPLY);
    expect((await parts.turn(own)).body).toMatchObject({ run_status: 'completed', client_tool_calls: [] });
    expect(JSON.stringify(parts.provider.requests.at(-1)?.body)).toContain('There is no tool raise_budget.');
  });

  it("leaves a visitor's run in the budget of visitors", async () => {
    const { id: open } = await makeDeployment(
      parts.service,
      { maxReplyTokens: 256 },
      { kind: 'agent', authRequired: false },
    );
    await pausing({ place: `visitors:${open}` });
    const path = `/v2/runner/${open}/conversation`;
    const { body } = await parts.service.send('POST', path, { key: null, body: { content: textContent('Hello') } });
    const [{ call_id }] = body.client_tool_calls;
    const results = [{ call_id, output: { approved: true, tokens: 1_000 } }];
    const resumed = await parts.service.send('POST', path, {
      body: { conversation_id: body.conversation_id, tool_results: results },
      headers: { authorization: `Bearer ${member}` },
    });
    expect(resumed.body.run_status).toBe('completed');
    expect(Number((await db().budget.findFirstOrThrow()).spent)).toBe(140);
  });

  it('is asked for a limited number of turns, and later ones are refused', async () => {
    const id = await pausing();
    const { runId, conversationId } = await waiting();
    const { environmentId: of, step } = await db().timelineItem.findFirstOrThrow({
      where: { runId, kind: 'client_tool' },
    });
    const call = { environmentId: of, conversationId, runId, step, kind: 'client_tool', status: 'pending' } as const;
    const rest = {
      name: 'raise_budget',
      arguments: { budget_id: id, needed: '1000000' },
      revision: 1,
      createdAt: new Date(),
    };
    await db().timelineItem.createMany({
      data: Array.from({ length: LIMITS.budgetWaits - 1 }, (_, index) => ({
        ...call,
        ...rest,
        callId: `call_${index}`,
      })),
    });
    const { status, body } = await parts.turn(agent);
    expect([status, body.error?.code]).toEqual([402, 'budget_reached']);
  });
});

describe('a turn that waits for a budget', () => {
  it('ends after its deadline, without an answer', async () => {
    await pausing();
    const { runId, callId, call } = await waiting();
    const leftMs = Date.parse(call.expires_at) - Date.now();
    expect(leftMs).toBeGreaterThan(7 * 86_400_000 - 60_000);
    expect(leftMs).toBeLessThan(7 * 86_400_000 + 60_000);
    await expire(callId);
    expect(await ended(runId)).toMatchObject({ status: 'interrupted', errorCode: 'budget_reached' });
  });

  it('gets what the budget says after its deadline', async () => {
    const onExpiry = { mode: 'default', output: { approved: true, tokens: 2_000 } };
    const id = await pausing({ expiresAfterSeconds: 60, onExpiry });
    const { runId, callId, call } = await waiting();
    expect(Date.parse(call.expires_at) - Date.now()).toBeLessThan(60_000);
    await expire(callId);
    expect(await ended(runId)).toMatchObject({ status: 'completed', errorCode: null });
    expect(Number((await db().budget.findFirstOrThrow({ where: { id } })).raised)).toBe(2_000);
  });

  it('continues when the next period has begun, and a late answer raises nothing', async () => {
    const id = await pausing({ period: 'day', amount: 400, periodStart: new Date() });
    await db().budget.updateMany({ where: { id }, data: { spent: 390 } });
    const { runId, callId, call, conversationId } = await waiting();
    const args = (await db().timelineItem.findFirstOrThrow({ where: { callId } })).arguments as object;
    // As on the next day.
    await db().budget.updateMany({ where: { id }, data: { periodStart: new Date(Date.now() - 86_400_000) } });
    await db().timelineItem.updateMany({
      where: { callId },
      data: { arguments: { ...args, period_ends_at: new Date(Date.now() - 1_000).toISOString() } },
    });
    const late = answer({ conversationId, callId }, { approved: true, tokens: 7 });
    expect((await ended(runId)).status).toBe('completed');
    expect([200, 409]).toContain((await late).status);
    expect(call.name).toBe('raise_budget');
    const { raised, spent } = await db().budget.findFirstOrThrow({ where: { id } });
    expect([Number(raised), Number(spent)]).toEqual([0, 140]);
  });

  it('continues next to a call of another tool with the same name', async () => {
    const id = await pausing();
    const other = await waiting();
    const odd = { budget_id: 'x', needed: 'much', period_ends_at: 'soon' };
    await db().timelineItem.updateMany({ where: { callId: other.callId }, data: { arguments: odd } });
    const { runId } = await waiting();
    await db().budget.updateMany({ where: { id }, data: { amount: 10_000 } });
    expect((await ended(runId)).status).toBe('completed');
  });

  it('continues as many turns as fit, the oldest first', async () => {
    const id = await pausing();
    const first = await waiting();
    const second = await waiting();
    const third = await waiting();
    const { arguments: args } = await db().timelineItem.findFirstOrThrow({ where: { callId: first.callId } });
    const needed = Number((args as { readonly needed: string }).needed);
    // Each turn spends 140 of what it needs at most. So two fit, one after the other.
    await db().budget.updateMany({ where: { id }, data: { amount: needed + 140 } });
    expect((await ended(first.runId)).status).toBe('completed');
    expect((await ended(second.runId)).status).toBe('completed');
    expect((await runOf(third.runId)).status).toBe('waiting_for_client_action');
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['is raised by setBudget', (id) => db().budget.updateMany({ where: { id }, data: { amount: 10_000 } })],
    ['is removed', (id) => db().budget.deleteMany({ where: { id } })],
  ])('continues when the budget %s', async (_what, change) => {
    const id = await pausing();
    const { runId } = await waiting();
    await change(id);
    expect((await ended(runId)).status).toBe('completed');
  });

  it.each<[string, object]>([
    ['is raised', { visitorBudget: { ...VISITORS, tokens: 10_000 } }],
    ['has another period', { visitorBudget: { ...VISITORS, period: 'day', tokens: 10_000 } }],
    ['is removed', { visitorBudget: Prisma.DbNull }],
  ])('continues when the default budget %s', async (_what, data) => {
    const settings = { kind: 'agent', authRequired: false } as const;
    const { id } = await makeDeployment(parts.service, { maxReplyTokens: 256 }, settings);
    await db().environment.updateMany({ data: { hasBudgets: true } });
    await db().deployment.update({ where: { id }, data: { visitorBudget: VISITORS } });
    const { body } = await parts.service.send('POST', `/v2/runner/${id}/conversation`, {
      key: null,
      body: { content: textContent('Hello') },
    });
    expect(body.run_status).toBe('waiting_for_client_action');
    await db().deployment.update({ where: { id }, data });
    expect((await ended(body.run_id)).status).toBe('completed');
  });

  it('does not continue while its default budget stays as it is', async () => {
    const settings = { kind: 'agent', authRequired: false } as const;
    const { id } = await makeDeployment(parts.service, { maxReplyTokens: 256 }, settings);
    await db().deployment.update({ where: { id }, data: { visitorBudget: VISITORS } });
    const { body } = await parts.service.send('POST', `/v2/runner/${id}/conversation`, {
      key: null,
      body: { content: textContent('Hello') },
    });
    await continueAffordable(parts.service.service.services);
    expect((await runOf(body.run_id)).status).toBe('waiting_for_client_action');
  });

  it('ends when it may no longer wait', async () => {
    const id = await pausing();
    const { runId } = await waiting();
    await db().budget.updateMany({ where: { id }, data: { onReached: 'refuse' } });
    expect(await ended(runId)).toMatchObject({ status: 'interrupted', finishReason: 'budget' });
  });
});

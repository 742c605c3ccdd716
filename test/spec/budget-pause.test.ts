import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { ledgerOf, makeBudget } from '../support/budgets.ts';
import type { FakeReply } from '../support/fake-provider.ts';
import { PausedTurns, REPLY } from '../support/paused-turns.ts';
import type { ProviderService } from '../support/provider-service.ts';
import { DEMO_CHAT_ID } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let turns: PausedTurns;
let parts: ProviderService;
let environmentId: string;
let agent: string;
let member: string;
let viewer: string;
beforeAll(async () => {
  turns = await PausedTurns.start();
  ({ parts, environmentId, agent, member } = turns);
  viewer = await openSession(parts.service, 'viewer');
});
afterAll(() => parts.close());
beforeEach(() => turns.reset());

const db = () => turns.db;

const CALL: FakeReply = {
  kind: 'answer',
  calls: [{ name: 'complete_conversation', arguments: '{}' }],
  usage: { input: 100, output: 40 },
};

const pausing: PausedTurns['pausing'] = (fields) => turns.pausing(fields);
const waiting = () => turns.waiting();
const answer: PausedTurns['answer'] = (...given) => turns.answer(...given);
const runOf = (id: string) => turns.runOf(id);

describe('a budget that pauses', () => {
  it('asks a member before the model, and the raised turn continues', async () => {
    const id = await pausing();
    const asked = parts.provider.requests.length;
    const paused = await waiting();
    expect(paused.call).toEqual(expect.objectContaining({ name: 'raise_budget', arguments: {} }));
    expect(parts.provider.requests).toHaveLength(asked);
    const { status, body } = await answer(paused, { approved: true, tokens: 1_000 });
    expect([status, body.run_status, body.content, body.run_id]).toEqual([200, 'completed', 'Hi', paused.runId]);
    expect(await ledgerOf(db(), id)).toEqual({ spent: 140, reserved: 0, held: 0 });
    const { amount, raised, reachedAt } = await db().budget.findFirstOrThrow({ where: { id } });
    expect([Number(amount), Number(raised), reachedAt]).toEqual([200, 1_000, null]);
  });

  it('asks between two steps, and the turn keeps what it has done', async () => {
    const id = await pausing({ amount: 500 });
    parts.provider.reply(CALL, REPLY);
    const paused = await waiting();
    expect(await ledgerOf(db(), id)).toEqual({ spent: 140, reserved: 0, held: 0 });
    const { body } = await answer(paused, { approved: true, tokens: 1_000 });
    expect([body.run_status, body.content, body.conversation_status]).toEqual(['completed', 'Hi', 'active']);
    expect(await ledgerOf(db(), id)).toEqual({ spent: 280, reserved: 0, held: 0 });
    const request = JSON.stringify(parts.provider.requests.at(-1)?.body);
    expect(request).toContain('complete_conversation');
    expect(request).not.toContain('raise_budget');
  });

  it('asks again if it was raised by too little, and a repeated answer gets its own outcome', async () => {
    await pausing();
    const first = await waiting();
    const again = (await answer(first, { approved: true, tokens: 1 })).body;
    expect(again.run_status).toBe('waiting_for_client_action');
    const [call] = again.client_tool_calls;
    expect(call.call_id).not.toBe(first.callId);
    const second = { ...first, callId: call.call_id };
    const done = await answer(second, { approved: true, tokens: 1_000 });
    expect(done.body.run_status).toBe('completed');
    expect((await answer(second, { approved: true, tokens: 1_000 })).body.run_status).toBe('completed');
    const repeated = (await answer(first, { approved: true, tokens: 1 })).body;
    expect([repeated.run_status, repeated.client_tool_calls[0].call_id]).toEqual([
      'waiting_for_client_action',
      second.callId,
    ]);
    expect(Number((await db().budget.findFirstOrThrow()).raised)).toBe(1_001);
  });

  it('ends the turn if the member refuses', async () => {
    await pausing();
    const paused = await waiting();
    const { status, body } = await answer(paused, { approved: false, reason: 'Too much.' });
    expect([status, body.run_status, body.content]).toEqual([200, 'interrupted', '']);
    const run = await runOf(paused.runId);
    expect([run.status, run.errorCode]).toEqual(['interrupted', 'budget_reached']);
  });

  it('shows its amounts to members who can raise it, and to nobody else', async () => {
    const id = await pausing({ unit: 'money', amount: '0.5' });
    await parts.service.graphql(
      'mutation { setModelPrice(input: { model: "openai-compatible:test", inputPerMillion: 10000, outputPerMillion: 20000 }) { __typename } }',
    );
    const { callId } = await waiting();
    const query = `{ pendingActions { nodes { callId name approver answerableBy arguments builtInArguments {
      ... on RaiseBudgetArguments { budgetId place period limit { amount } spent { amount } needed { amount } periodEndsAt approver } } } } }`;
    const read = async (session?: string) => {
      const headers = session === undefined ? {} : { authorization: `Bearer ${session}` };
      const { body } = await parts.service.graphql(query, {}, { headers });
      return body.data.pendingActions.nodes.find((node: { callId: string }) => node.callId === callId);
    };
    expect(await read(member)).toMatchObject({
      name: 'raise_budget',
      approver: 'MEMBER',
      answerableBy: ['MEMBER'],
      builtInArguments: {
        budgetId: id,
        place: 'ENVIRONMENT',
        period: 'TOTAL',
        limit: { amount: '0.5' },
        spent: { amount: '0' },
        periodEndsAt: null,
        approver: 'MEMBER',
      },
    });
    expect(await read(viewer)).toMatchObject({ arguments: {}, builtInArguments: null });
    expect(await read()).toMatchObject({ arguments: {}, builtInArguments: null });
  });

  it.each<[string, object, string]>([
    ['no decision', {}, 'approved'],
    ['money', { approved: true, amount: '5' }, 'amount'],
    ['a negative number', { approved: true, tokens: -1 }, 'tokens'],
    ['a raise with a refusal', { approved: false, tokens: 5 }, 'tokens'],
  ])('rejects an answer with %s, and names the field', async (_what, output, field) => {
    await pausing();
    const { status, body } = await answer(await waiting(), output);
    expect([status, body.error.code, body.error.param]).toEqual([
      400,
      'invalid_tool_result',
      `tool_results[0].output.${field}`,
    ]);
  });

  it('is raised by nobody but members who write', async () => {
    await pausing();
    const paused = await waiting();
    for (const session of [viewer, null]) {
      const { status, body } = await answer(paused, { approved: true, tokens: 1_000 }, session);
      expect([status, body.error?.code]).toEqual([403, 'forbidden']);
    }
  });

  it('records who raised it, and by how much', async () => {
    const id = await pausing();
    await answer(await waiting(), { approved: true, tokens: 1_000 });
    const entry = await db().auditEntry.findFirstOrThrow({
      where: { action: 'action.answered' },
      orderBy: { id: 'desc' },
    });
    expect(entry.details).toMatchObject({ tool: 'raise_budget', approved: true, budget_id: id, raised_by: '1000' });
  });

  it('does not wait if another budget that is used up refuses', async () => {
    await pausing();
    await makeBudget(db(), { environmentId, amount: 200, period: 'month', periodStart: new Date() });
    const { status, body } = await parts.turn(agent);
    expect([status, body.error?.code]).toEqual([402, 'budget_reached']);
  });

  it('refuses turns that cannot wait', async () => {
    await pausing();
    const message = { content: textContent('Hello') };
    const turns = await parts.service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { body: message });
    expect([turns.status, turns.body.error.code]).toEqual([402, 'budget_reached']);
  });
});

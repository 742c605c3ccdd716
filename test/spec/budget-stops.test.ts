import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { setBudget } from '../support/budget-requests.ts';
import { changeVersion, makeBudget } from '../support/budgets.ts';
import { dictate } from '../support/dictation.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { until } from '../support/until.ts';

let parts: ProviderService;
let agent: string;
beforeAll(async () => {
  parts = await startProviderService();
});
afterAll(() => parts.close());

beforeEach(async () => {
  await db().budget.deleteMany();
  agent = await parts.agent({ maxReplyTokens: 256 });
});

const db = () => parts.service.service.services.stores.prisma;

/** A budget of the deployment that stops, with room for some steps. */
async function stopping(fields: object = {}): Promise<void> {
  const { id: environmentId } = await db().environment.findFirstOrThrow({ where: { kind: 'live' } });
  await makeBudget(db(), {
    environmentId,
    place: `deployment:${agent}`,
    amount: 100_000,
    onReached: 'stop',
    ...fields,
  });
}

/** A turn whose reply the test dictates. */
async function running() {
  const dictation = dictate(parts.provider);
  const asked = parts.provider.nextRequest();
  const turn = parts.turn(agent);
  await asked;
  return { dictation, turn };
}

const runOnce = () => parts.service.send('POST', `/v1/runner/${agent}`, { body: { content: textContent('Hello') } });

describe('a budget that stops, and running turns', () => {
  it('stops them when a later step of a one-shot run finds no room', async () => {
    await stopping();
    const { dictation, turn } = await running();
    async function* usingItUp() {
      await db().budget.updateMany({ data: { spent: 99_999 } });
      yield { deltas: ['So'] };
    }
    const calls = [{ name: 'complete_conversation', arguments: '{}' }];
    parts.provider.reply({ kind: 'dictated', pieces: usingItUp(), calls, usage: { input: 100, output: 40 } });
    const once = await runOnce();
    expect([once.status, once.body.finish_reason]).toEqual([200, 'budget']);
    expect((await turn).body).toMatchObject({ run_status: 'interrupted', finish_reason: 'stopped' });
    dictation.end();
  });

  it('stops them when it is set below what is spent', async () => {
    await stopping();
    const { dictation, turn } = await running();
    await db().budget.updateMany({ data: { spent: 500 } });
    const set = (tokens: number) =>
      setBudget(parts.service, { deploymentId: agent, period: 'TOTAL', tokens, onReached: 'STOP' });
    expect(await set(501)).toMatchObject({ spent: { tokens: 500 } });
    dictation.say('Once there');
    await until(async () => (await db().liveText.count()) > 0);
    await set(400);
    expect((await turn).body).toMatchObject({ finish_reason: 'stopped', content: 'Once there' });
    dictation.end();
  });

  it('leaves them alone when a model without a price is asked for, or one with a longer reply', async () => {
    const [model, input, output] = ['openai-compatible:test', 10, 10];
    const { workspaceId } = await db().environment.findFirstOrThrow();
    const price = { workspaceId, model, inputPerMillion: input, outputPerMillion: output, updatedAt: new Date() };
    await db().modelPrice.create({ data: price });
    await stopping({ unit: 'money', amount: '0.06' });
    const { dictation, turn } = await running();
    const ask = async (config: object) => {
      await changeVersion(db(), agent, config);
      expect((await runOnce()).status).toBe(402);
    };
    await ask({ model: 'openai-compatible:unpriced' });
    await ask({ model, maxReplyTokens: 128_000 });
    dictation.say('Hi');
    dictation.end();
    expect((await turn).body).toMatchObject({ run_status: 'completed', content: 'Hi' });
    await db().modelPrice.deleteMany();
  });
});

it('a turn whose whole prompt does not fit is refused, and the next attempt has its message once', async () => {
  const tools = [{ name: 'look', description: 'x'.repeat(4_000) }];
  const large = await parts.agent({ maxReplyTokens: 256, clientTools: tools });
  await stopping({ place: 'environment', amount: 2_000, onReached: 'refuse' });
  const fields = { client_capabilities: ['look'] };
  const path = `/v2/runner/${large}/conversation`;
  const send = (body: object) => parts.service.send('POST', path, { body: { ...fields, ...body } });
  const content = textContent('Hello');
  const { status, body } = await send({ content });
  expect([status, body.error.code]).toEqual([402, 'budget_reached']);
  expect(body.error).toMatchObject({ conversation_id: expect.any(String), run_id: expect.any(String) });
  const { spent, reserved } = await db().budget.findFirstOrThrow();
  expect([spent.toNumber(), reserved.toNumber()]).toEqual([0, 0]);
  await db().budget.updateMany({ data: { amount: 20_000 } });
  parts.provider.reply({ kind: 'answer', deltas: ['Hi'], usage: { input: 100, output: 40 } });
  expect(await send({ content, conversation_id: body.error.conversation_id })).toMatchObject({
    status: 200,
    body: { content: 'Hi' },
  });
  const messages = await db().timelineItem.count({
    where: { conversationId: body.error.conversation_id, role: 'user' },
  });
  expect(messages).toBe(1);
});

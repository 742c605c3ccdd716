import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeOrphanedMessages } from '../../src/domain/agent/recovery/orphaned-messages.ts';
import { textContent } from '../support/agent-apis.ts';
import { CAPABLE, lookup, resume } from '../support/agent-turns.ts';
import { LIST, labels } from '../support/conversation-search.ts';
import { wrongUsage } from '../support/conversation-usage.ts';
import { loseRun } from '../support/lose-run.ts';
import { mutationOf } from '../support/results.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const db = () => service.service.services.stores.prisma;

/** A started conversation with a label. */
async function start(script = 'Hello', fields: object = {}): Promise<string> {
  const { body } = await service.agentTurn(script, fields);
  return body.conversation_id;
}

const usageOf = (id: string) =>
  db().conversation.findFirstOrThrow({
    where: { id },
    select: {
      turns: true,
      failures: true,
      inputTokens: true,
      cachedInputTokens: true,
      cacheWriteTokens: true,
      outputTokens: true,
      responseTimeMs: true,
      usageModel: true,
    },
  });

async function expectRight(): Promise<void> {
  expect(await wrongUsage(db())).toEqual([]);
}

const act = (field: string, conversationId: string) =>
  service.graphql(mutationOf(field, '{ conversation { status } }'), { input: { conversationId } });

/** A turn that runs. */
async function running(resultsAccepted: boolean) {
  const id = await start();
  const response = service.agentTurn('/slow 2', { conversation_id: id });
  const { id: runId } = await until(
    async () => (await db().run.findFirst({ where: { conversationId: id, status: 'running' } })) ?? undefined,
  );
  const counts = { inputTokens: 2_000, cachedInputTokens: 1_500, cacheWriteTokens: 40 };
  await db().run.updateMany({ where: { id: runId }, data: { resultsAccepted, ...counts } });
  return { id, runId, response };
}

/** Messages that wait for a turn in a process that died. */
async function orphan(id: string, models: readonly string[]): Promise<void> {
  const { environmentId } = await db().conversation.findFirstOrThrow({ where: { id } });
  const runIds = models.map(() => randomUUID());
  for (const [index, model] of models.entries()) {
    await db().$executeRaw`
      INSERT INTO queued_turn (run_id, environment_id, conversation_id, content, agent, workflow_version, model,
                               request_id, lease_owner, lease_expires_at, created_at)
      VALUES (${runIds[index]}::uuid, ${environmentId}::uuid, ${id}::uuid, '[]', true, 1, ${model}, 'r',
              ${randomUUID()}::uuid, ${new Date(0)}, now())`;
  }
  const messages = runIds.map((runId) => ({ environmentId, id: runId }));
  await storeOrphanedMessages(service.service.services, messages);
}

describe('the stored usage of a conversation', () => {
  it('is the sum of its turns that completed, failed, paused, resumed and were stopped', async () => {
    const id = await start();
    await service.agentTurn('Again', { conversation_id: id });
    await service.agentTurn('/fail', { conversation_id: id });
    expect(await usageOf(id)).toMatchObject({ turns: 3, failures: 1, usageModel: 'demo' });
    const { body } = await service.agentTurn(`${lookup('c1')}\n/say Done`, CAPABLE);
    const paused = { conversationId: body.conversation_id, callId: body.client_tool_calls[0].call_id };
    expect(await usageOf(paused.conversationId)).toMatchObject({ turns: 1 });
    await resume(service, paused, { name: 'Ann' });
    expect(await usageOf(paused.conversationId)).toMatchObject({ turns: 2, failures: 0 });
    for (const field of ['cancelRun', 'stopTurn']) {
      const waiting = await service.agentTurn(`${lookup('c1')}\n/say Done`, CAPABLE);
      await act(field, waiting.body.conversation_id);
    }
    await start('/call nothing\n/complete\n/say bye');
    await expectRight();
  });

  it('has no turns of one-shot runs', async () => {
    const before = await db().conversation.aggregate({ _sum: { turns: true } });
    await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}`, { body: { content: textContent('Hello') } });
    expect(await db().conversation.aggregate({ _sum: { turns: true } })).toEqual(before);
    await expectRight();
  });

  it.each([
    [false, 1],
    [true, 0],
  ])('has a turn whose process died once (results accepted: %s)', async (resultsAccepted, failures) => {
    const { id, runId, response } = await running(resultsAccepted);
    await loseRun(service, runId);
    await response;
    const cache = { cachedInputTokens: 1_500n, cacheWriteTokens: 40n };
    expect(await usageOf(id)).toMatchObject({ turns: 2, failures, usageModel: 'demo', ...cache });
    await expectRight();
  });

  it('has the messages whose process died, also of a completed conversation', async () => {
    const [id, completed, mixed] = [await start(), await start('/complete\n/say bye'), await start()];
    await orphan(id, ['demo', 'demo']);
    expect(await usageOf(id)).toMatchObject({ turns: 3, failures: 2, usageModel: 'demo' });
    const { updatedAt } = await db().conversation.findFirstOrThrow({ where: { id: completed } });
    await orphan(completed, ['demo']);
    expect(await usageOf(completed)).toMatchObject({ turns: 2, failures: 1 });
    expect(await db().conversation.findFirstOrThrow({ where: { id: completed } })).toMatchObject({ updatedAt });
    await orphan(mixed, ['demo', 'other']);
    expect(await usageOf(mixed)).toMatchObject({ turns: 3, failures: 2, usageModel: null });
    await expectRight();
  });

  it('has the lines that a process of an earlier release writes', async () => {
    const id = await start();
    const line = await db().workflowLog.findFirstOrThrow({ where: { conversationId: id } });
    const { id: _, counted, ...values } = line;
    expect(counted).toBe(true);
    await db().workflowLog.create({
      data: { ...values, outcome: 'failed', inputTokens: 1_000, responseTimeMs: 90_000 },
    });
    expect(await usageOf(id)).toMatchObject({ turns: 2, failures: 1, responseTimeMs: 90_000 });
    await expectRight();
  });

  it('stays right when conversations are deleted', async () => {
    const id = await start();
    await act('deleteConversation', id);
    await expectRight();
  });
});

describe('the cost of a conversation whose turns had several models', () => {
  const LABEL = `several-${randomUUID()}`;
  const find = async (variables: object) => {
    const { body } = await service.graphql(LIST, { first: 100, ...variables });
    expect(body.errors).toBeUndefined();
    return body.data.conversations;
  };
  const setPrice = async (model: string, inputPerMillion: number) => {
    const document = 'mutation ($input: SetModelPriceInput!) { setModelPrice(input: $input) { __typename } }';
    const { body } = await service.graphql(document, { input: { model, inputPerMillion, outputPerMillion: 0 } });
    expect(body).toEqual({ data: { setModelPrice: { __typename: 'SetModelPricePayload' } } });
  };
  const kind = { kind: LABEL };

  it('adds up the current price of each model, and is null if one is missing', async () => {
    const cheap = await start('Hello', { meta: { n: 'cheap', ...kind } });
    const several = await start('Hello', { meta: { n: 'several', ...kind } });
    const { id: _, ...line } = await db().workflowLog.findFirstOrThrow({ where: { conversationId: several } });
    await db().workflowLog.create({ data: { ...line, counted: false, model: 'other', inputTokens: 5 } });
    await service.agentTurn('Again', { conversation_id: several });
    expect(await usageOf(several)).toMatchObject({ turns: 3, usageModel: null });
    expect(await usageOf(cheap)).toMatchObject({ usageModel: 'demo' });
    await setPrice('demo', 1_000_000);
    const demo = await db().workflowLog.aggregate({
      where: { conversationId: several, model: 'demo' },
      _sum: { inputTokens: true },
    });
    const orderBy = { field: 'COST', direction: 'DESC' };
    const unpriced = await find({ filter: { meta: kind }, orderBy });
    expect(labels(unpriced.nodes)).toEqual(['cheap', 'several']);
    expect(unpriced.nodes[1].usage).toMatchObject({ turns: 3, cost: null });
    await setPrice('other', 1_000_000);
    const priced = await find({ filter: { meta: kind }, orderBy });
    const cost = (demo._sum.inputTokens ?? 0) + 5;
    expect(labels(priced.nodes)).toEqual(['several', 'cheap']);
    expect(priced.nodes[0].usage).toMatchObject({ cost: `${cost}` });
    expect(labels((await find({ filter: { meta: kind, cost: { min: cost, max: cost } } })).nodes)).toEqual(['several']);
    expect((await find({ filter: { meta: kind, cost: { min: cost + 1 } } })).totalCount).toBe(0);
    const totals = await service.send('GET', `/v1/conversations/totals?meta[kind]=${LABEL}`);
    const ofCheap = Number(priced.nodes[1].usage.cost);
    expect(totals.body).toMatchObject({ conversations: 2, usage: { turns: 4, cost: `${cost + ofCheap}` } });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { ledgerOf, makeBudget, storedTokens } from '../support/budgets.ts';
import { endUserToken } from '../support/end-users.ts';
import type { FakeReply } from '../support/fake-provider.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { LONG } from '../support/talk.ts';
import { until } from '../support/until.ts';

let parts: ProviderService;
let environmentId: string;
let agent: string;
beforeAll(async () => {
  parts = await startProviderService();
  agent = await parts.agent({ maxReplyTokens: 256 });
  environmentId = (await db().environment.findFirstOrThrow({ where: { kind: 'live' } })).id;
});
afterAll(() => parts.close());
beforeEach(async () => {
  await db().budget.deleteMany();
  parts.provider.reply(REPLY);
});

const db = () => parts.service.service.services.stores.prisma;

/** 100 tokens of input and 40 of output. */
const REPLY: FakeReply = { kind: 'answer', deltas: ['Hi'], usage: { input: 100, output: 40 } };

/** So long that the next turn begins with a summary. */
const FULL: FakeReply = { kind: 'answer', deltas: ['Hi'], usage: { input: 9_000, output: 5 } };

const CALL: FakeReply = {
  kind: 'answer',
  calls: [{ name: 'complete_conversation', arguments: '{}' }],
  usage: { input: 100, output: 40 },
};

const budget = (fields: Partial<Parameters<typeof makeBudget>[1]>) =>
  makeBudget(db(), { environmentId, amount: 10_000, ...fields });

const eventsOf = async (id: string) => {
  const rows = await db().event.findMany({ where: { resourceId: id }, orderBy: { id: 'asc' } });
  return rows.map(({ type }) => type);
};

describe('a budget of an environment in tokens', () => {
  it('counts each step of a turn, and nothing stays reserved', async () => {
    const before = await storedTokens(db(), environmentId);
    const id = await budget({});
    expect((await parts.turn(agent)).status).toBe(200);
    expect(await ledgerOf(db(), id)).toEqual({ spent: 140, reserved: 0, held: 0 });
    expect((await storedTokens(db(), environmentId)) - before).toBe(140);
  });

  it('refuses turns whose step could cost more than is left, and stores nothing of them after the first', async () => {
    const id = await budget({ amount: 200 });
    const first = await parts.turn(agent);
    expect([first.status, first.body.error.code]).toEqual([402, 'budget_reached']);
    const asked = parts.provider.requests.length;
    const runs = await db().run.count();
    const { status, body } = await parts.turn(agent);
    expect([status, body.error.code, body.error.type]).toEqual([402, 'budget_reached', 'budget_error']);
    expect(body.error.message).toBe('The assistant is pausing, because a budget is reached.');
    expect(parts.provider.requests).toHaveLength(asked);
    expect(await db().run.count()).toBe(runs);
    expect(await ledgerOf(db(), id)).toEqual({ spent: 0, reserved: 0, held: 0 });
    expect(await eventsOf(id)).toEqual(['budget.reached']);
    await parts.turn(agent);
    expect(await eventsOf(id)).toEqual(['budget.reached']);
  });

  it('ends a running turn after the step for which there was room', async () => {
    const id = await budget({ amount: 500 });
    parts.provider.reply(CALL, REPLY);
    const { status, body } = await parts.turn(agent);
    expect([status, body.finish_reason, body.run_status]).toEqual([200, 'budget', 'interrupted']);
    expect(await ledgerOf(db(), id)).toEqual({ spent: 140, reserved: 0, held: 0 });
  });

  it('warns once at its share', async () => {
    const id = await budget({ amount: 1_000, warnAt: 0.2 });
    await parts.turn(agent);
    expect(await eventsOf(id)).toEqual([]);
    await parts.turn(agent);
    await parts.turn(agent);
    expect(await eventsOf(id)).toEqual(['budget.warned']);
  });

  it('counts nothing for a step that failed', async () => {
    const id = await budget({});
    parts.provider.reply({ kind: 'status', status: 400 });
    expect((await parts.turn(agent)).status).toBe(502);
    expect(await ledgerOf(db(), id)).toEqual({ spent: 0, reserved: 0, held: 0 });
  });

  it('counts one-shot runs, and refuses them', async () => {
    const id = await budget({ amount: 600 });
    const once = () => parts.service.send('POST', `/v1/runner/${agent}`, { body: { content: textContent('Hello') } });
    expect((await once()).status).toBe(200);
    expect(await ledgerOf(db(), id)).toEqual({ spent: 140, reserved: 0, held: 0 });
    await db().budget.updateMany({ data: { amount: 200 } });
    expect((await once()).status).toBe(402);
  });

  it('ends a one-shot run after the step for which there was room, because its actions may have run', async () => {
    const id = await budget({ amount: 500 });
    parts.provider.reply(CALL, REPLY);
    const content = textContent('Hello');
    const { status, body } = await parts.service.send('POST', `/v1/runner/${agent}`, { body: { content } });
    expect([status, body.finish_reason, body.content]).toEqual([200, 'budget', '']);
    expect(await ledgerOf(db(), id)).toEqual({ spent: 140, reserved: 0, held: 0 });
  });

  it('limits the replies of a workflow without a limit, so that a step has a most', async () => {
    const unlimited = await parts.agent();
    await parts.turn(unlimited);
    expect(parts.provider.requests.at(-1)?.body.max_tokens).toBeUndefined();
    await budget({});
    await parts.turn(unlimited);
    expect(parts.provider.requests.at(-1)?.body.max_tokens).toBe(4_096);
  });
});

/** What a step reserves. */
async function mostOfStep(): Promise<number> {
  const id = await budget({});
  const reserved: number[] = [];
  parts.provider.reply({ kind: 'dictated', pieces: looking(), usage: { input: 1, output: 1 } });
  async function* looking() {
    reserved.push((await ledgerOf(db(), id)).reserved);
    yield { deltas: ['Hi'] };
  }
  await parts.turn(agent);
  await db().budget.deleteMany();
  parts.provider.reply(REPLY);
  return reserved[0] ?? 0;
}

describe('what counts', () => {
  it('are the titles and summaries of conversations', async () => {
    const titled = await parts.agent({
      titleModel: true,
      maxReplyTokens: 256,
      context: 'compact',
      contextTokens: 8_000,
    });
    const id = await budget({ amount: 1_000_000 });
    const before = await storedTokens(db(), environmentId);
    parts.provider.reply({ ...FULL }, { ...REPLY });
    const { body } = await parts.turn(titled, { content: textContent(LONG) });
    await until(async () => (await ledgerOf(db(), id)).spent === 9_005 + 140 || undefined);
    parts.provider.reply({ ...REPLY, deltas: ['A summary'] }, { ...REPLY });
    await parts.turn(titled, { conversation_id: body.conversation_id });
    expect(await ledgerOf(db(), id)).toEqual({ spent: 9_005 + 3 * 140, reserved: 0, held: 0 });
    expect((await storedTokens(db(), environmentId)) - before).toBe(9_005 + 3 * 140);
  });

  it('is not a title that finds no room', async () => {
    const titled = await parts.agent({ titleModel: true, maxReplyTokens: 256 });
    const id = await budget({ amount: (await mostOfStep()) + 50 });
    const asked = parts.provider.requests.length;
    expect((await parts.turn(titled)).status).toBe(200);
    await until(async () => (await eventsOf(id)).length === 1 || undefined);
    expect(parts.provider.requests).toHaveLength(asked + 1);
    expect(await ledgerOf(db(), id)).toEqual({ spent: 140, reserved: 0, held: 0 });
  });

  it('are the places of the turn alone', async () => {
    const other = await parts.agent();
    const { body } = await parts.turn(agent);
    const ids = await Promise.all(
      [`deployment:${agent}`, `deployment:${other}`, `conversation:${body.conversation_id}`].map((place) =>
        budget({ place }),
      ),
    );
    await parts.turn(agent, { conversation_id: body.conversation_id });
    await parts.turn(agent);
    const spent = await Promise.all(ids.map(async (id) => (await ledgerOf(db(), id)).spent));
    expect(spent).toEqual([280, 0, 140]);
  });

  it('is a file as a file, and not as its bytes', async () => {
    await budget({ amount: 10_000 });
    const file = { type: 'data', data: Buffer.alloc(60_000, 1).toString('base64'), mime_type: 'image/png' };
    const content = [...textContent('Look'), file];
    expect((await parts.turn(agent, { content })).status).toBe(200);
  });

  it('is the money at the prices of the workspace, to the last digit', async () => {
    const { workspaceId } = await db().environment.findFirstOrThrow({ where: { id: environmentId } });
    const price = { inputPerMillion: '0.000003', outputPerMillion: '0.7', cacheWritePerMillion: '12.5' };
    const model = 'openai-compatible:test';
    await db().modelPrice.create({ data: { workspaceId, model, ...price, updatedAt: new Date() } });
    const id = await budget({ unit: 'money', amount: '1' });
    await parts.turn(agent);
    const row = await db().budget.findFirstOrThrow({ where: { id } });
    expect(row.spent.toFixed()).toBe('0.0000280003');
    await db().modelPrice.deleteMany();
    expect((await parts.turn(agent)).status).toBe(402);
    expect((await db().budget.findFirstOrThrow({ where: { id } })).reachedAt).toBeNull();
  });
});

describe('a budget of a day', () => {
  it('counts from its midnight in the time zone of the environment', async () => {
    await db().environment.update({ where: { id: environmentId }, data: { timeZone: 'Asia/Kolkata' } });
    const id = await budget({ period: 'day', amount: 600 });
    const row = () => db().budget.findFirstOrThrow({ where: { id } });
    await parts.turn(agent);
    await db().budget.updateMany({ data: { amount: 200 } });
    expect((await parts.turn(agent)).body.error).toMatchObject({
      code: 'budget_reached',
      period_ends_at: midnightInIndia(1),
    });
    expect((await row()).periodStart.toISOString()).toBe(midnightInIndia(0));
    // As if it were yesterday.
    await db().budget.updateMany({ data: { amount: 600, spent: 599, periodStart: new Date(Date.now() - 86_400_000) } });
    expect((await parts.turn(agent)).status).toBe(200);
    expect(await row()).toMatchObject({ reachedAt: null, periodStart: new Date(midnightInIndia(0)) });
    expect((await ledgerOf(db(), id)).spent).toBe(140);
    await db().environment.update({ where: { id: environmentId }, data: { timeZone: 'UTC' } });
  });
});

/** 18:30 UTC is midnight in India, which has no summer time. */
function midnightInIndia(daysLater: number): string {
  const shift = 5.5 * 3_600_000;
  const day = Math.floor((Date.now() + shift) / 86_400_000) + daysLater;
  return new Date(day * 86_400_000 - shift).toISOString();
}

describe('a budget that stops', () => {
  it('stops running turns of its place when a step finds no room, and keeps their text', async () => {
    const most = await mostOfStep();
    const id = await budget({ place: `deployment:${agent}`, amount: 2 * most - 1, onReached: 'stop' });
    let go = () => {};
    const opened = new Promise<void>((resolve) => (go = resolve));
    const writes = Promise.withResolvers<void>();
    async function* slowly() {
      yield { deltas: ['Once there'] };
      writes.resolve();
      await opened;
    }
    parts.provider.reply({ kind: 'dictated', pieces: slowly(), usage: { input: 100, output: 40 } });
    const running = parts.turn(agent);
    await writes.promise;
    await db().budget.updateMany({ data: { spent: 2 * most - 2 } });
    expect((await parts.turn(agent)).status).toBe(402);
    const { body } = await running;
    go();
    expect([body.run_status, body.finish_reason, body.content]).toEqual(['interrupted', 'stopped', 'Once there']);
    expect((await ledgerOf(db(), id)).reserved).toBe(0);
  });
});

describe('a budget of somebody else', () => {
  it('does not show whether a conversation exists', async () => {
    const { body } = await parts.turn(agent);
    await budget({ place: `conversation:${body.conversation_id}`, amount: 1 });
    const token = await endUserToken(parts.service, agent, 'ana');
    const response = await parts.service.send('POST', `/v2/runner/${agent}/conversation`, {
      key: token,
      body: { content: textContent('Hello'), conversation_id: body.conversation_id },
    });
    expect([response.status, response.body.error.code]).toEqual([404, 'not_found']);
  });
});

describe('an idempotency key', () => {
  it('does not keep that a budget was reached', async () => {
    const id = await budget({ amount: 10 });
    const headers = { 'idempotency-key': 'a-turn-under-a-budget' };
    const send = () =>
      parts.service.send('POST', `/v2/runner/${agent}/conversation`, {
        headers,
        body: { content: textContent('Hello') },
      });
    expect((await send()).status).toBe(402);
    await db().budget.updateMany({ where: { id }, data: { amount: 10_000 } });
    expect((await send()).status).toBe(200);
  });
});

describe('parallel turns', () => {
  it('spend exactly what a budget has, to the last step', async () => {
    const most = await mostOfStep();
    parts.provider.reply({ kind: 'answer', deltas: ['Hi'], usage: { input: most - 256, output: 256 } });
    const id = await budget({ amount: 10 * most });
    const asked = parts.provider.requests.length;
    const responses = await Promise.all(Array.from({ length: 30 }, () => parts.turn(agent)));
    const replies = responses.filter(({ body }) => body.finish_reason === 'stop');
    expect(parts.provider.requests.length - asked).toBe(replies.length);
    expect(await ledgerOf(db(), id)).toEqual({ spent: replies.length * most, reserved: 0, held: 0 });
    expect(replies.length).toBe(10);
  });
});

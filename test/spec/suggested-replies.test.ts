import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { RATE_LIMITS } from '../../src/domain/access/rate-limits.ts';
import { textContent } from '../support/agent-apis.ts';
import { ledgerOf, makeBudget } from '../support/budgets.ts';
import type { FakeReply } from '../support/fake-provider.ts';
import { HandledTalks } from '../support/handled-talks.ts';
import { errorOf, mutationOf, resultOf } from '../support/results.ts';
import { makeKey, makeWorkspace, openSession } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let talks: HandledTalks;
beforeAll(async () => {
  talks = await HandledTalks.start();
});
afterAll(() => talks.parts.close());
beforeEach(() => talks.reset());

const SUGGEST = mutationOf('suggestReply', '{ text }');

const suggest = (id: string, key: string | null = talks.member, options: object = {}) =>
  talks.parts.service.graphql(SUGGEST, { input: { conversationId: id } }, { key, ...options });

/** 30 tokens of input and 7 of output. */
const SUGGESTED: FakeReply = {
  kind: 'answer',
  deltas: ['A new lamp ', 'is on its way.'],
  usage: { input: 30, output: 7 },
};

type Config = Parameters<HandledTalks['started']>[0];

/** A conversation that a member took over, and in which the user then wrote. */
async function taken(config: Config = {}, ...said: readonly string[]): Promise<string> {
  const agent = await talks.parts.agent(config);
  const { body } = await talks.parts.turn(agent);
  const id = body.conversation_id;
  await talks.act(id, 'takeover', { display_name: 'Anna' });
  for (const text of said) {
    const { status } = await talks.parts.turn(agent, { conversation_id: id, content: textContent(text) });
    expect(status).toBe(200);
  }
  talks.parts.provider.reply(SUGGESTED);
  return id;
}

/** The last request to the provider. */
const asked = () => talks.parts.provider.requests.at(-1)?.body as { readonly messages: readonly object[] } & object;

const count = () => talks.parts.provider.requests.length;

describe('a suggested reply', () => {
  it('is what the model would answer for the person, and nothing of it is sent or stored', async () => {
    const id = await taken({ instructions: 'You sell lamps.', maxReplyTokens: 9_000 }, 'My lamp is broken');
    await talks.answer(id, 'I am sorry.');
    const [before, texts, turns] = [await talks.conversation(id), await talks.texts(id), await talks.turns(id)];
    expect(resultOf(await suggest(id))).toBe('A new lamp is on its way.');
    expect(asked()).toMatchObject({ model: 'test', max_tokens: LIMITS.suggestedReplyTokens });
    const prompt = JSON.stringify(asked());
    for (const part of ['You sell lamps.', 'My lamp is broken', 'Anna, a person of the team, wrote', 'I am sorry.']) {
      expect(prompt).toContain(part);
    }
    const request = JSON.stringify(asked().messages.at(-1));
    expect(request).toContain('A person of the team answers the user now, not you');
    // Lines of users that look like this are quoted, but not those of the service.
    expect(request).not.toContain('> A person');
    const after = await talks.conversation(id);
    expect([await talks.texts(id), await talks.turns(id)]).toEqual([texts, turns]);
    expect([after.handlingUntil, after.updatedAt]).toEqual([before.handlingUntil, before.updatedAt]);
    expect(await talks.db.timelineItem.count({ where: { conversationId: id } })).toBe(
      await talks.db.timelineItem.count({ where: { conversationId: id, kind: { in: ['message', 'handling'] } } }),
    );
  });

  it('is a text although replies of the workflow have a schema, and its model gets no tools but what they did', async () => {
    const outputSchema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };
    const agent = await talks.parts.agent({ resourceTools: ['find_resources'], outputSchema });
    const call = { name: 'find_resources', arguments: '{"type":"lamp"}' };
    talks.parts.provider.reply(
      { kind: 'answer', calls: [call] },
      { kind: 'answer', deltas: ['{"answer":"We have one."}'] },
    );
    const id = (await talks.parts.turn(agent)).body.conversation_id;
    expect(asked()).toHaveProperty('tools');
    await talks.act(id, 'takeover');
    talks.parts.provider.reply(SUGGESTED);
    expect(resultOf(await suggest(id))).toBe('A new lamp is on its way.');
    const { messages, ...rest } = asked();
    expect(rest).not.toHaveProperty('tools');
    expect(rest).not.toHaveProperty('response_format');
    expect(messages.filter((message) => 'tool_calls' in message || 'tool_call_id' in message)).toEqual([]);
    const prompt = JSON.stringify(messages);
    expect(prompt).toContain('What the assistant did with its tools:');
    expect(prompt).not.toContain('> What the assistant did');
    expect(prompt).toContain('find_resources');
    expect(prompt).not.toContain('JSON Schema');
  });

  it('reads only the window of the workflow', async () => {
    const id = await taken({ historyLimit: 1 }, 'First', 'Second', 'Third');
    await suggest(id);
    const prompt = JSON.stringify(asked());
    expect(['First', 'Second', 'Third'].map((text) => prompt.includes(text))).toEqual([false, true, true]);
  });

  it('can be asked while the conversation waits, and not while the assistant answers', async () => {
    const waiting = await talks.started({ allowHandOver: true });
    const refused = await suggest(waiting);
    expect(errorOf(refused)).toMatchObject({
      code: 'handling_conflict',
      message: expect.stringContaining('Take it over'),
    });
    await talks.db.conversation.update({
      where: { id: waiting },
      data: { handling: 'waiting', handlingSince: new Date() },
    });
    talks.parts.provider.reply(SUGGESTED);
    expect(resultOf(await suggest(waiting))).toBe('A new lamp is on its way.');
  });

  it('needs a deployment that is published, and its error says so', async () => {
    const id = await taken();
    const { deploymentId } = await talks.conversation(id);
    await talks.db.deployment.update({ where: { id: deploymentId }, data: { publishedVersion: null } });
    expect(errorOf(await suggest(id))).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('is not published'),
    });
  });

  it('can be asked by others than the person who has the conversation, with the scope', async () => {
    const { service } = talks.parts;
    const id = await taken();
    const requests = count();
    const key = await makeKey(service, { scopes: ['conversations:read', 'conversations:write'] });
    for (const one of [await openSession(service, 'viewer'), key]) {
      expect(errorOf(await suggest(id, one))?.code).toBe('forbidden');
    }
    expect(errorOf(await suggest(id, null))?.code).toBe('unauthorized');
    const { keys } = await makeWorkspace(service);
    expect(errorOf(await suggest(id, keys.live))?.code).toBe('not_found');
    expect(errorOf(await suggest(id, service.keys.test))?.code).toBe('not_found');
    const bound = await makeKey(service, { deploymentIds: [talks.agent] });
    expect(errorOf(await suggest(id, bound))?.code).toBe('not_found');
    expect(count()).toBe(requests);
    expect(resultOf(await suggest(id, talks.other))).toBe('A new lamp is on its way.');
  });

  it('is cut to its limit, and an empty one is an error', async () => {
    const id = await taken();
    talks.parts.provider.reply({ kind: 'answer', deltas: [`${'a'.repeat(LIMITS.suggestedReplyLength - 1)}😀😀`] });
    const text = resultOf(await suggest(id));
    expect([text.length, text.isWellFormed()]).toEqual([LIMITS.suggestedReplyLength - 1, true]);
    talks.parts.provider.reply({ kind: 'answer', deltas: ['  '] });
    expect(errorOf(await suggest(id))?.code).toBe('model_error');
  });

  it('fails with the provider, whose words are not shown', async () => {
    const id = await taken();
    talks.parts.provider.reply({ kind: 'status', status: 400 });
    const failed = await suggest(id);
    expect(errorOf(failed)?.code).toBe('model_error');
    expect(JSON.stringify(failed.body)).not.toContain('sk-secret');
    expect(await talks.turns(id)).toBe(1);
  });

  it('stops the model when nobody waits any more', async () => {
    const id = await taken();
    talks.parts.provider.reply({ kind: 'stall', deltas: ['A new'] });
    const gone = new AbortController();
    const request = talks.parts.provider.nextRequest();
    const pending = suggest(id, talks.member, { signal: gone.signal });
    pending.catch(() => {});
    const { closed } = await request;
    gone.abort();
    // Long before the time limit of the model.
    expect(await Promise.race([closed.then(() => 'stopped'), pause(20_000, 'still running')])).toBe('stopped');
    await expect(pending).rejects.toThrow();
  });

  it(`is asked for at most ${RATE_LIMITS.suggestionsOfPerson.points} times per minute by a person`, async () => {
    const id = await taken();
    const session = await openSession(talks.parts.service, 'developer');
    const results = [];
    for (let index = 0; index <= RATE_LIMITS.suggestionsOfPerson.points; index += 1) {
      results.push(errorOf(await suggest(id, session))?.code);
    }
    expect(results.at(-1)).toBe('rate_limited');
    expect(new Set(results.slice(0, -1))).toEqual(new Set([undefined]));
  });

  it(`is asked for at most ${RATE_LIMITS.suggestionsOfEnvironment.points} times per minute in an environment`, async () => {
    const id = await taken();
    const { environmentId } = await talks.conversation(id);
    const { rateLimiter } = talks.parts.service.service.services.stores;
    const { suggestionsOfEnvironment: limit } = RATE_LIMITS;
    for (let used = 0; used < limit.points; used += 1) await rateLimiter.consume(limit, environmentId);
    expect(errorOf(await suggest(id, await openSession(talks.parts.service, 'developer')))?.code).toBe('rate_limited');
    for (let used = 0; used < limit.points; used += 1) await rateLimiter.refund(limit, environmentId);
  });

  it('is not for a completed conversation', async () => {
    const id = await taken();
    await talks.db.conversation.update({ where: { id }, data: { status: 'completed', completedAt: new Date() } });
    expect(errorOf(await suggest(id))?.code).toBe('conversation_completed');
  });
});

describe('the cost of a suggestion', () => {
  it('is that of no turn: it counts in the usage of the conversation, of the environment and of budgets', async () => {
    const id = await taken();
    const { environmentId, ...before } = await talks.conversation(id);
    const budget = await makeBudget(talks.db, { environmentId, place: `conversation:${id}` });
    await suggest(id);
    const after = await talks.conversation(id);
    expect([after.turns, after.inputTokens - before.inputTokens, after.outputTokens - before.outputTokens]).toEqual([
      before.turns,
      30n,
      7n,
    ]);
    const line = await talks.db.workflowLog.findFirstOrThrow({
      where: { conversationId: id },
      orderBy: { id: 'desc' },
    });
    expect(line).toMatchObject({
      isSummary: true,
      runId: null,
      inputTokens: 30,
      outputTokens: 7,
      outcome: 'completed',
    });
    expect(await ledgerOf(talks.db, budget)).toEqual({ spent: 37, reserved: 0, held: 0 });
  });

  it('counts if the provider fails after it began, and nothing stays reserved', async () => {
    const id = await taken();
    const { environmentId } = await talks.conversation(id);
    const budget = await makeBudget(talks.db, { environmentId, place: `conversation:${id}` });
    talks.parts.provider.reply({ kind: 'cut', deltas: ['A new lamp'] });
    expect(errorOf(await suggest(id))?.code).toBe('model_error');
    const ledger = await ledgerOf(talks.db, budget);
    expect([ledger.spent > 0, ledger.reserved, ledger.held]).toEqual([true, 0, 0]);
  });

  it('refuses a suggestion that a budget has no room for, before the model is asked', async () => {
    const id = await taken();
    const { environmentId } = await talks.conversation(id);
    await makeBudget(talks.db, { environmentId, place: `conversation:${id}`, amount: 1 });
    const requests = count();
    expect(errorOf(await suggest(id))?.code).toBe('budget_reached');
    expect(count()).toBe(requests);
  });

  it('stays if the conversation is deleted meanwhile', async () => {
    const id = await taken();
    const { environmentId } = await talks.conversation(id);
    const budget = await makeBudget(talks.db, { environmentId });
    talks.parts.provider.reply({
      kind: 'dictated',
      usage: { input: 30, output: 7 },
      pieces: (async function* () {
        await talks.parts.service.graphql(mutationOf('deleteConversation', '{ conversationId }'), {
          input: { conversationId: id },
        });
        yield { deltas: ['Late'] };
      })(),
    });
    expect(resultOf(await suggest(id))).toBe('Late');
    await until(async () => (await ledgerOf(talks.db, budget)).reserved === 0);
    expect((await ledgerOf(talks.db, budget)).spent).toBe(37);
  });

  it('a response that an idempotency key keeps is deleted with the conversation', async () => {
    const id = await taken();
    const headers = { 'idempotency-key': `suggestion-${id}` };
    expect(resultOf(await suggest(id, talks.member, { headers }))).toBe('A new lamp is on its way.');
    const requests = count();
    expect(resultOf(await suggest(id, talks.member, { headers }))).toBe('A new lamp is on its way.');
    expect(count()).toBe(requests);
    await talks.parts.service.graphql(mutationOf('deleteConversation', '{ conversationId }'), {
      input: { conversationId: id },
    });
    const records = await talks.db.$queryRaw<{ answer: unknown }[]>`
      SELECT answer FROM idempotency_record WHERE effect ->> 'conversationId' = ${id}`;
    expect(records.map(({ answer }) => answer)).not.toContainEqual(expect.stringContaining('lamp'));
    expect(records.length).toBeGreaterThan(0);
    for (const { answer } of records) expect(JSON.stringify(answer) ?? '').not.toContain('lamp');
  });
});

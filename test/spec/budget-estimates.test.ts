import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { changeVersion, ledgerOf, makeBudget, storedTokens } from '../support/budgets.ts';
import { dictate } from '../support/dictation.ts';
import type { FakeReply } from '../support/fake-provider.ts';
import { CALL_TOOL, type ResultTalks, startResultTalks, WITH_TOOL } from '../support/result-talks.ts';
import { COMPACT, LONG, replyWith, Talk } from '../support/talk.ts';
import { until } from '../support/until.ts';

let talks: ResultTalks;
let environmentId: string;
let budgetId: string;
let before: number;
beforeAll(async () => {
  talks = await startResultTalks();
  environmentId = (await db().environment.findFirstOrThrow({ where: { kind: 'live' } })).id;
});
afterAll(() => talks.close());
beforeEach(async () => {
  await db().budget.deleteMany();
  budgetId = await makeBudget(db(), { environmentId });
  before = await storedTokens(db(), environmentId);
});

const db = () => talks.provided.service.service.services.stores.prisma;
const provider = () => talks.provided.provider;
const ledger = () => ledgerOf(db(), budgetId);
const stored = async () => (await storedTokens(db(), environmentId)) - before;

/** 900 bytes, which are estimated as 300 tokens. */
const TEXT = 'word '.repeat(180);

/** Nothing is reserved, and the budget has the tokens of usage, which are in this range. */
async function expectSpent(least: number, most: number): Promise<void> {
  const { spent, reserved, held } = await ledger();
  expect([reserved, held]).toEqual([0, 0]);
  expect(spent).toBe(await stored());
  expect(spent).toBeGreaterThanOrEqual(least);
  expect(spent).toBeLessThanOrEqual(most);
}

/** Stops the running turn of a conversation. */
async function stop(id: string): Promise<void> {
  const { status } = await talks.provided.service.send('POST', `/v1/runner/conversation/${id}/stop`, { body: {} });
  expect(status).toBe(200);
}

/** Sends a long message, and stops its turn before the first word. */
async function stopBeforeText(talk: Talk): Promise<void> {
  provider().reply({ kind: 'hang' });
  const asked = provider().nextRequest();
  const turn = talk.send({ content: textContent(LONG) });
  await asked;
  await stop(talk.id as string);
  await turn;
}

const liveText = async () => (await db().liveText.findMany()).map(({ text }) => text).join('');

describe('a step without a count of its provider', () => {
  it('costs its prompt and its text if the turn is stopped', async () => {
    const talk = await Talk.of(talks.provided, 'Hello');
    const { spent } = await ledger();
    const dictation = dictate(provider());
    const turn = talk.send({ content: textContent('And now?') });
    dictation.say(TEXT);
    await until(async () => (await liveText()) === TEXT);
    await stop(talk.id as string);
    expect((await turn).body).toMatchObject({ run_status: 'interrupted', content: TEXT });
    await expectSpent(spent + 300, spent + 500);
  });

  it('costs its prompt if the turn is stopped before the first word', async () => {
    const talk = await Talk.of(talks.provided, 'Hello');
    const { spent } = await ledger();
    await stopBeforeText(talk);
    await expectSpent(spent + 2_000, spent + 2_300);
  });

  it.each<[string, FakeReply]>([
    ['its connection breaks', { kind: 'cut', deltas: [TEXT] }],
    ['it ends too early', { kind: 'eof', deltas: [TEXT] }],
    ['it takes too long', { kind: 'stall', deltas: [TEXT] }],
    ['the provider reports an error in it', { kind: 'error-event', deltas: [TEXT] }],
    ['only a part of its calls has arrived', { kind: 'cut', calls: [{ name: 'look', arguments: TEXT }] }],
    ['only its reasoning has arrived', { kind: 'cut', thoughts: [TEXT] }],
    ['the provider reports no tokens', { kind: 'answer', deltas: [TEXT] }],
  ])('costs its prompt and its text if %s', async (_, reply) => {
    const talk = await Talk.with(talks.provided, { timeoutSeconds: 1 });
    provider().reply(reply);
    await talk.send({ content: textContent('Hello') });
    await expectSpent(300, 420);
  });

  it.each<[string, FakeReply]>([
    ['the provider rejects it', { kind: 'status', status: 400 }],
    ['the provider is overloaded', { kind: 'status', status: 529, headers: { 'retry-after-ms': '1' } }],
    ['the response is no reply', { kind: 'garbage' }],
  ])('costs nothing if %s', async (_, reply) => {
    const talk = await Talk.with(talks.provided, {});
    provider().reply(reply);
    expect((await talk.send({ content: textContent('Hello') })).status).toBe(502);
    await expectSpent(0, 0);
  });

  it('costs nothing if the turn is stopped while the provider asks for a pause', async () => {
    const talk = await Talk.of(talks.provided, 'Hello');
    const { spent } = await ledger();
    provider().reply({ kind: 'status', status: 503, headers: { 'retry-after': '30' } });
    const asked = provider().nextRequest();
    const turn = talk.send({ content: textContent(LONG) });
    await (await asked).closed;
    // The response has ended. The adapter reads it before the stop arrives, which takes several statements.
    await stop(talk.id as string);
    await turn;
    await expectSpent(spent, spent);
  });

  it('counts in a one-shot stream whose client disconnects', async () => {
    const { service } = talks.provided;
    const id = await talks.provided.agent({});
    const gone = new AbortController();
    dictate(provider()).say(TEXT);
    const asked = provider().nextRequest();
    const response = await fetch(`${service.url}/v1/runner/${id}/stream`, {
      method: 'POST',
      headers: { 'x-api-key': service.keys.live, 'content-type': 'application/json' },
      body: JSON.stringify({ content: textContent('Hello') }),
      signal: gone.signal,
    });
    await asked;
    const reader = response.body?.getReader();
    await reader?.read();
    gone.abort();
    await until(async () => (await stored()) > 0);
    await expectSpent(300, 420);
  });

  it('counts in a summary that is stopped, as does the part before it', async () => {
    const talk = await Talk.with(talks.provided, COMPACT);
    provider().reply(replyWith('Noted.', 100));
    for (let turn = 0; turn < 6; turn += 1) await talk.say(LONG);
    provider().reply(replyWith('Noted.', 9_000));
    await talk.say('Now it is full.');
    const { spent } = await ledger();
    provider().reply({ kind: 'hang' });
    const asked = provider().nextRequest();
    const turn = talk.send({ content: textContent('And now?') });
    await asked;
    await stop(talk.id as string);
    await turn;
    await expectSpent(spent + 500, spent + 20_000);
  });
});

describe('a request whose actions take long', () => {
  it('has settled its step before they run, so that its reservation cannot end meanwhile', async () => {
    const id = await talks.provided.agent(WITH_TOOL);
    const during: Awaited<ReturnType<typeof ledger>>[] = [];
    talks.result({ parts: [], during: async () => during.push(await ledger()) });
    const counted = { ...CALL_TOOL, usage: { input: 100, output: 40 } } as FakeReply;
    provider().reply(counted, replyWith('Done.'));
    const content = textContent('Look.');
    const { status } = await talks.provided.service.send('POST', `/v1/runner/${id}`, { body: { content } });
    expect(status).toBe(200);
    expect(during).toEqual([{ spent: 140, reserved: 0, held: 0 }]);
    await expectSpent(155, 155);
  });
});

/** What the next step of a talk reserves. */
async function reservedBy(talk: Talk, text: string): Promise<number> {
  const dictation = dictate(provider());
  const asked = provider().nextRequest();
  const turn = talk.send({ content: textContent(text) });
  await asked;
  const { reserved } = await ledger();
  dictation.say('Hi');
  dictation.end();
  await turn;
  return reserved;
}

const SMALL = { maxReplyTokens: 256 };

describe('the first step of a turn', () => {
  it('reserves what the provider has counted of the earlier turns, and what is new', async () => {
    const talk = await Talk.with(talks.provided, SMALL);
    provider().reply(replyWith('Noted.', 1_500));
    await talk.say(LONG);
    const reserved = await reservedBy(talk, 'Hi');
    expect(reserved).toBeGreaterThan(1_500 + 256);
    expect(reserved).toBeLessThan(1_500 + 256 + 200);
  });

  it('reserves all that the model gets if earlier messages are left out of it', async () => {
    const talk = await Talk.with(talks.provided, { ...SMALL, historyLimit: 1 });
    provider().reply(replyWith('Noted.', 50));
    await talk.say('Hello');
    await talk.say(LONG);
    // Longer than what is left out, so that the prompt is longer than the last one.
    expect(await reservedBy(talk, 'Is there anything else?')).toBeGreaterThan(256 + LONG.length);
  });

  it('reserves all that the model gets if it is another model', async () => {
    const talk = await Talk.with(talks.provided, SMALL);
    provider().reply(replyWith('Noted.', 50));
    await talk.say(LONG);
    await changeVersion(db(), talk.deploymentId, { model: 'openai-compatible:other' });
    expect(await reservedBy(talk, 'Hi')).toBeGreaterThan(256 + LONG.length);
  });

  it('reserves all of a message whose turn failed before', async () => {
    const talk = await Talk.with(talks.provided, SMALL);
    provider().reply(replyWith('Noted.', 1_500));
    await talk.say('Hello');
    provider().reply({ kind: 'status', status: 400 });
    await talk.send({ content: textContent(LONG) });
    expect(await reservedBy(talk, 'Hi')).toBeGreaterThan(256 + LONG.length);
  });

  it('reserves all of a message whose turn was stopped before', async () => {
    const talk = await Talk.with(talks.provided, SMALL);
    provider().reply(replyWith('Noted.', 50));
    await talk.say('Hello');
    await stopBeforeText(talk);
    expect(await reservedBy(talk, 'Hi')).toBeGreaterThan(256 + LONG.length);
  });

  it('reserves all of the tools that the client did not have before', async () => {
    const clientTools = [{ name: 'look', description: 'x'.repeat(4_000) }];
    const talk = await Talk.with(talks.provided, { ...SMALL, clientTools });
    provider().reply(replyWith('Noted.', 50));
    await talk.say('Hello');
    const dictation = dictate(provider());
    const asked = provider().nextRequest();
    const turn = talk.send({ content: textContent('Hi'), client_capabilities: ['look'] });
    await asked;
    const { reserved } = await ledger();
    dictation.end();
    await turn;
    expect(reserved).toBeGreaterThan(256 + 4_000);
  });
});

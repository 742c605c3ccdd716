import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import type { FakeReply } from '../support/fake-provider.ts';
import { isSummaryRequest, promptOf, tokensOf } from '../support/memory-provider.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { COMPACT, LONG, replyWith, Talk } from '../support/talk.ts';

let provided: ProviderService;
beforeAll(async () => {
  provided = await startProviderService();
});
afterAll(() => provided.close());

const TOO_LONG: FakeReply = { kind: 'status', status: 400, body: 'maximum context length' };

const FULL = { input: 9_000, output: 5 };

/** Repeats the first exchange of a talk, until it has so many items. */
async function fill(talk: Talk, items: number): Promise<void> {
  const { prisma } = provided.service.service.services.stores;
  await prisma.$executeRaw`
    INSERT INTO timeline_item (environment_id, conversation_id, run_id, step, kind, role, content, revision, created_at)
    SELECT environment_id, conversation_id, run_id, step, kind, role, content, revision, created_at
    FROM timeline_item, generate_series(1, ${items / 2 - 1}::int) AS copy
    WHERE conversation_id = ${talk.id}::uuid
    ORDER BY copy, id`;
}

describe('a conversation', () => {
  it(`is summarized when ${LIMITS.contextItems} items follow the newest summary, and not before`, async () => {
    const talk = await Talk.with(provided, { ...COMPACT, contextTokens: 1_000_000 });
    provided.provider.reply(replyWith('Fine.'));
    await talk.say('Hello');
    await fill(talk, LIMITS.contextItems - 2);
    talk.forget();
    // With this message there is one item less than the limit.
    await talk.say('Once more');
    expect(talk.requests.map(isSummaryRequest)).toEqual([false]);
    await talk.say('And again');
    expect(talk.requests.map(isSummaryRequest)).toEqual([false, true, false]);
    expect(await talk.summaries()).toHaveLength(1);
  });

  it('whose summary is always too long for the model continues without one, after four attempts', async () => {
    const talk = await Talk.with(provided, COMPACT);
    provided.provider.reply(replyWith('Fine.'));
    for (let turn = 0; turn < 2; turn += 1) await talk.say(LONG);
    provided.provider.reply((request) => (isSummaryRequest(request) ? TOO_LONG : replyWith('Here.', 9_000)));
    await talk.say('Now it is full.');
    talk.forget();
    expect(await talk.say('And now?')).toMatchObject({ content: 'Here.' });
    expect(talk.requests.filter(isSummaryRequest)).toHaveLength(4);
  });

  it('is summarized when inline files after the newest summary take 32 MiB', async () => {
    const talk = await Talk.with(provided, { ...COMPACT, contextTokens: 1_000_000 });
    provided.provider.reply(replyWith('Fine.'));
    const data = Buffer.alloc(5.9 * 1024 * 1024, '%PDF-1.7').toString('base64');
    const file = { type: 'data', mime_type: 'application/pdf', data };
    for (let turn = 0; turn < 4; turn += 1) await talk.say('', { content: [file] });
    expect(talk.requests.map(isSummaryRequest)).not.toContain(true);
    talk.forget();
    await talk.say('', { content: [file] });
    const [summary] = talk.requests;
    expect(isSummaryRequest(summary as never)).toBe(true);
    expect(JSON.stringify(summary?.body)).toContain('[file of type application/pdf]');
    expect(JSON.stringify(summary?.body).length).toBeLessThan(10_000);
    expect(await talk.summaries()).toHaveLength(1);
  });

  it('tries a summary once in a turn', async () => {
    const talk = await Talk.with(provided, { ...COMPACT, resourceTools: ['find_resources'] });
    provided.provider.reply(replyWith('Fine.'));
    for (let turn = 0; turn < 2; turn += 1) await talk.say(LONG);
    provided.provider.reply(replyWith('Fine.', 9_000));
    await talk.say('Now it is full.');
    talk.forget();
    const call = { kind: 'answer', calls: [{ name: 'find_resources', arguments: '{}' }], usage: FULL } as const;
    provided.provider.reply((request) => {
      if (isSummaryRequest(request)) return { kind: 'status', status: 401 };
      return JSON.stringify(request.body.messages).includes('next_cursor') ? replyWith('Nothing.', 9_000) : call;
    });
    expect(await talk.say('And now?')).toMatchObject({ content: 'Nothing.' });
    expect(talk.requests.map(isSummaryRequest)).toEqual([true, false, false]);
  });

  it(`whose summary would take more than ${LIMITS.summaryParts} steps continues without one`, async () => {
    const talk = await Talk.with(provided, { ...COMPACT, historyLimit: 1 });
    provided.provider.reply(replyWith('Fine.'));
    await talk.say('word '.repeat(600));
    await fill(talk, LIMITS.contextItems - 10);
    // The model reads far less than Parley thinks, so every part is halved, and there are too many of them.
    provided.provider.reply((request) => {
      if (!isSummaryRequest(request)) return replyWith('Here.', 9_000);
      return tokensOf(promptOf(request)) > 4_000 ? TOO_LONG : replyWith('They spoke.');
    });
    await talk.say('Now it is full.');
    talk.forget();
    expect(await talk.say('And now?')).toMatchObject({ content: 'Here.' });
    expect(await talk.summaries()).toEqual([]);
    const asked = talk.requests.filter(isSummaryRequest).length;
    // With larger parts. It would take too many of these, so Parley sends no more of them.
    expect(asked).toBeLessThan(4);
    expect(promptOf(talk.requests.at(-1) ?? expect.fail()).messages).toHaveLength(3);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dictate } from '../support/dictation.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { assemble, openTurnFeed } from '../support/turn-feed.ts';
import { until } from '../support/until.ts';

let provided: ProviderService;
let deploymentId: string;
beforeAll(async () => {
  provided = await startProviderService();
  deploymentId = await provided.agent();
});
afterAll(() => provided.close());

const live = () => provided.service.service.services.stores.prisma.liveText;

async function startConversation(): Promise<string> {
  provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
  return (await provided.turn(deploymentId)).body.conversation_id;
}

const appends = (statements: readonly string[]) => statements.filter((text) => text.includes('INSERT INTO live_text'));

describe('the text of a running turn', () => {
  it('is stored for all turns together, at most every 50 ms, and deleted with the message', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, startConversation));
    const dictations: ReturnType<typeof dictate>[] = [];
    const turns: Promise<unknown>[] = [];
    for (const conversation_id of ids) {
      dictations.push(dictate(provided.provider));
      const asked = provided.provider.nextRequest();
      turns.push(provided.turn(deploymentId, { conversation_id }));
      await asked;
    }
    provided.service.takeStatements();
    const startedMs = performance.now();
    for (let word = 0; word < 40; word += 1) {
      for (const dictation of dictations) dictation.say(`word${word} `);
      await until(async () => (await live().count({ where: { position: { gte: word * 5 } } })) > 0);
    }
    const elapsedMs = performance.now() - startedMs;
    const statements = appends(provided.service.takeStatements());
    expect(statements.length).toBeGreaterThan(2);
    expect(statements.length).toBeLessThanOrEqual(elapsedMs / 50 + 2);
    for (const dictation of dictations) dictation.end();
    await Promise.all(turns);
    expect(await live().count()).toBe(0);
  });

  it('never splits a character, and lacks the characters that the stored message lacks', async () => {
    const conversation_id = await startConversation();
    const feed = await openTurnFeed(provided.service, conversation_id);
    const dictation = dictate(provided.provider);
    const turn = provided.turn(deploymentId, { conversation_id });
    for (const piece of ['wave \ud83d', '\udc4b and \0nothing', ' \udc4b lone']) {
      dictation.say(piece);
      await feed.until('text.delta');
    }
    dictation.end();
    const stored = (await turn).body.content;
    const rest = await feed.until('turn.ended');
    expect(stored).toBe('wave 👋 and nothing \ufffd lone');
    expect(rest.at(-1)?.data.reply).toBe(stored);
    const again = await openTurnFeed(provided.service, conversation_id, { after: rest[0]?.id ?? '' });
    expect((await again.next())?.event).toBe('turn.ended');
    expect(assemble(rest.filter(({ event }) => event === 'text.delta')).size).toBe(0);
    feed.close();
    again.close();
  });
});

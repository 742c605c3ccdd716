import { afterAll, beforeAll, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { makeBudget } from '../support/budgets.ts';
import { dictate } from '../support/dictation.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';

let parts: ProviderService;
beforeAll(async () => {
  parts = await startProviderService();
});
afterAll(() => parts.close());

it('a budget stops running turns when a later step of a one-shot run finds no room', async () => {
  const agent = await parts.agent({ maxReplyTokens: 256 });
  const { prisma } = parts.service.service.services.stores;
  const { id: environmentId } = await prisma.environment.findFirstOrThrow({ where: { kind: 'live' } });
  await makeBudget(prisma, { environmentId, place: `deployment:${agent}`, amount: 100_000, onReached: 'stop' });
  const dictation = dictate(parts.provider);
  const asked = parts.provider.nextRequest();
  const running = parts.turn(agent);
  await asked;
  async function* usingItUp() {
    await prisma.budget.updateMany({ data: { spent: 99_999 } });
    yield { deltas: ['So'] };
  }
  const calls = [{ name: 'complete_conversation', arguments: '{}' }];
  parts.provider.reply({ kind: 'dictated', pieces: usingItUp(), calls, usage: { input: 100, output: 40 } });
  const body = { content: textContent('Hello') };
  const once = await parts.service.send('POST', `/v1/runner/${agent}`, { body });
  expect([once.status, once.body.finish_reason]).toEqual([200, 'budget']);
  expect((await running).body).toMatchObject({ run_status: 'interrupted', finish_reason: 'stopped' });
  dictation.end();
});

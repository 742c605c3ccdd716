import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import type { FakeReply, FakeRequest } from '../support/fake-provider.ts';
import { isSummaryRequest, promptOf } from '../support/memory-provider.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { LONG, replyWith, Talk } from '../support/talk.ts';

let provided: ProviderService;
beforeAll(async () => {
  provided = await startProviderService();
});
afterAll(() => provided.close());

/** Too long for the model, in the words of vLLM. */
const OVERFLOW: FakeReply = {
  kind: 'status',
  status: 400,
  body: "This model's maximum context length is 8192 tokens.",
};

describe.each(['compact', 'window'] as const)(
  'a prompt that is too long for the model, with the context %s',
  (context) => {
    it('is repeated once with a summary of the earlier turns', async () => {
      const talk = await Talk.with(provided, { context, contextTokens: 100_000 });
      provided.provider.reply(replyWith('Noted.'));
      await talk.say(`FACT-one ${LONG}`);
      await talk.say('And FACT-two.');
      talk.forget();
      provided.provider.reply((request) => {
        if (isSummaryRequest(request)) return replyWith('They said FACT-one and FACT-two.');
        return promptOf(request).messages.join('').includes('lorem') ? OVERFLOW : replyWith('Shorter.');
      });
      expect(await talk.say('And now?')).toMatchObject({ content: 'Shorter.' });
      expect(talk.requests.map(isSummaryRequest)).toEqual([false, true, false]);
      expect(promptOf(talk.requests.at(-1) as FakeRequest).messages.join('')).toContain('They said FACT-one');
      // With the context WINDOW, later turns get their message pairs.
      expect(await talk.summaries()).toHaveLength(context === 'compact' ? 1 : 0);
    });

    it('is sent without earlier turns if the summary fails', async () => {
      const talk = await Talk.with(provided, { context });
      provided.provider.reply(replyWith('Noted.'));
      await talk.say(LONG);
      provided.provider.reply((request) => {
        if (isSummaryRequest(request)) return { kind: 'status', status: 401 };
        return promptOf(request).messages.join('').includes('lorem') ? OVERFLOW : replyWith('Shorter.');
      });
      expect(await talk.say('And now?')).toMatchObject({ content: 'Shorter.' });
    });

    it('fails the turn if the message itself is too long', async () => {
      const talk = await Talk.with(provided, { context });
      provided.provider.reply(OVERFLOW);
      const { status, body } = await talk.send({ content: textContent(LONG) });
      expect([status, body.error.code]).toEqual([502, 'model_error']);
    });
  },
);

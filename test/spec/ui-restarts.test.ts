import { randomUUID } from 'node:crypto';
import type { UIMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AI_SDKS, type AiSdk } from '../support/ai-sdks.ts';
import { dictate } from '../support/dictation.ts';
import { loseRun } from '../support/lose-run.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { chatOf, storedMessages, textIn, whenChat } from '../support/ui-chat.ts';

let provided: ProviderService;
let deploymentId: string;
beforeAll(async () => {
  provided = await startProviderService();
  deploymentId = await provided.agent({ recovery: 'continue', reasoning: 'shown' });
});
afterAll(() => provided.close());

/** A chat whose turn is continued by another process in mid-reply. Resolves with its last message. */
async function restart(sdk: AiSdk): Promise<{ readonly id: string; readonly reply: UIMessage | undefined }> {
  const { service, provider } = provided;
  const chat = chatOf(service, { sdk, id: randomUUID(), deploymentId });
  const first = dictate(provider);
  const sent = chat.sendMessage({ text: 'Hello' });
  first.think('Hm.');
  first.say('The beginning');
  await whenChat(chat, ({ lastMessage }) => textIn(lastMessage) === 'The beginning');
  const { id } = await service.service.services.stores.prisma.run.findFirstOrThrow({ where: { status: 'running' } });
  provider.reply({ kind: 'answer', thoughts: ['I know.'], deltas: ['The whole reply'] });
  await loseRun(service, id);
  await sent;
  first.end();
  expect(chat.error).toBeUndefined();
  return { id: chat.id, reply: chat.lastMessage };
}

const wordsOf = (message: UIMessage | undefined) =>
  (message?.parts ?? []).map((part) => ('text' in part ? [part.type, part.text] : [part.type]));

const WHOLE = [['step-start'], ['reasoning', 'I know.'], ['text', 'The whole reply']];

describe('a step that another process asks for again', () => {
  it.each(AI_SDKS)('is a part of its own, or replaces the first attempt, in version $version', async (sdk) => {
    const { reply } = await restart(sdk);
    const first = [['reasoning', 'Hm.'], ['text', 'The beginning'], ['data-step-restarted']];
    const [start, ...whole] = WHOLE;
    expect(wordsOf(reply)).toEqual(sdk.version === 6 ? [start, ...first, ...whole] : WHOLE);
  });

  it.each(AI_SDKS)('has only the whole reply in the stored messages of version $version', async (sdk) => {
    const { id } = await restart(sdk);
    const messages = await storedMessages(provided.service, id, deploymentId);
    expect(messages.map(textIn)).toEqual(['Hello', 'The whole reply']);
  });
});

import { randomUUID } from 'node:crypto';
import type { AssistantRuntime } from '@assistant-ui/react';
import type { UIMessage } from 'ai';
import { createElement } from 'react';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReactPage, type ReactPage } from '../support/react-page.ts';
import { startService, type TestService } from '../support/service.ts';
import { storedMessages, uiPath } from '../support/ui-chat.ts';
import { until } from '../support/until.ts';

let service: TestService;
let page: ReactPage;
beforeAll(async () => {
  [service, page] = await Promise.all([startService(), openReactPage()]);
});
afterAll(async () => {
  await page.close();
  await service.close();
});

/** The lines of the guide. */
async function show(id: string, messages: UIMessage[]) {
  const { useChat } = await import('ai-sdk-react-4');
  const { DefaultChatTransport } = await import('ai-7');
  const { AssistantRuntimeProvider } = await import('@assistant-ui/react');
  const { useAISDKRuntime } = await import('@assistant-ui/react-ai-sdk');
  const headers = { authorization: `Bearer ${service.key}` };
  const transport = new DefaultChatTransport({ api: service.url + uiPath(), headers });
  let latest: AssistantRuntime | undefined;
  function Page() {
    const chat = useChat({ id, messages: messages as never, resume: true, transport });
    latest = useAISDKRuntime(chat as never);
    return createElement(AssistantRuntimeProvider, { runtime: latest, children: null });
  }
  const root = page.createRoot(document.createElement('div'));
  page.flushSync(() => root.render(createElement(Page)));
  const texts = () =>
    latest?.thread
      .getState()
      .messages.map(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')).join('')) ?? [];
  return {
    say: (text: string) => latest?.thread.append(text),
    texts,
    when: (expected: readonly string[]) =>
      until(async () => JSON.stringify(texts()) === JSON.stringify(expected) || undefined),
    unmount: () => page.flushSync(() => root.unmount()),
  };
}

describe('assistant-ui', () => {
  it('runs a turn, and shows it and the next one after a reload', async () => {
    const id = randomUUID();
    const chat = await show(id, await storedMessages(service, id));
    expect(chat.texts()).toEqual([]);
    chat.say('Hello');
    await chat.when(['Hello', 'You said: Hello']);
    chat.unmount();
    const reloaded = await show(id, await storedMessages(service, id));
    await reloaded.when(['Hello', 'You said: Hello']);
    reloaded.say('Again');
    await reloaded.when(['Hello', 'You said: Hello', 'Again', 'You said: Again']);
    reloaded.unmount();
  });
});

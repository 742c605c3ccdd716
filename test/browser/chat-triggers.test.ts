import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { cidOf, composer, reply, say, storedTexts } from '../support/chat-page.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { createTrigger, expireTrigger, readTrigger } from '../support/triggers.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

const linkTo = (tid: string, deploymentId = DEMO_CHAT_ID) => `/chat/${deploymentId}?tid=${tid}`;

async function trigger(words: string, deploymentId = DEMO_CHAT_ID): Promise<string> {
  return (await createTrigger(service, { content: textContent(words) }, deploymentId)).body.id;
}

const tidOf = (page: Page) => new URL(page.url()).searchParams.get('tid');

describe('a link with a trigger', () => {
  it('starts its conversation once and replaces the trigger in the address with the conversation ID', async () => {
    const tid = await trigger('/stream 60');
    const window = await visit(browser, service.url);
    const page = await window.open(linkTo(tid));
    await page.getByText(/^word1/).waitFor();
    await page.waitForURL(/cid=/);
    await reply(page, /word60$/);
    expect(tidOf(page)).toBeNull();
    const { body } = await readTrigger(service, tid);
    expect(body.conversation_id).toBe(cidOf(page));
    await page.reload();
    await reply(page, /word60$/);
    await say(page, 'And then?');
    await reply(page, 'You said: And then?');
    expect(await storedTexts(service, cidOf(page))).toHaveLength(4);
    await page.getByRole('navigation').getByRole('button', { name: '/stream 60' }).first().waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('opens its conversation in any browser after its first use, with a notice', async () => {
    const tid = await trigger('Where is my order?');
    const first = await visit(browser, service.url);
    const started = await first.open(linkTo(tid));
    await reply(started, 'You said: Where is my order?');
    const other = await visit(browser, service.url);
    const page = await other.open(linkTo(tid));
    await reply(page, 'You said: Where is my order?');
    await page.getByText('This link has already been used. This is its conversation.').waitFor();
    expect([cidOf(page), tidOf(page)]).toEqual([cidOf(started), null]);
    await expectAccessible(page);
    await screenshot(page, 'chat-link-used');
    await say(page, 'Is it here?');
    await reply(page, 'You said: Is it here?');
    for (const window of [first, other]) {
      expectQuiet(window);
      await window.close();
    }
  });

  it('starts one conversation if two windows open it at once, and both show it', async () => {
    const tid = await trigger('Both at once');
    const windows = await Promise.all([1, 2].map(() => visit(browser, service.url)));
    const pages = await Promise.all(windows.map((window) => window.open(linkTo(tid))));
    await Promise.all(pages.map((page) => reply(page, 'You said: Both at once')));
    expect(new Set(pages.map(cidOf)).size).toBe(1);
    expect(await storedTexts(service, cidOf(pages[0] as Page))).toHaveLength(2);
    await Promise.all(windows.map((window) => window.close()));
  });

  it('shows that it has expired and offers a new conversation', async () => {
    const tid = await trigger('Too late');
    await expireTrigger(service, tid);
    const window = await visit(browser, service.url);
    const page = await window.open(linkTo(tid));
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    expect(await composer(page).count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'chat-link-expired');
    await page.getByRole('button', { name: 'Start a new conversation' }).click();
    await say(page, 'Hello');
    await reply(page, 'You said: Hello');
    expect(tidOf(page)).toBeNull();
    expectQuiet(window);
    await window.close();
  });

  it('does not open its conversation if it expired after its first use', async () => {
    const tid = await trigger('Once');
    const window = await visit(browser, service.url);
    await reply(await window.open(linkTo(tid)), 'You said: Once');
    await expireTrigger(service, tid);
    const page = await window.open(linkTo(tid));
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it.each(['unheard', '../../x', 'a b'])('shows that it is not valid if the trigger is unknown (%s)', async (tid) => {
    const window = await visit(browser, service.url);
    const page = await window.open(linkTo(encodeURIComponent(tid)));
    await page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'chat-link-unknown');
    expect(window.consoleErrors).toEqual([expect.stringMatching(/40[04]/)]);
    await window.close();
  });

  it('shows that its conversation was deleted', async () => {
    const tid = await trigger('To be deleted');
    const window = await visit(browser, service.url);
    const started = await window.open(linkTo(tid));
    await reply(started, 'You said: To be deleted');
    const id = cidOf(started);
    await service.graphql(
      'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename ... on DeleteConversationPayload { conversationId } ... on Error { code message path } } }',
      {
        id,
      },
    );
    const page = await window.open(linkTo(tid));
    await page.getByRole('heading', { name: 'Conversation not found' }).waitFor();
    await window.close();
  });

  it('continues after a failed first reply in the same conversation', async () => {
    const tid = await trigger('/say half && /fail');
    const window = await visit(browser, service.url);
    const page = await window.open(linkTo(tid));
    const alert = page.getByRole('alert');
    await alert.getByText('The assistant could not answer.').waitFor();
    const id = cidOf(page);
    expect(id).not.toBeNull();
    await alert.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(() => storedTexts(service, id)).toHaveLength(4);
    expect(cidOf(page)).toBe(id);
    expectQuiet(window);
    await window.close();
  });

  it('starts once with Retry after a network failure', async () => {
    const tid = await trigger('Once more');
    const window = await visit(browser, service.url);
    await window.context.route(
      '**/conversation/stream',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    const page = await window.open(linkTo(tid));
    await page.getByRole('alert').getByRole('button', { name: 'Retry' }).click();
    await reply(page, 'You said: Once more');
    expect(cidOf(page)).toBe((await readTrigger(service, tid)).body.conversation_id);
    expect(await storedTexts(service, cidOf(page))).toEqual(['Once more', 'You said: Once more']);
    await window.close();
  });
});

describe('an assistant that requires a link', () => {
  it('asks for a link, offers no new conversation and works with a link', async () => {
    const { id } = await makeDeployment(service, {}, { hostedPage: true, triggerRequired: true, name: 'By link' });
    const window = await visit(browser, service.url);
    const page = await window.open(`/chat/${id}`);
    await page.getByRole('heading', { name: 'This assistant needs a link' }).waitFor();
    expect(await composer(page).count()).toBe(0);
    expect(await page.getByRole('button', { name: /new/i }).count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'chat-link-needed');
    await page.goto(`${service.url}${linkTo(await trigger('From the link', id), id)}`);
    await reply(page, 'You said: From the link');
    await say(page, 'And on');
    await reply(page, 'You said: And on');
    await page.goto(`${service.url}/chat/${id}`);
    await page.getByRole('navigation').getByRole('button', { name: 'From the link' }).first().click();
    await reply(page, 'You said: And on');
    const expired = await trigger('Late', id);
    await expireTrigger(service, expired);
    await page.goto(`${service.url}${linkTo(expired, id)}`);
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    expect(await page.getByRole('button', { name: /new/i }).count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });

  it('rejects links of other deployments', async () => {
    const { id } = await makeDeployment(service, {}, { hostedPage: true });
    const window = await visit(browser, service.url);
    const page = await window.open(linkTo(await trigger('Of the demo'), id));
    await page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
    await page.goto(`${service.url}/chat/${id}?cid=${randomUUID()}`);
    await page.getByRole('heading', { name: 'Conversation not found' }).waitFor();
    await window.close();
  });
});

import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { cidOf, composer, reply, say } from '../support/chat-page.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

const chat = `/chat/${DEMO_CHAT_ID}`;
const key = `parley.chat.${DEMO_CHAT_ID}`;

const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations' });
const begin = (page: Page) => list(page).getByRole('button', { name: 'New conversation' }).click();

async function talk(page: Page, words: string): Promise<string | null> {
  await say(page, words);
  await reply(page, `You said: ${words}`);
  await list(page).getByRole('button', { name: words }).first().waitFor();
  return cidOf(page);
}

describe('the conversation list', () => {
  it('keeps conversations with their titles, opens them and survives a reload', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    const first = await talk(page, 'About apples');
    await begin(page);
    expect(cidOf(page)).toBeNull();
    await page.getByText('Write the first message').waitFor();
    const second = await talk(page, 'About pears');
    expect(second).not.toBe(first);
    await page.reload();
    await reply(page, 'You said: About pears');
    await list(page).getByRole('button', { name: 'About apples', exact: false }).first().click();
    await reply(page, 'You said: About apples');
    expect(cidOf(page)).toBe(first);
    expect(await page.getByRole('log').getByText('About pears').count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'chat-list');
    expectQuiet(window);
    await window.close();
  });

  it('follows back and forward', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    const first = await talk(page, 'One');
    await begin(page);
    const second = await talk(page, 'Two');
    await page.goBack();
    await reply(page, 'You said: One');
    expect(cidOf(page)).toBe(first);
    await page.goForward();
    await reply(page, 'You said: Two');
    expect(cidOf(page)).toBe(second);
    await page.goBack();
    await reply(page, 'You said: One');
    await say(page, 'One more');
    await reply(page, 'You said: One more');
    expect(cidOf(page)).toBe(first);
    expectQuiet(window);
    await window.close();
  });

  it('removes a conversation on request', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    await talk(page, 'Forget me');
    await page.getByRole('button', { name: 'Remove Forget me from this list' }).click();
    await page.getByText('Your conversations appear here.').waitFor();
    expect(cidOf(page)).toBeNull();
    await page.reload();
    await page.getByText('Your conversations appear here.').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('removes a deleted conversation and shows that it was not found', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    const id = await talk(page, 'Short life');
    await service.graphql(
      'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename ... on DeleteConversationPayload { conversationId } ... on Error { code message path } } }',
      {
        id,
      },
    );
    await page.reload();
    await page.getByRole('heading', { name: 'Conversation not found' }).waitFor();
    await page.getByText('Your conversations appear here.').waitFor();
    expect(await composer(page).count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'chat-gone');
    await page.getByRole('button', { name: 'Start a new conversation' }).click();
    await talk(page, 'Another life');
    expect(window.consoleErrors).toEqual([]);
    await window.close();
  });

  it.each(['x', randomUUID()])(
    'adds a conversation that was opened by its address, and shows that an unknown one (%s) was not found',
    async (id) => {
      const window = await visit(browser, service.url);
      const { body } = await service.chat('By its address');
      const page = await window.open(`${chat}?cid=${body.conversation_id}`);
      await reply(page, 'You said: By its address');
      await list(page).getByRole('button', { name: 'By its address' }).first().waitFor();
      const other = await window.open(`${chat}?cid=${id}`);
      await other.getByRole('heading', { name: 'Conversation not found' }).waitFor();
      await window.close();
    },
  );

  it('is a dialog on a phone, which Escape closes', async () => {
    const window = await visit(browser, service.url, { viewport: { width: 390, height: 844 } });
    const page = await window.open(chat);
    await say(page, 'Small');
    await reply(page, 'You said: Small');
    await page.getByRole('button', { name: 'Conversations' }).click();
    const dialog = page.getByRole('dialog', { name: 'Conversations' });
    await dialog.getByRole('button', { name: 'Small' }).first().waitFor();
    await expectAccessible(page);
    await screenshot(page, 'chat-drawer');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    expect(await focused()).toBe('Conversations');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'New conversation' }).click();
    await page.getByText('Write the first message').waitFor();
    expectQuiet(window);
    await window.close();
  });
});

describe('a long conversation', () => {
  it('shows its newest messages first, and loads earlier ones without moving the visible ones', async () => {
    const { conversation_id } = (await service.chat('Number 1')).body;
    for (let number = 2; number <= 23; number += 1) await service.chat(`Number ${number}`, { conversation_id });
    const window = await visit(browser, service.url);
    const page = await window.open(`${chat}?cid=${conversation_id}`);
    await reply(page, 'You said: Number 23');
    const log = page.getByRole('log');
    expect(await log.getByText('You said: Number 1', { exact: true }).count()).toBe(0);
    const oldest = log.getByText('Number 11', { exact: true });
    await screenshot(page, 'chat-long');
    await page.getByRole('region', { name: 'Conversation' }).evaluate((region) => region.scrollTo(0, 0));
    const before = await oldest.boundingBox();
    await page.getByRole('button', { name: 'Load earlier messages' }).click();
    await log.getByText('You said: Number 1', { exact: true }).waitFor({ state: 'attached' });
    const after = await oldest.boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(60);
    expect(await page.getByRole('button', { name: 'Load earlier messages' }).count()).toBe(0);
    expect(await log.getByText(/^Number \d+$/).allTextContents()).toEqual(
      Array.from({ length: 23 }, (_, index) => `Number ${index + 1}`),
    );
    await page.getByRole('button', { name: 'Go to the newest message' }).click();
    await log.getByText('You said: Number 23').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('keeps the scroll position while a reply streams if the user has scrolled up', async () => {
    const window = await visit(browser, service.url, { viewport: { width: 500, height: 500 } });
    const page = await window.open(chat);
    await say(page, '/stream 1200');
    await page.getByText(/word150\b/).waitFor();
    const region = page.getByRole('region', { name: 'Conversation' });
    const fromEnd = () => region.evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight);
    expect(await fromEnd()).toBeLessThan(60);
    await region.hover();
    await page.mouse.wheel(0, -300);
    await page.getByRole('button', { name: 'Go to the newest message' }).waitFor();
    const top = await region.evaluate((node) => node.scrollTop);
    await page.getByText(/word500\b/).waitFor();
    expect(await region.evaluate((node) => node.scrollTop)).toBe(top);
    await page.getByRole('button', { name: 'Go to the newest message' }).click();
    await page.getByText(/word700\b/).waitFor();
    expect(await fromEnd()).toBeLessThan(60);
    await page.keyboard.press('Escape');
    expectQuiet(window);
    await window.close();
  });
});

describe('the storage of the browser', () => {
  it.each(['{', '[1,null,{"id":3}]', '"text"', '{"a":1}'])(
    'does not break the page if its content is invalid: %s',
    async (text) => {
      const window = await visit(browser, service.url, { isOwn: true });
      await window.context.addInitScript(
        ([name, value]) => {
          if (location.protocol === 'http:') localStorage.setItem(name, value);
        },
        [key, text] as const,
      );
      const page = await window.open(chat);
      await talk(page, 'Fine');
      expectQuiet(window);
      await window.close();
    },
  );

  it.each(['full', 'forbidden'])('is replaced by the memory of the page if it is %s', async (how) => {
    const window = await visit(browser, service.url, { isOwn: true });
    await window.context.addInitScript((kind) => {
      const refuse = () => {
        throw new DOMException('no', kind === 'full' ? 'QuotaExceededError' : 'SecurityError');
      };
      if (kind === 'full') Storage.prototype.setItem = refuse;
      else Object.defineProperty(globalThis, 'localStorage', { get: refuse });
    }, how);
    const page = await window.open(chat);
    const first = await talk(page, 'One');
    await begin(page);
    await talk(page, 'Two');
    await list(page).getByRole('button', { name: 'One' }).first().click();
    await reply(page, 'You said: One');
    expect(cidOf(page)).toBe(first);
    expectQuiet(window);
    await window.close();
  });
});

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, launchBrowser, screenshot, visit } from '../support/browser.ts';
import { composer, reply, say, storedTexts } from '../support/chat-page.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const chat = `/chat/${DEMO_CHAT_ID}`;
const cidOf = (page: Page) => new URL(page.url()).searchParams.get('cid');

describe('SPEC 4.7 rule 4: the hosted chat', () => {
  it('shows a reply word by word, and keeps the focus where one writes', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    await page.getByRole('heading', { name: 'Demo chat' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'chat-empty');
    await say(page, '/stream 40');
    const seen = new Set<string>();
    const last = page.getByText(/word40$/);
    while ((await last.count()) === 0) {
      const words = await page.getByText(/^word1/).allTextContents();
      seen.add(words[0] ?? '');
    }
    expect(seen.size).toBeGreaterThan(5);
    await reply(page, /word40$/);
    expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
    await expectAccessible(page);
    expectQuiet(window);
    await window.close();
  });
});

describe('Stop', () => {
  it.each(['the button', 'Escape'])(
    'keeps the text that was written, by %s: the stored message equals it',
    async (how) => {
      const window = await visit(browser, service.url);
      const page = await window.open(chat);
      await say(page, '/stream 2000');
      await page.getByText(/word20\b/).waitFor();
      if (how === 'Escape') await page.keyboard.press('Escape');
      else await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('You stopped this reply.').waitFor();
      const shown = page.getByRole('log').getByText(/^word1/);
      await shown.waitFor();
      const [, stored] = await storedTexts(service, cidOf(page));
      expect((await shown.textContent())?.trim()).toBe(stored?.trim());
      expect(stored?.split(' ').length).toBeLessThan(1_900);
      expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
      await say(page, 'And on');
      await reply(page, 'You said: And on');
      expectQuiet(window);
      await window.close();
    },
  );
});

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, launchBrowser, screenshot, visit } from '../support/browser.ts';
import { cidOf, composer, reply, say, storedTexts } from '../support/chat-page.ts';
import { text } from '../support/doors.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const CODE = 'Look:\n\n```js\nconst a = 1;\nconst b = 2;\n```\n';

const chat = `/chat/${DEMO_CHAT_ID}`;

describe('SPEC 4.7 rule 4: the hosted chat', () => {
  it('shows a reply word by word, and keeps the focus where one writes', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    await page.getByRole('heading', { name: 'Demo chat' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'chat-empty');
    await page.evaluate(() => {
      const seen = new Set<string>();
      Object.assign(globalThis, { seen });
      const look = () => seen.add(document.querySelector('main')?.textContent?.match(/word\d+(?!.*word)/)?.[0] ?? '');
      new MutationObserver(look).observe(document.body, { childList: true, characterData: true, subtree: true });
    });
    await say(page, '/stream 40');
    await reply(page, /word40$/);
    const seen = await page.evaluate(() => [...(globalThis as unknown as { seen: Set<string> }).seen]);
    expect(seen.length).toBeGreaterThan(10);
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

describe('a message', () => {
  it('carries pictures and files, and shows them when it is loaded again', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    await page.locator('input[type=file]').setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Some notes') },
    ]);
    await page.getByText('notes.txt').waitFor();
    await screenshot(page, 'chat-attached');
    await say(page, 'Look at these');
    const log = page.getByRole('log');
    await log.getByText('You said: Look at these').waitFor();
    const check = async () => {
      await log.getByRole('img', { name: 'Sent with this message' }).waitFor();
      const file = log.getByRole('link', { name: /text\/plain, 10 B/ });
      expect(await file.getAttribute('href')).toBe(
        `data:text/plain;base64,${Buffer.from('Some notes').toString('base64')}`,
      );
    };
    await check();
    await page.reload();
    await check();
    await expectAccessible(page);
    await screenshot(page, 'chat-files');
    expectQuiet(window);
    await window.close();
  });

  it('of the assistant is Markdown that can do nothing: no script, no picture from elsewhere, no javascript: link', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    const evil =
      'Hi <script>window.hit=1</script> <img src=x onerror="window.hit=2"> [a link](javascript:window.hit=3) ' +
      '![picture](https://elsewhere.example/p.png) **bold** `code`';
    await say(page, `/say ${evil}`);
    const log = page.getByRole('log');
    await log.getByText('bold', { exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false);
    expect(await log.locator('script, img, [onerror]').count()).toBe(0);
    expect(await log.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      '',
      'https://elsewhere.example/p.png',
    ]);
    expectQuiet(window);
    await window.close();
  });

  it('has its code copied', async () => {
    const window = await visit(browser, service.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await window.open(chat);
    // The demo model says one line; the user's own words come back with their lines.
    await say(page, CODE);
    await page.getByRole('log').getByRole('button', { name: 'Copy code' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('const a = 1;\nconst b = 2;');
    await expectAccessible(page);
    await screenshot(page, 'chat-code');
    expectQuiet(window);
    await window.close();
  });

  it('that is an object, by an output schema, is shown as JSON for people', async () => {
    const outputSchema = { type: 'object', properties: { mood: { type: 'string' } }, required: ['mood'] };
    const { id } = await makeDeployment(service, { outputSchema }, { name: 'Moods', hostedPage: true });
    const window = await visit(browser, service.url);
    const page = await window.open(`/chat/${id}`);
    await say(page, '/say {"mood":"good"}');
    const json = page.getByRole('log').locator('pre');
    await json.waitFor();
    await expect.poll(() => json.textContent()).toBe('{\n  "mood": "good"\n}\n');
    await page.reload();
    await json.waitFor();
    await screenshot(page, 'chat-json');
    expectQuiet(window);
    await window.close();
  });

  it('is the last one of a conversation that is completed: nothing more is said in it', async () => {
    const { id } = await makeDeployment(service, { allowConversationCompletion: true }, { hostedPage: true });
    const window = await visit(browser, service.url);
    const page = await window.open(`/chat/${id}`);
    await say(page, 'Hello');
    await reply(page, 'You said: Hello');
    // Ordinary chat completes nothing; an agent's turn of the same conversation may.
    const body = { content: text('/complete\n/say Goodbye'), conversation_id: cidOf(page) };
    await service.send('POST', `/v2/runner/${id}/conversation`, { body });
    await page.reload();
    await page.getByText('This conversation has ended.').waitFor();
    expect(await composer(page).count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'chat-ended');
    await page.getByRole('button', { name: 'Start a new one' }).click();
    await say(page, 'Again');
    await reply(page, 'You said: Again');
    expectQuiet(window);
    await window.close();
  });
});

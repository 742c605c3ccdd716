import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { cidOf, composer, reply, say, storedTexts } from '../support/chat-page.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const CODE = 'Look:\n\n```js\nconst a = 1;\nconst b = 2;\n```\n';

const chat = `/chat/${DEMO_CHAT_ID}`;

describe('the hosted chat', () => {
  it('streams a reply word by word and keeps the focus in the composer', async () => {
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
  it.each(['the button', 'Escape'])('by %s keeps the partial reply, which equals the stored message', async (how) => {
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
  });
});

describe('a message', () => {
  it('sends pictures and files and shows them after a reload', async () => {
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
      const file = log.getByRole('link', { name: /notes\.txt.*text\/plain, 10 B/ });
      const content = await fetch((await file.getAttribute('href')) ?? '');
      expect(await content.text()).toBe('Some notes');
    };
    await check();
    await page.reload();
    await check();
    await expectAccessible(page);
    await screenshot(page, 'chat-files');
    expectQuiet(window);
    await window.close();
  });

  it('of the assistant renders Markdown without scripts, external pictures and javascript: links', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    const evil =
      'Hi <script>window.hit=1</script> <img src=x onerror="window.hit=2"> [a link](javascript:window.hit=3) ' +
      '![picture](https://elsewhere.example/p.png) **bold** `code`';
    await say(page, `/say ${evil}`);
    const log = page.getByRole('log');
    await log.getByText('bold', { exact: true }).waitFor();
    // Pictures would be requested with the next frame.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false);
    expect(await log.locator('script, img, [onerror]').count()).toBe(0);
    expect(await log.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      '',
      'https://elsewhere.example/p.png',
    ]);
    expectQuiet(window);
    await window.close();
  });

  it('has a button that copies its code', async () => {
    const window = await visit(browser, service.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await window.open(chat);
    // The demo model replies with one line, but echoes all lines of the user.
    await say(page, CODE);
    await page.getByRole('log').getByRole('button', { name: 'Copy code' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('const a = 1;\nconst b = 2;');
    await expectAccessible(page);
    await screenshot(page, 'chat-code');
    expectQuiet(window);
    await window.close();
  });

  it('of a deployment with an output schema is shown as formatted JSON', async () => {
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

  it('is the last one in a completed conversation', async () => {
    const { id } = await makeDeployment(service, { allowConversationCompletion: true }, { hostedPage: true });
    const window = await visit(browser, service.url);
    const page = await window.open(`/chat/${id}`);
    await say(page, 'Hello');
    await reply(page, 'You said: Hello');
    // A chat turn never completes a conversation, but an agent turn can.
    const body = { content: textContent('/complete\n/say Goodbye'), conversation_id: cidOf(page) };
    await service.send('POST', `/v2/runner/${id}/conversation`, { body });
    await page.reload();
    await page.getByText('This conversation has ended.').waitFor();
    expect(await composer(page).count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'chat-ended');
    await page.getByRole('button', { name: 'Start a new conversation' }).click();
    await say(page, 'Again');
    await reply(page, 'You said: Again');
    expectQuiet(window);
    await window.close();
  });
});

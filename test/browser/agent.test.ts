import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AGENT_PAGE,
  answer,
  composer,
  conversationOf,
  form,
  liftLimits,
  outputsOf,
  QUESTIONS,
  reply,
  say,
} from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await liftLimits(service);
});
afterAll(async () => {
  await service?.close();
});

/** The distance from the scroll position to the end of the conversation, in pixels. */
const placeOf = (page: Page) =>
  page.getByRole('region', { name: 'Conversation' }).evaluate((region) => region.scrollHeight - region.scrollTop);

describe('the hosted page of an agent', () => {
  it('starts a conversation, asks questions, accepts a document and completes the conversation', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(AGENT_PAGE);
    await page.getByRole('heading', { name: 'How can I help?' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-welcome');

    await say(page, '/ask\n/upload\n/complete\n/say Thank **you**.');
    const cid = await conversationOf(page);
    const questions = form(page, QUESTIONS);
    await questions.waitFor();
    await expect.poll(() => questions.evaluate((element) => element === document.activeElement)).toBe(true);
    await expect.poll(() => composer(page).isVisible()).toBe(false);
    await expectAccessible(page);
    await screenshot(page, 'agent-questions');
    await answer(page, 'Ann');
    await screenshot(page, 'agent-questions-filled');
    await questions.getByRole('button', { name: 'Send' }).click();

    const upload = form(page, 'Please upload a document.');
    await upload.waitFor();
    const buffer = Buffer.from('Dear all');
    await upload.locator('input[type=file]').setInputFiles({ name: 'letter.txt', mimeType: 'text/plain', buffer });
    await upload.getByText('letter.txt').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-upload');
    await upload.getByRole('button', { name: 'Send' }).click();

    await reply(page, 'Thank you.').waitFor();
    await page.getByText('The assistant completed the conversation.').waitFor();
    await page.getByText('This conversation has ended.').waitFor();
    await expect.poll(() => composer(page).isVisible()).toBe(false);
    await expectAccessible(page);
    await screenshot(page, 'agent-completed');
    const calls = page.locator('li details');
    expect(await calls.locator('summary').allInnerTexts()).toEqual([
      'Questions\nAnswered',
      'Document\nAnswered',
      'Completion\nDone',
    ]);
    for (const call of await calls.all()) await call.locator('summary').click();
    await page.getByText('billing, returns').waitFor();
    await page.getByText('text/plain, 8 B').waitFor();
    await page.getByRole('link', { name: /letter\.txt/ }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-details');
    expect(await outputsOf(service, cid)).toEqual([
      {
        answers: [
          { id: 'name', value: 'Ann' },
          { id: 'contact', value: 'phone' },
          { id: 'topics', value: ['billing', 'returns'] },
        ],
      },
      { content: [{ type: 'url', mime_type: 'text/plain', file_uri: expect.stringMatching(/^parley:file_/) }] },
    ]);
    expectQuiet(window);
    await window.close();
  });

  it('starts another conversation and returns to the first with the back button', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(AGENT_PAGE);
    await say(page, 'First');
    await reply(page, 'You said: First').waitFor();
    const first = await conversationOf(page);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('heading', { name: 'How can I help?' }).waitFor();
    expect(page.url()).toBe(`${service.url}${AGENT_PAGE}`);
    await say(page, 'Second');
    await reply(page, 'You said: Second').waitFor();
    const second = await conversationOf(page);
    expect(second).not.toBe(first);
    await page.goBack();
    await reply(page, 'You said: First').waitFor();
    expect(await conversationOf(page)).toBe(first);
    expect(await page.getByRole('log').getByText('Second').count()).toBe(0);
    await page.goForward();
    await reply(page, 'You said: Second').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('loads earlier items and keeps the scroll position', async () => {
    const { conversation_id } = (await service.agentTurn('Turn 1')).body;
    for (let turn = 2; turn <= 25; turn += 1) await service.agentTurn(`Turn ${turn}`, { conversation_id });
    const window = await visit(browser, service.url);
    const page = await window.open(`${AGENT_PAGE}?cid=${conversation_id}`);
    await reply(page, 'You said: Turn 25').waitFor();
    expect(await page.getByText('Turn 15', { exact: true }).count()).toBe(0);
    const earlier = page.getByRole('button', { name: 'Load earlier' });
    await earlier.scrollIntoViewIfNeeded();
    const before = await placeOf(page);
    await earlier.click();
    await page.getByText('Turn 10', { exact: true }).waitFor({ state: 'attached' });
    await expect.poll(async () => Math.abs((await placeOf(page)) - before)).toBeLessThan(48);
    await earlier.click();
    await page.getByText('Turn 1', { exact: true }).waitFor({ state: 'attached' });
    await earlier.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('li:has(h3)').count()).toBe(50);
    expectQuiet(window);
    await window.close();
  });

  it('explains a failed turn and continues with Continue.', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(AGENT_PAGE);
    await say(page, '/fail');
    await page.getByText('The assistant could not answer. Your message is saved.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-failed');
    await expect.poll(() => composer(page).inputValue()).toBe('');
    await page.getByRole('button', { name: 'Continue' }).click();
    await reply(page, 'You said: Continue.').waitFor();
    await page.getByText('could not answer').waitFor({ state: 'detached' });
    // Browsers log the 502 of the failed turn.
    expect(window.consoleErrors).toEqual([expect.stringContaining('502')]);
    await window.close();
  });

  it('shows that the assistant is working and fits into a small frame', async () => {
    const window = await visit(browser, service.url, { viewport: { width: 360, height: 560 } });
    const page = await window.open(AGENT_PAGE);
    await say(page, '/slow 3\n/ask');
    await page.getByRole('status').getByText('The assistant is working…').waitFor();
    await page.getByText('/slow 3').waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    expect(await page.getByRole('button', { name: 'Send', exact: true }).count()).toBe(0);
    await expectAccessible(page);
    await form(page, QUESTIONS).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBeLessThanOrEqual(0);
    // Uses the keyboard only.
    await page.keyboard.press('Tab');
    await page.keyboard.type('Bo');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    for (let tab = 0; tab < 5; tab += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const cid = await conversationOf(page);
    await expect
      .poll(() => outputsOf(service, cid))
      .toMatchObject([
        {
          answers: [
            { id: 'name', value: 'Bo' },
            { id: 'contact', value: 'phone' },
            { id: 'topics', value: ['billing'] },
          ],
        },
      ]);
    expectQuiet(window);
    await window.close();
  });
});

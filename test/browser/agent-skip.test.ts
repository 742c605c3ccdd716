import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AGENT_PAGE,
  answer,
  conversationOf,
  form,
  liftLimits,
  outputsOf,
  QUESTIONS,
  reply,
  say,
} from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { storedTexts } from '../support/chat-page.ts';
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

const other = (page: Page) => page.getByRole('textbox', { name: 'Write something else' });

describe('while questions wait', () => {
  it('the user can write something else, which cancels the questions', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(AGENT_PAGE);
    await say(page, '/ask\n/say Done');
    await form(page, QUESTIONS).waitFor();
    await page.getByText('A message skips what the assistant is waiting for.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-skip');
    await other(page).fill('How late is it?');
    await other(page).press('Enter');
    await reply(page, 'You said: How late is it?').waitFor();
    expect(await form(page, QUESTIONS).count()).toBe(0);
    await page.getByText('Cancelled').waitFor();
    expect(await page.getByText('This was answered in another window.').count()).toBe(0);
    await expectAccessible(page);
    const cid = await conversationOf(page);
    expect(await outputsOf(service, cid)).toEqual([null]);
    expect(await storedTexts(service, cid)).toEqual([
      '/ask\n/say Done',
      'How late is it?',
      'You said: How late is it?',
    ]);
    expectQuiet(window);
    await window.close();
  });

  it('the user can decline to answer, and the assistant continues', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(AGENT_PAGE);
    await say(page, '/ask\n/say Done');
    await answer(page, 'Ann');
    await page.getByRole('button', { name: 'Decline to answer' }).click();
    await reply(page, 'You said: I would rather not answer that.').waitFor();
    expect(await form(page, QUESTIONS).count()).toBe(0);
    const cid = await conversationOf(page);
    expect(await outputsOf(service, cid)).toEqual([null]);
    await page.reload();
    await reply(page, 'You said: I would rather not answer that.').waitFor();
    expect(await form(page, QUESTIONS).count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });

  it('keeps the message and the questions if they cannot be cancelled', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(AGENT_PAGE);
    await say(page, '/ask\n/say Done');
    await form(page, QUESTIONS).waitFor();
    await page.route('**/stop', (route) => route.fulfill({ status: 403, json: {} }), { times: 1 });
    await other(page).fill('Something else');
    await other(page).press('Enter');
    await page.getByRole('alert').getByText('The open questions could not be cancelled.').waitFor();
    expect(await other(page).inputValue()).toBe('Something else');
    await form(page, QUESTIONS).waitFor();
    await expectAccessible(page);
    await other(page).press('Enter');
    await reply(page, 'You said: Something else').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(window.consoleErrors).toEqual([expect.stringContaining('403')]);
    await window.close();
  });

  it('the form keeps the focus, and the keyboard reaches the other choices', async () => {
    const window = await visit(browser, service.url, { viewport: { width: 390, height: 844 } });
    const page = await window.open(AGENT_PAGE);
    await say(page, '/ask\n/say Done');
    const questions = form(page, QUESTIONS);
    await expect.poll(() => questions.evaluate((element) => element === document.activeElement)).toBe(true);
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    for (let tab = 0; tab < 20 && (await focused()) !== 'Decline to answer'; tab += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await reply(page, 'You said: I would rather not answer that.').waitFor();
    expectQuiet(window);
    await window.close();
  });
});

describe('earlier conversations of an agent', () => {
  const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations' });

  it('are in the list of the browser, latest first, and open with a click', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(AGENT_PAGE);
    await page.getByText('Your conversations appear here.').waitFor();
    await say(page, 'About apples');
    await reply(page, 'You said: About apples').waitFor();
    const first = await conversationOf(page);
    await list(page).getByRole('button', { name: 'New conversation' }).click();
    await say(page, 'About pears');
    await reply(page, 'You said: About pears').waitFor();
    await page.reload();
    await reply(page, 'You said: About pears').waitFor();
    const titles = () => list(page).locator('li > button:first-child > span:first-child').allInnerTexts();
    expect(await titles()).toEqual(['About pears', 'About apples']);
    await list(page)
      .getByRole('button', { name: /^About apples/ })
      .click();
    await reply(page, 'You said: About apples').waitFor();
    expect(await conversationOf(page)).toBe(first);
    // To open it is no turn.
    expect(await titles()).toEqual(['About pears', 'About apples']);
    await say(page, 'One more');
    await reply(page, 'You said: One more').waitFor();
    await expect.poll(titles).toEqual(['About apples', 'About pears']);
    await expectAccessible(page);
    await screenshot(page, 'agent-list');
    await list(page).getByRole('button', { name: 'Remove About apples from this list' }).click();
    await page.getByRole('heading', { name: 'How can I help?' }).waitFor();
    expect(await titles()).toEqual(['About pears']);
    expectQuiet(window);
    await window.close();
  });

  it('are in a drawer on a phone', async () => {
    const window = await visit(browser, service.url, { viewport: { width: 390, height: 844 } });
    const page = await window.open(AGENT_PAGE);
    await say(page, 'Small');
    await reply(page, 'You said: Small').waitFor();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('heading', { name: 'How can I help?' }).waitFor();
    await page.getByRole('button', { name: 'Conversations' }).click();
    const dialog = page.getByRole('dialog', { name: 'Conversations' });
    await expectAccessible(page);
    await screenshot(page, 'agent-drawer');
    await dialog.getByRole('button', { name: /^Small/ }).click();
    await dialog.waitFor({ state: 'detached' });
    await reply(page, 'You said: Small').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('lose a conversation that was deleted', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(AGENT_PAGE);
    await say(page, 'Short life');
    await reply(page, 'You said: Short life').waitFor();
    const id = await conversationOf(page);
    await service.graphql('mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename } }', {
      id,
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Conversation not found' }).waitFor();
    await page.getByText('Your conversations appear here.').waitFor();
    await window.close();
  });
});

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { blockFeed, cidOf, composer, reply, say, storedTexts } from '../support/chat-page.ts';
import { startProxy } from '../support/faulty-proxy.ts';
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

const chat = `/chat/${DEMO_CHAT_ID}`;

describe('a reply that fails', () => {
  it('keeps the message once, shows the error and offers to continue', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    await say(page, '/say so far && /fail');
    const alert = page.getByRole('alert');
    await alert.getByText('The assistant could not answer. The reply is not complete.').waitFor();
    await page.getByRole('log').getByText('so far', { exact: true }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'chat-failed');
    expect(await storedTexts(service, cidOf(page))).toEqual(['/say so far && /fail', 'so far']);
    // The service has the message: to send it again would show it twice.
    expect(await alert.getByRole('button').allInnerTexts()).toEqual(['Continue']);
    await alert.getByRole('button', { name: 'Continue' }).click();
    await reply(page, 'You said: Continue.');
    expect(await alert.count()).toBe(0);
    expect(await page.getByRole('log').getByText('/say so far && /fail').count()).toBe(1);
    expect(await storedTexts(service, cidOf(page))).toEqual([
      '/say so far && /fail',
      'so far',
      'Continue.',
      'You said: Continue.',
    ]);
    expectQuiet(window);
    await window.close();
  });

  it('shows a timeout of the model', async () => {
    const { id } = await makeDeployment(service, { timeoutSeconds: 1 }, { hostedPage: true });
    const window = await visit(browser, service.url);
    const page = await window.open(`/chat/${id}`);
    await say(page, '/slow 5\n/say late');
    await page.getByRole('alert').getByText('The assistant took too long to answer.').waitFor();
    const buttons = page.getByRole('alert').getByRole('button');
    await expect.poll(() => buttons.allInnerTexts()).toEqual(['Continue']);
    expect(await page.getByRole('main').getByText('/slow 5').count()).toBe(1);
    expect(await storedTexts(service, cidOf(page))).toEqual(['/slow 5\n/say late']);
    expectQuiet(window);
    await window.close();
  });
});

describe('a rejected message', () => {
  it('shows the waiting time of a rate limit and is sent once afterwards', async () => {
    const { id } = await makeDeployment(service, {}, { hostedPage: true });
    const { prisma } = service.service.services.stores;
    const limit = (turns: number) =>
      prisma.deployment.update({ where: { id }, data: { conversationTurnsPerMinute: turns } });
    // A turn that creates a conversation does not count for the conversation's limit.
    await limit(1);
    const window = await visit(browser, service.url);
    const page = await window.open(`/chat/${id}`);
    await say(page, 'First');
    await reply(page, 'You said: First');
    await say(page, 'Second');
    await reply(page, 'You said: Second');
    await say(page, 'Third');
    const alert = page.getByRole('alert');
    await alert.getByText(/^Too many messages\. Wait \d+ seconds?, then try again\.$/).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'chat-limited');
    await limit(100);
    await alert.getByRole('button', { name: 'Retry' }).dblclick();
    await reply(page, 'You said: Third');
    expect((await storedTexts(service, cidOf(page))).slice(4)).toEqual(['Third', 'You said: Third']);
    expect(window.consoleErrors).toEqual([expect.stringContaining('429')]);
    await window.close();
  });

  it('stays next to later messages until it is sent or discarded, if another turn was running', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    await blockFeed(page);
    await say(page, 'First');
    await reply(page, 'You said: First');
    const slow = service.chat('/slow 3\n/say slowly', { conversation_id: cidOf(page) });
    await expect.poll(() => storedTexts(service, cidOf(page))).toHaveLength(3);
    await say(page, 'Too early');
    const alert = page.getByRole('alert');
    await alert.getByText('still working on an earlier message').waitFor();
    await slow;
    await say(page, 'In time');
    await reply(page, 'You said: In time');
    await alert.getByRole('button', { name: 'Retry' }).click();
    await reply(page, 'You said: Too early');
    expect(await alert.count()).toBe(0);
    expect((await storedTexts(service, cidOf(page))).filter((text) => text === 'Too early')).toHaveLength(1);
    expect(window.consoleErrors).toEqual([expect.stringContaining('409')]);
    await window.close();
  });

  it('shows that the conversation has ended if another client completed it', async () => {
    const { id } = await makeDeployment(service, COMPLETES, { hostedPage: true });
    const window = await visit(browser, service.url);
    const page = await window.open(`/chat/${id}`);
    await blockFeed(page);
    await say(page, 'First');
    await reply(page, 'You said: First');
    const body = { content: [{ type: 'text', text: '/complete\n/say bye' }], conversation_id: cidOf(page) };
    await service.send('POST', `/v2/runner/${id}/conversation`, { body });
    await say(page, 'Second');
    await page.getByText('This conversation has ended.').waitFor();
    await page.getByText('Second', { exact: true }).waitFor();
    expect(await composer(page).count()).toBe(0);
    expect(window.consoleErrors).toEqual([expect.stringContaining('409')]);
    await window.close();
  });

  it('stays on the page, which offers a reload, if the session has expired', async () => {
    const { id } = await makeDeployment(service, {}, { hostedPage: true });
    const window = await visit(browser, service.url);
    const page = await window.open(`/chat/${id}`);
    await window.context.clearCookies();
    await say(page, 'Late');
    await page.getByText('Your session has expired').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'chat-visit-over');
    await page.getByRole('button', { name: 'Reload page' }).click();
    await say(page, 'In time');
    await reply(page, 'You said: In time');
    expect(window.consoleErrors).toEqual([expect.stringContaining('401')]);
    await window.close();
  });
});

const COMPLETES = { allowConversationCompletion: true };

describe('a failing network', () => {
  it('keeps a partial reply, offers to continue and shows the stored reply after a reload', async () => {
    const proxy = await startProxy(service.url);
    const window = await visit(browser, proxy.url);
    const page = await window.open(chat);
    await say(page, '/stream 2000');
    await page.getByText(/word30\b/).waitFor();
    await proxy.cut('responded');
    const alert = page.getByRole('alert');
    await alert.getByText('The connection was lost. The reply may not be complete.').waitFor();
    await page.getByText(/word30\b/).waitFor();
    await alert.getByRole('button', { name: 'Continue' }).click();
    await reply(page, 'You said: Continue.');
    const [said, cut] = await storedTexts(service, cidOf(page));
    expect(said).toBe('/stream 2000');
    await page.reload();
    await reply(page, 'You said: Continue.');
    const shown = page.getByRole('log').getByText(/^word1/);
    expect((await shown.textContent())?.trim()).toBe(cut?.trim());
    expect(window.consoleErrors.every((complaint) => /ERR_CONNECTION_RESET|ERR_SOCKET/.test(complaint))).toBe(true);
    await window.close();
    await proxy.close();
  });

  it('disables sending, keeps the draft and continues when the network is back', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(chat);
    await say(page, 'Before');
    await reply(page, 'You said: Before');
    await window.context.setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await composer(page).fill('Meanwhile');
    await composer(page).press('Enter');
    await expect.poll(() => composer(page).inputValue()).toBe('Meanwhile');
    await expectAccessible(page);
    await screenshot(page, 'chat-offline');
    await window.context.setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
    await composer(page).press('Enter');
    await reply(page, 'You said: Meanwhile');
    // Browsers log the attempts of the feed to reconnect.
    expect(window.consoleErrors.filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
    await window.close();
  });

  it('offers to open a conversation again that could not be loaded', async () => {
    const window = await visit(browser, service.url);
    const { body } = await service.chat('Found again');
    await window.context.route('**/messages**', (route) => route.fulfill({ status: 403, json: {} }));
    const page = await window.open(`${chat}?cid=${body.conversation_id}`);
    await page.getByRole('heading', { name: 'This conversation could not be loaded' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'chat-not-loaded');
    await window.context.unroute('**/messages**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await reply(page, 'You said: Found again');
    await window.close();
  });
});

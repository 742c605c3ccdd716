import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { addFilter, choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
import { plantConversations } from '../support/dashboard-data.ts';
import { ERASE_END_USER, endUserToken } from '../support/end-users.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await plantConversations(service, 30);
});
afterAll(async () => {
  await service?.close();
});

describe('the list of conversations', () => {
  it('shows the conversations of one end user, and whom a conversation belongs to', async () => {
    const token = await endUserToken(service, DEMO_CHAT_ID, 'ada@example.com');
    const body = { content: [{ type: 'text', text: 'My own question' }] };
    await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { key: token, body });
    const window = await signedIn(browser, service, '/dashboard/conversations?end_user=ada%40example.com');
    const { page } = window;
    const rows = page.getByRole('table', { name: 'Conversations' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByRole('link', { name: 'My own question' }).click();
    await page.getByText('End user', { exact: true }).waitFor();
    await page.getByText('ada@example.com').waitFor();
    await expectAccessible(page);
    expectQuiet(window);
    await window.close();
    await service.graphql(ERASE_END_USER, { input: { endUser: 'ada@example.com' } });
  });

  it('keeps the search and the filters in the URL, so they survive a reload and work in a new window', async () => {
    const window = await signedIn(browser, service, '/dashboard/conversations');
    const { page } = window;
    const table = page.getByRole('table', { name: 'Conversations' });
    const rows = table.locator('tbody tr');
    await table.waitFor();
    await expect.poll(() => rows.count()).toBe(20);
    await screenshot(page, 'dashboard-conversations');
    await page.getByRole('link', { name: 'Older →' }).click();
    await page.waitForURL(/after=/);
    await expect.poll(() => rows.count()).toBe(10);
    await page.getByLabel('Search').fill('INVOICE');
    await page.waitForURL(/search=INVOICE/);
    expect(page.url()).not.toContain('after=');
    await expect.poll(() => rows.count()).toBe(4);
    await (await addFilter(page, 'Label')).fill('tier = gold');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.waitForURL(/meta\.tier=gold/);
    await choose(page.getByLabel('Deployment'), 'Demo agent');
    await choose(page.getByLabel('Status'), 'active');
    const { body } = await service.graphql(
      '{ conversations(filter: { search: "invoice", meta: { tier: "gold" }, status: ACTIVE }) { nodes { conversationId } } }',
    );
    const expected = body.data.conversations.nodes.length;
    expect(expected).toBeGreaterThan(0);
    await expect.poll(() => rows.count()).toBe(expected);
    await expectAccessible(page);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(expected);
    await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('INVOICE');
    const fresh = await window.context.newPage();
    await fresh.goto(page.url());
    await expect.poll(() => fresh.locator('table tbody tr').count()).toBe(expected);
    await fresh.getByRole('button', { name: 'Remove tier=gold' }).click();
    await fresh.waitForURL((url) => !url.search.includes('meta'));
    await choose(fresh.getByLabel('Status'), 'waiting_for_client_action');
    await fresh.getByText('No conversations match these filters.').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('shows new and changed conversations without a reload', async () => {
    const window = await signedIn(browser, service, '/dashboard/conversations');
    const { page } = window;
    const first = page.getByRole('table', { name: 'Conversations' }).locator('tbody tr').first();
    await first.waitFor();
    await page.evaluate(() => Object.assign(globalThis, { stays: true }));
    const { body } = await service.agentTurn('A brand new question');
    await first.getByRole('link', { name: 'A brand new question' }).waitFor();
    await service.agentTurn('/ask', { conversation_id: body.conversation_id, client_capabilities: ['ask_user'] });
    await first.getByText('Waiting', { exact: true }).filter({ visible: true }).waitFor();
    expect(await page.evaluate(() => 'stays' in globalThis)).toBe(true);
    expectQuiet(window);
    await window.close();
  });
});

describe('the rows of the list', () => {
  it('show an excerpt with what was found, and at least nine fit on a screen', async () => {
    await service.agentTurn('The parcel for Zürich is late');
    const window = await signedIn(browser, service, '/dashboard/conversations?search=parcel+zurich');
    const { page } = window;
    const row = page.getByRole('table', { name: 'Conversations' }).locator('tbody tr').first();
    await expect.poll(() => row.locator('mark').allInnerTexts()).toEqual(['parcel', 'Zürich']);
    await expectAccessible(page);
    await screenshot(page, 'dashboard-conversations-found');
    await page.goto(`${service.url}/dashboard/conversations`);
    const rows = page.getByRole('table', { name: 'Conversations' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(20);
    expect(await rowsInView(page)).toBeGreaterThanOrEqual(9);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await rowsInView(page)).toBeGreaterThanOrEqual(5);
    await screenshot(page, 'dashboard-conversations-phone');
    await expectAccessible(page);
    expectQuiet(window);
    await window.close();
  });

  it('are reached with J and K, and X shows a conversation next to them', async () => {
    const window = await signedIn(browser, service, '/dashboard/conversations');
    const { page } = window;
    const rows = page.getByRole('table', { name: 'Conversations' }).locator('tbody tr');
    const names = rows.locator('a[data-row]');
    await expect.poll(() => rows.count()).toBe(20);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-row'));
    const ids = await names.evaluateAll((links) => links.map((link) => link.getAttribute('data-row')));
    await page.keyboard.press('j');
    expect(await focused()).toBe(ids[0]);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    expect(await focused()).toBe(ids[1]);
    await page.keyboard.press('x');
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'Timeline' }).waitFor();
    await expect.poll(focused).toBe(ids[1]);
    await preview.getByRole('list', { name: 'Conversation' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-conversations-preview');
    await page.keyboard.press('j');
    await page.waitForURL((url) => url.searchParams.get('open') === ids[2]);
    await names.nth(4).click();
    await page.waitForURL((url) => url.searchParams.get('open') === ids[4]);
    await page.keyboard.press('x');
    await preview.waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/conversations/${ids[4]}`));
    expectQuiet(window);
    await window.close();
  });

  it('have the columns that the user chooses, and a saved view keeps them', async () => {
    const window = await signedIn(browser, service, '/dashboard/conversations');
    const { page } = window;
    const headers = page.getByRole('table', { name: 'Conversations' }).getByRole('columnheader');
    const titles = () => headers.allInnerTexts();
    await expect.poll(titles).toEqual(['Conversation', 'Status', 'Deployment', 'Messages', 'Cost', 'Latest activity']);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Started' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Deployment' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Messages' }).click();
    await page.keyboard.press('Escape');
    const chosen = ['Conversation', 'Status', 'Cost', 'Started', 'Latest activity'];
    await expect.poll(titles).toEqual(chosen);
    await page.getByRole('button', { name: 'Started' }).click();
    await page.waitForURL(/order=created_at/);
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name').fill('By start');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await expect.poll(titles).toContain('Messages');
    await page.getByRole('link', { name: 'By start' }).click();
    await expect.poll(titles).toEqual(chosen);
    await expectAccessible(page);
    expectQuiet(window);
    await window.close();
  });

  it('are filtered by a filter that the user adds and removes', async () => {
    const window = await signedIn(browser, service, '/dashboard/conversations');
    const { page } = window;
    const endUser = await addFilter(page, 'End user');
    await expect.poll(() => endUser.evaluate((field) => field === document.activeElement)).toBe(true);
    await endUser.fill('nobody@example.com');
    await page.getByText('No conversations match these filters.').waitFor();
    await screenshot(page, 'dashboard-conversations-filters');
    await page.getByRole('button', { name: 'Remove filter: End user' }).click();
    await page.waitForURL((url) => !url.searchParams.has('end_user'));
    expect(await endUser.count()).toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Add filter');
    expectQuiet(window);
    await window.close();
  });
});

/** How many rows of the list are wholly visible before the user scrolls. */
function rowsInView(page: Page): Promise<number> {
  return page
    .getByRole('table', { name: 'Conversations' })
    .locator('tbody tr')
    .evaluateAll((rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length);
}

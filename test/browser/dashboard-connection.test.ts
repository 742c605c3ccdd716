import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedIn } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(() => service?.close());

const documentOf = (request: Request) => request.postData() ?? '';
const followsActivity = (request: Request) => documentOf(request).includes('subscription Activity');
/** The number of messages in the details. */
const messages = (page: Page, count: number) =>
  page
    .getByRole('complementary', { name: 'Details' })
    .locator('dt', { hasText: 'Messages' })
    .locator('xpath=following-sibling::dd')
    .filter({ hasText: `${count}` });
const timeline = (page: Page) => page.getByRole('list', { name: 'Conversation' });

describe('a page of the dashboard whose service does not respond', () => {
  it('keeps what it shows and what its user has written, and loads again automatically', async () => {
    const { body } = await service.agentTurn('Hello');
    const window = await signedIn(browser, service, `/dashboard/conversations/${body.conversation_id}`);
    const { page } = window;
    const note = page.getByLabel('New note');
    await note.fill('Call her back');
    await messages(page, 2).waitFor();
    let failed = 0;
    await page.route('**/graphql', (route) => {
      if (!documentOf(route.request()).startsWith('{"operationName":')) return route.fallback();
      failed += 1;
      return route.fulfill({ status: 503, body: 'No server is available.' });
    });
    await service.agentTurn('And again', { conversation_id: body.conversation_id });
    await page.getByText('The service could not be reached.').first().waitFor();
    const first = failed;
    await expect.poll(() => failed).toBeGreaterThan(first);
    expect(await note.inputValue()).toBe('Call her back');
    await page.unroute('**/graphql');
    await messages(page, 4).waitFor();
    await page.getByText('The service could not be reached.').first().waitFor({ state: 'detached' });
    expect(await note.inputValue()).toBe('Call her back');
    await window.close();
  });
});

describe('the tabs of a browser', () => {
  it('share one connection for live updates, which another tab takes over when its tab is closed', async () => {
    const { body } = await service.agentTurn('Hello');
    const { context, page, close } = await signedIn(browser, service, '/dashboard/deployments');
    const following = new Set<Request>();
    context.on('request', (request) => void (followsActivity(request) && following.add(request)));
    context.on('requestfinished', (request) => following.delete(request));
    context.on('requestfailed', (request) => following.delete(request));
    const open = async () => {
      const tab = await context.newPage();
      await tab.goto(`${service.url}/dashboard/conversations/${body.conversation_id}`);
      await timeline(tab).getByText('Hello', { exact: true }).waitFor();
      return tab;
    };
    const tabs = [await open(), await open(), await open()];
    await expect.poll(() => following.size).toBe(1);
    await service.agentTurn('Two', { conversation_id: body.conversation_id });
    await Promise.all(tabs.map((tab) => messages(tab, 4).waitFor()));
    expect(following.size).toBe(1);
    await tabs.pop()?.close();
    await expect.poll(() => following.size).toBe(1);
    await service.agentTurn('Three', { conversation_id: body.conversation_id });
    await Promise.all(tabs.map((tab) => messages(tab, 6).waitFor()));
    await page.bringToFront();
    await close();
  });
});

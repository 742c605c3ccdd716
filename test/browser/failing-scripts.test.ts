import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, screenshot } from '../support/browser.ts';
import { composer } from '../support/chat-page.ts';
import { signedIn } from '../support/dashboard.ts';
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

/** Fails the first requests for a script. Returns the number of requests so far. */
async function failScript(page: Page, url: string, times = Number.POSITIVE_INFINITY): Promise<() => number> {
  let requests = 0;
  await page.route(url, (route: Route) => {
    requests += 1;
    return requests <= times ? route.abort('connectionfailed') : route.continue();
  });
  return () => requests;
}

const CHAT_PAGE = `/chat/${DEMO_CHAT_ID}`;

const FAILED = 'This part of the page could not be loaded.';
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const link = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name });

describe('a page of the dashboard whose script fails to load', () => {
  it('appears if a further attempt succeeds', async () => {
    const window = await signedIn(browser, service);
    const { page } = window;
    await heading(page, 'Overview').waitFor();
    const requests = await failScript(page, '**/assets/page-*.js', 2);
    await link(page, 'Events').click();
    await heading(page, 'Events').waitFor();
    expect(requests()).toBe(3);
    expect(await page.getByText(FAILED).count()).toBe(0);
    await window.close();
  });

  it('says so with a button to reload, and the navigation stays usable', async () => {
    const window = await signedIn(browser, service);
    const { page } = window;
    await heading(page, 'Overview').waitFor();
    await failScript(page, '**/assets/page-*.js');
    await link(page, 'Webhooks').click();
    await page.getByRole('alert').filter({ hasText: FAILED }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-failed-script');
    await page.unroute('**/assets/page-*.js');
    await link(page, 'Triggers').click();
    await heading(page, 'Triggers').waitFor();
    await link(page, 'Webhooks').click();
    await page.getByRole('alert').filter({ hasText: FAILED }).waitFor();
    await page.getByRole('button', { name: 'Reload' }).click();
    await heading(page, 'Webhooks').waitFor();
    await window.close();
  });
});

describe('a reply on the chat page', () => {
  it('is plain text until the script for Markdown is loaded', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(CHAT_PAGE);
    const script = '**/assets/rendered-markdown-*.js';
    await failScript(page, script, 2);
    await composer(page).fill('Say **this** in bold');
    await page.keyboard.press('Enter');
    await page.getByText('**this**').nth(1).waitFor();
    // The third attempt succeeds.
    await page.locator('strong', { hasText: 'this' }).waitFor();
    await window.close();
  });

  it('stays plain text if the script never loads, and the page stays usable', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(CHAT_PAGE);
    const requests = await failScript(page, '**/assets/rendered-markdown-*.js');
    await composer(page).fill('Say **this** in bold');
    await page.keyboard.press('Enter');
    await page.getByText('**this**').nth(1).waitFor();
    await expect.poll(requests).toBe(4);
    await composer(page).fill('And this');
    await page.keyboard.press('Enter');
    await page.getByText('And this').nth(1).waitFor();
    await window.close();
  });
});

it.each(['/', '/dashboard', CHAT_PAGE])('%s says so if its own script does not load', async (path) => {
  const window = await visit(browser, service.url, { isOwn: true });
  await window.context.route('**/assets/*.js', (route) => route.abort('connectionfailed'));
  const page = await window.open(path);
  await page.getByText('This page could not be loaded.').waitFor();
  await expectAccessible(page);
  await window.close();
});

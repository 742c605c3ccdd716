import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { accountMenu, signedIn, signInAt } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

describe('the dashboard', () => {
  it('signs in with email and password, keeps the session in a cookie, and signs out', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open('/dashboard');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'sign-in');
    await signInAt(page, service.owner);
    await page.reload();
    await accountMenu(page).click();
    await page.getByRole('menu').getByText(service.owner.email).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'account-menu');
    expect(await page.evaluate(() => document.cookie)).toBe('');
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('shows why a sign-in failed', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open('/dashboard');
    await page.getByLabel('Email').fill(service.owner.email);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/password/i);
    await window.close();
  });

  it('has a menu on a phone', async () => {
    const window = await signedIn(browser, service, '/dashboard', { viewport: { width: 390, height: 844 } });
    const { page } = window;
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Events' }).click();
    await page.waitForURL('**/dashboard/events');
    await expectAccessible(page);
    await window.close();
  });

  it('keeps the environment in the URL of every page', async () => {
    const window = await signedIn(browser, service);
    const { page } = window;
    await choose(page.getByLabel('Environment'), 'test');
    await page.getByRole('link', { name: 'Events' }).click();
    await page.waitForURL('**/dashboard/events?env=test');
    expectQuiet(window);
    await window.close();
  });
});

describe('a service that accepts only trusted documents', () => {
  it('accepts every document of its own dashboard, subscriptions too', async () => {
    const strict = await startService({ trustedDocuments: 'only' });
    try {
      const window = await signedIn(browser, strict);
      const { page } = window;
      const links = page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link');
      await links.first().waitFor();
      for (const link of await links.all()) {
        await link.click();
        await page.getByRole('heading', { level: 1 }).waitFor();
        await expect.poll(() => page.getByRole('status').filter({ hasText: 'Loading' }).count()).toBe(0);
        expect(await page.getByRole('alert').allTextContents()).toEqual([]);
      }
      expectQuiet(window);
      await window.close();
    } finally {
      await strict.close();
    }
  });
});

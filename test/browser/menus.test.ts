import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountMenu, signedIn } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(() => service?.close());

/** Holds the script of menus back until it is released. Resolves when the page has run it. */
async function holdScript(page: Page): Promise<() => Promise<void>> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const pattern = /\/menu-popup[^/]*\.js$/;
  await page.route(pattern, async (route) => {
    await released;
    await route.continue();
  });
  return async () => {
    const received = page.waitForResponse(pattern);
    release();
    await (await received).finished();
    // The page runs the script and renders before the second frame.
    await page.evaluate(
      () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
    );
  };
}

describe('a menu whose script arrives late', () => {
  it('opens if the script arrives while the button is pressed', async () => {
    const window = await signedIn(browser, service, '/dashboard');
    const { page } = window;
    const load = await holdScript(page);
    await page.reload();
    await accountMenu(page).hover();
    await page.mouse.down();
    await load();
    await page.mouse.up();
    await page.getByRole('menuitem', { name: /^Keyboard shortcuts/ }).waitFor();
    await window.close();
  });

  it('keeps the focus of the keyboard, and opens with Enter', async () => {
    const window = await signedIn(browser, service, '/dashboard');
    const { page } = window;
    const load = await holdScript(page);
    await page.reload();
    await accountMenu(page).focus();
    await load();
    expect(await accountMenu(page).evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: /^Your account/ }).waitFor();
    await window.close();
  });
});

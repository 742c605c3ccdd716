import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { accountMenu, signedIn } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember } from '../support/tenants.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

describe('the theme', () => {
  it('is chosen in the account menu, lasts in this browser, and can follow the system again', async () => {
    const window = await signedIn(browser, service, '/dashboard/usage');
    const { page } = window;
    const isDark = () =>
      page.evaluate(() => {
        const [red = 255] = /\d+/.exec(getComputedStyle(document.body).backgroundColor)?.map(Number) ?? [];
        return [red < 128, getComputedStyle(document.documentElement).colorScheme];
      });
    await page.emulateMedia({ colorScheme: 'light' });
    const light = [false, 'light dark'];
    expect(await isDark()).toEqual(light);
    await accountMenu(page).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await expect.poll(isDark).toEqual([true, 'dark']);
    await page.goto(`${service.url}/dashboard/account`);
    await page.getByRole('heading', { name: 'Theme' }).waitFor();
    expect(await isDark()).toEqual([true, 'dark']);
    await choose(page.getByLabel('Theme of this browser'), 'Like the system');
    await expect.poll(isDark).toEqual(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(isDark).toEqual([true, 'light dark']);
    expectQuiet(window);
    await window.close();
  });
});

describe('the names', () => {
  it('of the member and of the workspace are changed, and appear at once', async () => {
    const as = { email: 'renamed@example.com', password: 'a long enough password' };
    await makeMember(service, 'admin', as);
    const window = await signedIn(browser, service, '/dashboard/account', { as, newSession: true });
    const { page } = window;
    await page.getByLabel('Your name').fill('');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByText('Enter a name.').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Your name').fill('Grace Hopper');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByText(`Grace Hopper, ${as.email}`).waitFor();
    await page.goto(`${service.url}/dashboard/members`);
    await page.getByLabel('Name of the workspace').fill('Analytical Engines');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByText('Members of Analytical Engines.').waitFor();
    await page.getByRole('button', { name: 'Account in Analytical Engines' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-names');
    expectQuiet(window);
    await window.close();
  });
});

import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedIn } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment, makeKey } from '../support/tenants.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(() => service?.close());

const isFocused = (element: Locator) => element.evaluate((one) => one === document.activeElement);

/** Opens a dialog with the keyboard, and closes it with Escape. */
async function openAndLeave(page: Page, opener: Locator): Promise<void> {
  await opener.waitFor();
  await opener.press('Enter');
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'));
  await dialog.waitFor();
  await expect.poll(() => dialog.evaluate((one) => one.contains(document.activeElement))).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

describe('a dialog', () => {
  it.each([
    ['/dashboard/workflows', 'New workflow'],
    ['/dashboard/keys', 'Create key'],
    ['/dashboard/members', 'Invite member'],
    ['/dashboard/webhooks', 'Add endpoint'],
    ['/dashboard/usage', 'Add price'],
    ['/dashboard/integrations', 'Connect integration'],
  ])('of %s returns the focus to its button: %s', async (path, name) => {
    const window = await signedIn(browser, service, path);
    const opener = window.page.getByRole('button', { name }).first();
    await openAndLeave(window.page, opener);
    await expect.poll(() => isFocused(opener)).toBe(true);
    await window.close();
  });

  it('returns the focus to the next thing if what it removed had its button', async () => {
    await makeKey(service);
    const window = await signedIn(browser, service, '/dashboard/keys');
    const { page } = window;
    const revoke = page.getByRole('button', { name: /^Revoke/ }).first();
    await revoke.waitFor();
    await revoke.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const inPage = () => page.evaluate(() => document.activeElement?.closest('main') !== null);
    await expect.poll(inPage).toBe(true);
    await window.close();
  });

  it('that leads to another page leaves the focus at its content', async () => {
    const { id } = await makeDeployment(service, {}, { name: 'Old' });
    const window = await signedIn(browser, service, `/dashboard/deployments/${id}`);
    const { page } = window;
    const remove = page.getByRole('button', { name: 'Delete', exact: true });
    await remove.waitFor();
    await remove.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).press('Enter');
    await page.waitForURL('**/dashboard/deployments');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
    await window.close();
  });
});

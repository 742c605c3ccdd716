import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Takes the secret that a dialog shows this once, says that it is stored, and answers it. */
export async function takeSecret(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  const done = dialog.getByRole('button', { name: 'Done' });
  await dialog.getByText('It is not shown again').waitFor();
  const secret = (await dialog.locator('code').textContent()) ?? '';
  // Neither a slip of the finger nor the Escape key, twice, takes it away before it is stored.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  expect(await done.isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Copy' }).click();
  await dialog.getByText('Copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await dialog.getByLabel('I have stored it').check();
  await done.click();
  await dialog.waitFor({ state: 'detached' });
  return secret;
}

/** The page holds a secret nowhere: not in its document, what is typed into it, its address or its storages. */
export async function expectForgotten(page: Page, secret: string): Promise<void> {
  expect(secret.length).toBeGreaterThan(20);
  const held = await page.evaluate(() => [
    document.documentElement.outerHTML,
    ...[...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value),
    location.href,
    JSON.stringify(history.state),
    JSON.stringify({ ...localStorage }),
    JSON.stringify({ ...sessionStorage }),
    document.cookie,
  ]);
  expect(held.filter((text) => text?.includes(secret))).toEqual([]);
}

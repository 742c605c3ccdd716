import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Reads the secret from its dialog, confirms that it is stored, and returns it. */
export async function takeSecret(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  const done = dialog.getByRole('button', { name: 'Done' });
  await dialog.getByText('You cannot see it again').waitFor();
  const secret = (await dialog.locator('code').textContent()) ?? '';
  // The Escape key, even twice, must not close the dialog before the user confirms.
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

/** Expects no trace of a secret in the document, its fields, the URL or any storage. */
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

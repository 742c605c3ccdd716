import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type Visit, visit } from './browser.ts';
import type { TestService } from './service.ts';

/** A browser that has signed in to the dashboard. */
export interface SignedInVisit extends Visit {
  readonly page: Page;
}

/** Signs in, as the first workspace's owner unless somebody else is named, and opens a page of the dashboard. */
export async function signedIn(
  browser: Browser,
  service: TestService,
  path = '/dashboard',
  { as = service.owner, ...options }: { readonly as?: TestService['owner'] } & BrowserContextOptions = {},
): Promise<SignedInVisit> {
  const window = await visit(browser, service.url, options);
  const page = await window.open(path);
  await signInAt(page, as);
  return { ...window, page };
}

/** Fills in the sign-in that the page shows. */
export async function signInAt(page: Page, { email, password }: TestService['owner']): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page
    .getByRole('navigation', { name: 'Dashboard' })
    .or(page.getByRole('button', { name: 'Menu' }))
    .first()
    .waitFor();
}

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type Visit, visit } from './browser.ts';
import type { TestService } from './service.ts';

/** A browser that has signed in to the dashboard. */
export interface SignedInVisit extends Visit {
  readonly page: Page;
}

interface SignInOptions extends BrowserContextOptions {
  readonly as?: TestService['owner'];
  readonly anew?: boolean;
}

let addresses = 0;

/**
 * Where a browser is: attempts to sign in are limited by address, so each has one of its own where the service trusts
 * the proxy before it.
 */
export function ownAddress(): BrowserContextOptions {
  addresses += 1;
  return { extraHTTPHeaders: { 'x-forwarded-for': `198.51.100.${addresses}` } };
}

/**
 * Signs in, as the first workspace's owner unless somebody else is named, and opens a page of the dashboard. Windows of
 * one person share a session, unless it is to be begun `anew`.
 */
export async function signedIn(
  browser: Browser,
  service: TestService,
  path = '/dashboard',
  { as = service.owner, anew = false, ...options }: SignInOptions = {},
): Promise<SignedInVisit> {
  const storageState = anew ? undefined : sessionsOf(service).get(as.email);
  const window = await visit(browser, service.url, {
    ...ownAddress(),
    ...options,
    ...(storageState && { storageState }),
  });
  const page = await window.open(path);
  await isIn(page).or(page.getByLabel('Password')).first().waitFor();
  if (await page.getByLabel('Password').isVisible()) await signInAt(page, as);
  sessionsOf(service).set(as.email, await window.context.storageState());
  return { ...window, page };
}

type StorageState = Awaited<ReturnType<Visit['context']['storageState']>>;

/** Sessions by address of e-mail: signing in is limited, and a file of tests would soon be over it. */
const SESSIONS = new WeakMap<TestService, Map<string, StorageState>>();

function sessionsOf(service: TestService): Map<string, StorageState> {
  const sessions = SESSIONS.get(service) ?? new Map<string, StorageState>();
  SESSIONS.set(service, sessions);
  return sessions;
}

/** What members alone are shown. */
const isIn = (page: Page) =>
  page.getByRole('navigation', { name: 'Dashboard' }).or(page.getByRole('button', { name: 'Menu' }));

/** Fills in the sign-in that the page shows. */
export async function signInAt(page: Page, { email, password }: TestService['owner']): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await isIn(page).first().waitFor();
}

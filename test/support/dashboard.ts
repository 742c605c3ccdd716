import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { TestService } from './service.ts';
import { type Visit, visit } from './visit.ts';

/** A browser window with a signed-in dashboard. */
export interface SignedInVisit extends Visit {
  readonly page: Page;
}

interface SignInOptions extends BrowserContextOptions {
  readonly as?: TestService['owner'];
  readonly newSession?: boolean;
}

let addresses = 0;

/**
 * Gives each browser its own IP address, if the service trusts the proxy in front of it. Sign-in attempts are rate
 * limited by address.
 */
export function ownAddress(): BrowserContextOptions {
  addresses += 1;
  return { extraHTTPHeaders: { 'x-forwarded-for': `198.51.100.${addresses}` } };
}

/**
 * Signs in and opens a page of the dashboard. The default user is the owner of the first workspace. Windows of one user
 * share a session. `newSession` starts another one.
 */
export async function signedIn(
  browser: Browser,
  service: Pick<TestService, 'url' | 'owner'>,
  path = '/dashboard',
  { as = service.owner, newSession = false, ...options }: SignInOptions = {},
): Promise<SignedInVisit> {
  const storageState = newSession ? undefined : sessionsOf(service).get(as.email);
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

/** Sessions by email address. Sign-ins are rate limited, so tests share them. */
const SESSIONS = new WeakMap<object, Map<string, StorageState>>();

function sessionsOf(service: object): Map<string, StorageState> {
  const sessions = SESSIONS.get(service) ?? new Map<string, StorageState>();
  SESSIONS.set(service, sessions);
  return sessions;
}

/** The parts of the page that only members see. */
const isIn = (page: Page) =>
  page.getByRole('navigation', { name: 'Dashboard' }).or(page.getByRole('button', { name: 'Menu' }));

/** Submits the sign-in form of the page. */
export async function signInAt(page: Page, { email, password }: TestService['owner']): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await isIn(page).first().waitFor();
}

/** The button with the name of the workspace, which opens a menu. */
export const accountMenu = (page: Page) => page.getByRole('button', { name: /^Account in / });

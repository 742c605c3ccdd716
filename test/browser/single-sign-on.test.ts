import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { ownAddress, signedIn } from '../support/dashboard.ts';
import { FAKE_CLIENT } from '../support/fake-oidc.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type RealProvider, startProvider } from '../support/oidc-provider.ts';
import { startService, type TestService } from '../support/service.ts';
import { firstWorkspace, giveDomain } from '../support/sign-on.ts';
import { makeMember } from '../support/tenants.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
let provider: RealProvider;
let server: MailServer;
let workspaceId: string;
beforeAll(async () => {
  server = await startMailServer();
  const mail = { url: server.url, from: 'parley@example.com' };
  [service, browser] = await Promise.all([startService({ trustProxy: 1, mail }), launchBrowser()]);
  // The port is known only after the start.
  Object.assign(service.service.services.settings, { publicUrl: service.url });
  workspaceId = await firstWorkspace(service);
  await giveDomain(service, workspaceId, 'example.com');
  await giveDomain(service, workspaceId, 'acme.test');
  const accounts = {
    ada: { email: 'ada@acme.test', email_verified: true, name: 'Ada Lovelace' },
    owner: { email: 'owner@example.com', email_verified: true, name: 'The owner' },
    stranger: { email: 'stranger@other.test', email_verified: true, name: 'A stranger' },
  };
  provider = await startProvider(`${service.url}/sign-in/oidc/callback/${workspaceId}`, accounts, 'localhost');
});
afterAll(async () => {
  provider?.close();
  await service?.close();
  await server?.close();
});

/** Signs in on the pages of the provider, and agrees to share the profile. */
async function signInAtProvider(page: Page, id: string): Promise<void> {
  await page.locator('input[name=login]').fill(id);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Dashboard' });

describe('the sign-in settings', () => {
  it('set the provider up and test it', async () => {
    const window = await signedIn(browser, service, '/dashboard/sign-in-settings');
    const { page } = window;
    await page.getByText('Domains: acme.test, example.com.').waitFor();
    await page.getByText(`${service.url}/sign-in/oidc/callback/${workspaceId}`).waitFor();
    await page.getByRole('button', { name: 'Set up provider' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Issuer').fill('http://example.com');
    await dialog.getByLabel('Client ID').fill(FAKE_CLIENT.clientId);
    await dialog.getByLabel('Client secret').fill(FAKE_CLIENT.clientSecret);
    await dialog.getByLabel('Roles of groups').fill('admins: admin');
    await dialog.getByRole('button', { name: 'Save provider' }).click();
    await dialog.getByText('Write "group = role" in each line').waitFor();
    await dialog.getByLabel('Roles of groups').fill('admins = admin');
    await dialog.getByRole('button', { name: 'Save provider' }).click();
    await dialog.getByText('It must be an https URL.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'sign-in-provider');
    await dialog.getByLabel('Issuer').fill(provider.issuer);
    await dialog.getByLabel('The first sign-in makes a person a member').check();
    await dialog.getByRole('button', { name: 'Save provider' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Test provider' }).click();
    await page.getByText('The provider responds.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'sign-in-settings');
    expect(await page.content()).not.toContain(FAKE_CLIENT.clientSecret);
    expectQuiet(window);
    await window.close();
  });
});

describe('single sign-on', () => {
  it('signs a new member in from the sign-in page to the dashboard', async () => {
    const window = await visit(browser, service.url, ownAddress());
    const page = await window.open('/dashboard');
    const button = page.getByRole('button', { name: 'Continue with single sign-on' });
    await button.click();
    await page.getByText('Enter the email address of your company.').waitFor();
    await screenshot(page, 'sign-in');
    await page.getByLabel('Email').fill('ada@acme.test');
    await button.click();
    await signInAtProvider(page, 'ada');
    await navigation(page).waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard');
    const cookies = await window.context.cookies(service.url);
    expect(cookies.map(({ name, httpOnly, sameSite }) => ({ name, httpOnly, sameSite }))).toEqual([
      { name: 'parley_session', httpOnly: true, sameSite: 'Strict' },
    ]);
    await window.close();
    const owner = await signedIn(browser, service, '/dashboard/members');
    await owner.page
      .getByRole('row', { name: /ada@acme\.test.*Viewer/ })
      .getByText('Single sign-on')
      .waitFor();
    await owner.page.goto(`${service.url}/dashboard/audit`);
    await owner.page.getByText('Ada Lovelace signed in with single sign-on').waitFor();
    await owner.close();
  });

  it('returns to the page that the member wanted', async () => {
    const window = await visit(browser, service.url, ownAddress());
    const page = await window.open('/dashboard/conversations?search=order');
    await page.getByLabel('Email').fill('ada@acme.test');
    await page.getByRole('button', { name: 'Continue with single sign-on' }).click();
    await signInAtProvider(page, 'ada');
    await page.getByRole('heading', { name: 'Conversations', level: 1 }).waitFor();
    expect(page.url()).toBe(`${service.url}/dashboard/conversations?search=order`);
    await page.goto(`${service.url}/dashboard`);
    await navigation(page).waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard');
    await window.close();
  });

  it('explains why a person cannot sign in', async () => {
    const window = await visit(browser, service.url, ownAddress());
    const page = await window.open(`/sign-in/oidc?workspace=${workspaceId}`);
    await signInAtProvider(page, 'stranger');
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    await page.getByText('does not belong to a domain of this workspace').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'sign-on-problem');
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await page.getByLabel('Password').waitFor();
    await window.close();
  });

  it('can be required after an administrator has used it', async () => {
    const window = await visit(browser, service.url, ownAddress());
    const page = await window.open(`/sign-in/oidc?workspace=${workspaceId}`);
    await signInAtProvider(page, 'owner');
    await navigation(page).waitFor();
    await page.goto(`${service.url}/dashboard/sign-in-settings`);
    await page.getByRole('button', { name: 'Require single sign-on' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Require single sign-on' });
    await confirm.click();
    await page.getByText('Single sign-on only').waitFor();

    const other = await visit(browser, service.url, ownAddress());
    const there = await other.open('/dashboard');
    await there.getByLabel('Email').fill(service.owner.email);
    await there.getByLabel('Password').fill(service.owner.password);
    await there.getByRole('button', { name: 'Sign in', exact: true }).click();
    await there.getByText('This workspace requires single sign-on.').waitFor();
    await other.close();

    await page.getByRole('button', { name: 'Allow passwords' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Allow passwords' }).click();
    await page.getByText('Passwords allowed').waitFor();
    await window.close();
  });
});

describe('a forgotten password', () => {
  it('is replaced with the link of an email', async () => {
    const email = 'forgetful@example.com';
    const password = 'a new and long password';
    await makeMember(service, 'viewer', { email });
    const window = await visit(browser, service.url, ownAddress());
    const page = await window.open('/dashboard');
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('If there is an account with this address').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'forgot-password');
    const { text } = await server.take(email, 'Set a new password for Parley');
    const [link = ''] = /\/dashboard\/reset-password\S+/.exec(text) ?? [];
    await page.goto(`${service.url}${link}`);
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Enter 12 to 256 characters.').waitFor();
    await page.getByLabel('New password').fill(password);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText(`The password of ${email} is changed.`).waitFor();
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await navigation(page).waitFor();
    expectQuiet(window);
    await window.close();
  });
});

import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { ownAddress, signInAt } from '../support/dashboard.ts';
import { codeOf } from '../support/second-factors.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember } from '../support/tenants.ts';
import { launchBrowser, visit } from '../support/visit.ts';

const PASSWORD = 'the password of a member';

let service: TestService;
let browser: Browser;
/** Passkeys need a domain, and `localhost` is one. */
let url: string;
beforeAll(async () => {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  [service, browser] = await Promise.all([
    startService({ trustProxy: 1, port, publicUrl: `http://localhost:${port}` }),
    launchBrowser(),
  ]);
  url = service.url.replace('127.0.0.1', 'localhost');
});
afterAll(async () => {
  await service?.close();
});

async function member(role: 'owner' | 'viewer' = 'owner') {
  const account = { email: `${randomUUID()}@example.com`, password: PASSWORD };
  await makeMember(service, role, { ...account, name: 'Ann' });
  return account;
}

/** Adds an authenticator app on a page that asks for it. Returns its secret. */
async function addApp(page: Page): Promise<string> {
  await page.getByLabel('Name', { exact: true }).fill('Phone');
  const password = page.getByLabel('Your password');
  if ((await password.count()) > 0) await password.fill(PASSWORD);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  const secret = (await page.locator('code').first().textContent()) ?? '';
  await page.getByLabel('Code from the app').fill(codeOf(secret));
  await page.getByRole('button', { name: 'Add authenticator app' }).click();
  await page.getByRole('list', { name: 'Recovery codes' }).waitFor();
  return secret;
}

async function storeCodes(page: Page): Promise<string> {
  const code =
    (await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').first().textContent()) ?? '';
  await page.getByLabel('I have stored them').check();
  await page.getByRole('button', { name: 'Continue' }).click();
  return code;
}

/** Sends the password of an account that needs more. */
async function sendPassword(page: Page, { email, password }: { readonly email: string; readonly password: string }) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

const dashboard = (page: Page) => page.getByRole('navigation', { name: 'Dashboard' }).waitFor();

describe('the page of the account', () => {
  it('adds an authenticator app, which completes the next sign-in, as a recovery code does', async () => {
    const account = await member();
    const { open, close } = await visit(browser, url, ownAddress());
    const page = await open('/dashboard/account');
    await signInAt(page, account);
    await page.getByText('Your password alone opens your account.').waitFor();
    await page.getByRole('button', { name: 'Add second factor' }).click();
    await expectAccessible(page);
    const secret = await addApp(page);
    await screenshot(page, 'recovery-codes');
    const recoveryCode = await storeCodes(page);
    await page.getByRole('row', { name: /Phone.*Authenticator app/ }).waitFor();
    await screenshot(page, 'second-factors');
    await close();

    for (const proof of ['code', 'recovery']) {
      const again = await visit(browser, url, ownAddress());
      const there = await again.open('/dashboard/');
      await sendPassword(there, account);
      await there.getByRole('heading', { name: 'Second factor' }).waitFor();
      await expectAccessible(there);
      if (proof === 'code') {
        await there.getByLabel('Code from your authenticator app').fill('000000');
        await there.getByRole('button', { name: 'Sign in', exact: true }).click();
        await there.getByText('The second factor is wrong').waitFor();
        await there.getByLabel('Code from your authenticator app').fill(codeOf(secret, 1));
      } else {
        await there.getByRole('button', { name: 'Use a recovery code' }).click();
        await there.getByLabel('Recovery code').fill(recoveryCode);
      }
      await there.getByRole('button', { name: 'Sign in', exact: true }).click();
      await dashboard(there);
      await again.close();
    }
  });

  it('registers a passkey, which completes the next sign-in', async () => {
    const account = await member();
    const { open, close } = await visit(browser, url, ownAddress());
    const page = await open('/dashboard/account');
    await signInAt(page, account);
    await page.getByText('Your password alone opens your account.').waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.getByRole('button', { name: 'Add second factor' }).click();
    await choose(page.getByRole('dialog').getByLabel('Second factor'), 'Passkey or security key');
    await page.getByLabel('Name', { exact: true }).fill('Laptop');
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Create passkey' }).click();
    await storeCodes(page);
    await page.getByRole('row', { name: /Laptop.*Passkey/ }).waitFor();
    await page.context().clearCookies();
    await page.goto(`${url}/dashboard/`);
    await sendPassword(page, account);
    await page.getByRole('button', { name: 'Use passkey' }).click();
    await dashboard(page);
    await close();
  });
});

describe('a workspace that requires a second factor', () => {
  it('lets members set one up when they sign in', async () => {
    const [boss, account] = [await member(), await member('viewer')];
    const { open, close } = await visit(browser, url, ownAddress());
    const page = await open('/dashboard/account');
    await signInAt(page, boss);
    await page.getByRole('button', { name: 'Add second factor' }).click();
    await addApp(page);
    await storeCodes(page);
    await page.goto(`${url}/dashboard/sign-in-settings`);
    await page.getByRole('button', { name: 'Require second factors' }).click();
    await screenshot(page, 'require-second-factors');
    await page.getByRole('dialog').getByRole('button', { name: 'Require second factors' }).click();
    await page.getByText('Second factor required').waitFor();
    await close();

    const theirs = await visit(browser, url, ownAddress());
    const there = await theirs.open('/dashboard/');
    await sendPassword(there, account);
    await there.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    await expectAccessible(there);
    await addApp(there);
    await storeCodes(there);
    await dashboard(there);
    expect(there.url()).toBe(`${url}/dashboard/`);
    await theirs.close();
  });
});

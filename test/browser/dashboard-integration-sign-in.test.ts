import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { SignIns, signInOf, toolsOf } from '../support/integration-sign-in.ts';
import type { OAuthPair } from '../support/oauth-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
let session: string;
const signIns = new SignIns(() => ({ service, session }));
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  // The port is known only after the start.
  Object.assign(service.service.services.settings, { publicUrl: service.url });
  session = await openSession(service, 'owner');
});
afterEach(() => signIns.close());
afterAll(async () => {
  await service?.close();
});

/** The authorization server shows a page with the decision, on another site than the service. */
async function connected(
  options = {},
): Promise<{ readonly pair: OAuthPair; readonly name: string; readonly id: string }> {
  const all = await signIns.connected({
    answer: (path, response) => {
      if (!path.startsWith('/authorize')) return false;
      const asked = `${all.pair.issuer}${path}`;
      const links = [
        ['Allow', all.pair.allow(asked)],
        ['Deny', all.pair.allow(asked, { code: '', error: 'access_denied' })],
      ].map(([text, url]) => `<a href="${String(url).replaceAll('&', '&amp;')}">${text}</a>`);
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(`<!doctype html><html lang="en"><title>Consent</title><h1>Consent</h1>${links.join(' ')}</html>`);
      return true;
    },
    ...options,
  });
  const { port } = new URL(all.pair.issuer);
  all.pair.options.metadata = { authorization_endpoint: `http://localhost:${port}/authorize` };
  return all;
}

/** Opens the dialog and goes to the page of the authorization server. */
async function leave(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Sign in to ${name}` }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Sign in to 127/ })
    .click();
  await page.getByRole('heading', { name: 'Consent' }).waitFor();
  expect(new URL(page.url()).hostname).toBe('localhost');
}

describe('the sign-in to an integration', () => {
  it('leads over the page of the authorization server to the state, and a sign-out ends it', async () => {
    const { name, id } = await connected({ resource: { scopes_supported: ['read', 'write'] } });
    await toolsOf(service, id);
    const window = await signedIn(browser, service, '/dashboard/integrations');
    const { page } = window;
    const row = page.getByRole('row', { name: new RegExp(name) });
    await row.getByText('Sign-in needed').waitFor();
    await page.getByRole('button', { name: `Sign in to ${name}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The MCP server asks for a sign-in.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'integration-sign-in');
    await page.keyboard.press('Escape');
    await leave(page, name);
    await page.getByRole('link', { name: 'Allow' }).click();
    await page.getByText('You are signed in. Workflows can use the server now.').waitFor();
    await row.getByText('Signed in').waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard/integrations');
    await expectAccessible(page);
    await screenshot(page, 'integration-signed-in');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('button', { name: `Sign in to ${name}` }).click();
    await dialog.getByText(/Signed in by .* at 127\.0\.0\.1/).waitFor();
    await dialog.getByText('Permissions: read, write').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'integration-sign-in-state');
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await row.getByText('Signed in').waitFor({ state: 'hidden' });
    expect((await signInOf(service, id)).state).toBe('NOT_NEEDED');
    expectQuiet(window);
    await window.close();
  });

  it('says that the member refused', async () => {
    const { name, id } = await connected();
    const window = await signedIn(browser, service, '/dashboard/integrations');
    const { page } = window;
    await leave(page, name);
    await page.getByRole('link', { name: 'Deny' }).click();
    await page.getByText('The sign-in was refused at the server. Nothing was changed.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'integration-sign-in-denied');
    expect((await signInOf(service, id)).state).toBe('NOT_NEEDED');
    expectQuiet(window);
    await window.close();
  });

  it('shows why it cannot start', async () => {
    const { name } = await signIns.connected({ metadata: { registration_endpoint: undefined } });
    const window = await signedIn(browser, service, '/dashboard/integrations');
    const { page } = window;
    await page.getByRole('button', { name: `Sign in to ${name}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Sign in to 127/ }).click();
    await dialog.getByText(/does not register clients on request/).waitFor();
    await dialog.getByLabel('Use a client ID').check();
    await dialog.getByLabel('Client ID', { exact: true }).waitFor();
    await screenshot(page, 'integration-sign-in-problem');
    expectQuiet(window);
    await window.close();
  });
});

import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose, openOptions } from '../support/choose.ts';
import { accountMenu, ownAddress, signedIn, signInAt } from '../support/dashboard.ts';
import { expectForgotten, takeSecret } from '../support/dashboard-secrets.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember, makeWorkspace } from '../support/tenants.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService({ trustProxy: 1 }), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

const permissions = ['clipboard-read', 'clipboard-write'];

/** Invites a member and returns the path of the link. */
async function invite(page: Page, email: string, role: string): Promise<string> {
  await page.getByRole('button', { name: 'Invite member' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill(email);
  await choose(dialog.getByLabel('Role'), role);
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const link = await takeSecret(page);
  await expectForgotten(page, link);
  const { pathname, hash } = new URL(link);
  expect(pathname).toBe('/dashboard/invitation');
  return `${pathname}${hash}`;
}

describe('the members page', () => {
  it('invites a member, changes their role and removes them while their dashboard is open', async () => {
    const window = await signedIn(browser, service, '/dashboard/members', { permissions });
    const { page } = window;
    await page.getByRole('row', { name: /owner@example\.com.*Owner/ }).waitFor();
    await page.getByRole('button', { name: 'Invite member' }).click();
    await expectAccessible(page);
    await screenshot(page, 'member-invite');
    await page.getByRole('button', { name: 'Cancel' }).click();
    const link = await invite(page, 'ann.lindqvist@example.com', 'Developer');
    await page.getByRole('row', { name: /ann\.lindqvist@example\.com.*Developer/ }).waitFor();
    await screenshot(page, 'members-invited');

    const theirs = await visit(browser, service.url, ownAddress());
    const there = await theirs.open(link);
    await there.getByRole('heading', { name: 'Join Demo' }).waitFor();
    await there.getByText('ann.lindqvist@example.com is invited as developer.').waitFor();
    await there.getByLabel('Your name').fill('Ann Lindqvist');
    await there.getByLabel('New password').fill('too short');
    await there.getByRole('button', { name: 'Join', exact: true }).click();
    await there.getByText('Enter 12 to 256 characters.').waitFor();
    await expectAccessible(there);
    await screenshot(there, 'invitation');
    await there.getByLabel('New password').fill('anns own long password');
    await there.getByRole('button', { name: 'Join', exact: true }).click();
    await there.getByRole('navigation', { name: 'Dashboard' }).waitFor();
    expect(there.url()).toBe(`${service.url}/dashboard/`);
    await there.getByRole('link', { name: 'Webhooks' }).waitFor();
    expect(await there.getByRole('link', { name: 'Members' }).count()).toBe(0);

    await page.reload();
    await page.getByRole('row', { name: /Ann Lindqvist/ }).waitFor();
    await page.getByText('No open invitations').waitFor();
    await page.getByRole('button', { name: 'Change role of Ann Lindqvist' }).click();
    const dialog = page.getByRole('dialog');
    await choose(dialog.getByLabel('Role'), 'Viewer');
    await dialog.getByText('Can view data, but not change it.').waitFor();
    await screenshot(page, 'member-role');
    await dialog.getByRole('button', { name: 'Change role' }).click();
    await page.getByRole('row', { name: /Ann Lindqvist.*Viewer/ }).waitFor();
    // An open dashboard changes immediately.
    await there.getByRole('link', { name: 'Webhooks' }).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Remove Ann Lindqvist' }).click();
    await screenshot(page, 'member-remove');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('row', { name: /Ann Lindqvist/ }).waitFor({ state: 'detached' });
    await dialog.waitFor({ state: 'detached' });
    await there.getByText('Your session has expired. Sign in to continue.').waitFor();
    await there.getByRole('heading', { name: 'Sign in' }).waitFor();
    // The stream that breaks when the role changes, and the requests of the removed member.
    const reasons = [
      'net::ERR_INCOMPLETE_CHUNKED_ENCODING',
      'the server responded with a status of 401 (Unauthorized)',
    ].map((reason) => `Failed to load resource: ${reason}`);
    expect(theirs.consoleErrors.filter((complaint) => !reasons.includes(complaint))).toEqual([]);
    expect(theirs.foreignRequests).toEqual([]);
    expectQuiet(window);
    await Promise.all([window.close(), theirs.close()]);
  });

  it('lets a user join with an existing account', async () => {
    const { id: workspaceId } = await makeWorkspace(service);
    const account = { email: 'bo@example.com', password: 'bos password elsewhere' };
    await makeMember(service, 'owner', { ...account, name: 'Bo Elsewhere', workspaceId });
    const window = await signedIn(browser, service, '/dashboard/members', { permissions });
    const link = await invite(window.page, account.email, 'Admin');
    const theirs = await visit(browser, service.url, ownAddress());
    const there = await theirs.open(link);
    await there.getByLabel('I already have an account').check();
    await there.getByText('Enter the password of your account').waitFor();
    await there.getByLabel('Your password').fill('not the password of it');
    await there.getByRole('button', { name: 'Join', exact: true }).click();
    await there.getByText('This is not the password of an account with this email address').waitFor();
    await screenshot(there, 'invitation-account');
    await there.getByLabel('Your password').fill(account.password);
    await there.getByRole('button', { name: 'Join', exact: true }).click();
    await there.getByRole('link', { name: 'Members' }).click();
    await there.getByRole('row', { name: /Bo Elsewhere.*Admin/ }).waitFor();
    // The user switches workspaces at the top of the page.
    await accountMenu(there).click();
    await there.getByRole('menuitemradio', { name: 'Another' }).click();
    await signInAt(there, account);
    await accountMenu(there).filter({ hasText: 'Another' }).waitFor();
    expectQuiet(theirs);
    expectQuiet(window);
    await Promise.all([window.close(), theirs.close()]);
  });

  it('explains a used, revoked or incomplete link', async () => {
    const window = await signedIn(browser, service, '/dashboard/members', { permissions });
    const { page } = window;
    const link = await invite(page, 'cy@example.com', 'Viewer');
    await page.getByRole('button', { name: 'Revoke the invitation for cy@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('No open invitations').waitFor();
    const theirs = await visit(browser, service.url, ownAddress());
    const there = await theirs.open(link);
    await there.getByText('This invitation is not valid').waitFor();
    await expectAccessible(there);
    await screenshot(there, 'invitation-over');
    await there.getByRole('link', { name: 'sign in' }).click();
    await there.getByRole('heading', { name: 'Sign in' }).waitFor();
    await there.goto(`${service.url}/dashboard/invitation`);
    await there.getByText('This link is incomplete.').waitFor();
    expectQuiet(theirs);
    expectQuiet(window);
    await Promise.all([window.close(), theirs.close()]);
  });

  it('keeps the last owner, and does not let admins change owners', async () => {
    const as = { email: `admin-${randomUUID()}@example.com`, password: 'an admins password' };
    await makeMember(service, 'admin', { ...as, name: 'Dee Admin' });
    const window = await signedIn(browser, service, '/dashboard/members');
    const { page } = window;
    const owner = page.getByRole('row', { name: /owner@example\.com/ });
    await owner.getByRole('button', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.getByText('This is the last owner of the workspace. Make another member an owner first.').waitFor();
    await screenshot(page, 'member-last-owner');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await owner.getByRole('button', { name: 'Change role' }).click();
    await choose(dialog.getByLabel('Role'), 'Admin');
    await dialog.getByText('This is your own role').waitFor();
    await dialog.getByRole('button', { name: 'Change role' }).click();
    await dialog.getByText('This is the last owner of the workspace.').waitFor();
    expect(await dialog.getByLabel('Role').getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Invite member' }).click();
    await dialog.getByLabel('Email').fill(service.owner.email);
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await dialog.getByText(/^Email belongs to a member of the workspace/).waitFor();
    expectQuiet(window);
    await window.close();

    const admins = await signedIn(browser, service, '/dashboard/members', { as });
    const row = admins.page.getByRole('row', { name: /owner@example\.com/ });
    await row.getByText('Only owners can change owners').waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
    await admins.page.getByRole('button', { name: 'Invite member' }).click();
    const roles = await openOptions(admins.page.getByLabel('Role'));
    expect(await roles.allTextContents()).toEqual(['Admin', 'Developer', 'Viewer']);
    await admins.page.keyboard.press('Escape');
    await admins.page.getByRole('button', { name: 'Cancel' }).click();
    await expectAccessible(admins.page);
    await screenshot(admins.page, 'members');
    expectQuiet(admins);
    await admins.close();
  });
});

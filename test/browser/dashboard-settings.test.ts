import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { signedIn, signInAt } from '../support/dashboard.ts';
import { backdate, sweep } from '../support/retention.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember, openSession } from '../support/tenants.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService({ trustProxy: 1 }), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

const unauthorized = 'Failed to load resource: the server responded with a status of 401 (Unauthorized)';

/** The settings of an environment, from the API. */
async function settings(environment: 'live' | 'test') {
  const { body } = await service.graphql(
    '{ environmentLimits { requestsPerMinute concurrentRuns } retention { days } }',
    {},
    { key: await openSession(service, 'owner'), headers: { 'x-environment': environment } },
  );
  return body.data;
}

describe('limits and retention', () => {
  it('set and remove the limits of the selected environment', async () => {
    const window = await signedIn(browser, service, '/dashboard/limits?env=test');
    const { page } = window;
    await page.getByText('Settings of the test environment.').waitFor();
    await page.getByLabel('Requests per minute').fill('5000');
    await page.getByLabel('Concurrent turns').fill('25');
    const save = async () => {
      await page.getByText('Unsaved changes').waitFor();
      await page.getByRole('button', { name: 'Save limits' }).click();
      await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
    };
    await save();
    expect(await settings('test')).toMatchObject({
      environmentLimits: { requestsPerMinute: 5_000, concurrentRuns: 25 },
    });
    expect((await settings('live')).environmentLimits).toEqual({ requestsPerMinute: null, concurrentRuns: null });
    await page.getByLabel('Concurrent turns').fill('');
    await page.keyboard.press('Enter');
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
    expect((await settings('test')).environmentLimits).toEqual({ requestsPerMinute: 5_000, concurrentRuns: null });
    expectQuiet(window);
    await window.close();
  });

  it('explain what retention deletes, ask for a confirmation, and show the last sweep', async () => {
    const { conversation_id: id } = (await service.chat('Where is my parcel?')).body;
    await backdate(service, [id], 40);
    const window = await signedIn(browser, service, '/dashboard/limits');
    const { page } = window;
    await page.getByText('The live environment keeps all conversations.').waitFor();
    await page.getByText('No sweep yet.').waitFor();
    await page.getByLabel('Days to keep conversations').fill('30');
    await page.getByText(/^Within a minute, conversations/).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'retention-draft');
    await page.getByRole('button', { name: 'Save retention' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete conversations older than 30 days?' });
    await dialog.getByText('You cannot undo this.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'retention-confirm');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await settings('live')).retention).toEqual({ days: null });
    await page.getByRole('button', { name: 'Save retention' }).click();
    await dialog.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByText('deletes conversations 30 days after their last turn').waitFor();
    expect((await settings('live')).retention).toEqual({ days: 30 });
    await sweep(service);
    await page.reload();
    await page.getByText('deletes conversations 30 days after their last turn').waitFor();
    await page
      .locator('dl > div', { hasText: /^Conversations deleted1$/ })
      .getByText('1', { exact: true })
      .waitFor();
    // A longer period deletes nothing, so it needs no confirmation.
    await page.getByLabel('Days to keep conversations').fill('');
    await page.getByRole('button', { name: 'Save retention' }).click();
    await page.getByText('The live environment keeps all conversations.').waitFor();
    expect((await settings('live')).retention).toEqual({ days: null });
    expectQuiet(window);
    await window.close();
  });

  it('export the selected environment completely', async () => {
    const made = { body: { type: 'ticket', fields: { title: 'In the test environment' } }, key: service.keys.test };
    await service.send('POST', '/v1/resources', made);
    const window = await signedIn(browser, service, '/dashboard/limits?env=test', { acceptDownloads: true });
    const { page } = window;
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export the test environment' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^parley-test-\d{4}-\d\d-\d\d\.ndjson$/);
    await page.getByText(/^Export complete: /).waitFor();
    const lines = (await readFile((await file.path()) ?? '', 'utf8')).trim().split('\n');
    const [first, ...rest] = lines.map((line) => JSON.parse(line));
    expect(first).toMatchObject({ type: 'export' });
    expect(rest.find(({ type }) => type === 'resource').data.fields).toEqual({ title: 'In the test environment' });
    expect(rest.at(-1)).toMatchObject({ type: 'end', counts: { resource: 1 } });
    await expectAccessible(page);
    await screenshot(page, 'limits');
    expectQuiet(window);
    await window.close();
  });

  it('report an incomplete export', async () => {
    const window = await signedIn(browser, service, '/dashboard/limits');
    const { page } = window;
    await window.context.route('**/v1/export', (route) => route.fulfill({ body: '{"type":"export","data":{}}\n' }));
    await page.getByRole('button', { name: 'Export the live environment' }).click();
    await page.getByText('The export is incomplete because the connection was lost. Try again.').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('are hidden from viewers', async () => {
    const as = { email: 'viewer@example.com', password: 'a viewers password' };
    await makeMember(service, 'viewer', { ...as, name: 'Vi' });
    const window = await signedIn(browser, service, '/dashboard/limits', { as });
    const { page } = window;
    for (const path of ['limits', 'members', 'audit', 'keys', 'webhooks', 'integrations']) {
      await page.goto(`${service.url}/dashboard/${path}`);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    }
    await page.getByRole('link', { name: 'Your account' }).click();
    await page.getByText('Viewer', { exact: true }).first().waitFor();
    expectQuiet(window);
    await window.close();
  });
});

describe('your account', () => {
  it('changes the password, shows errors at their fields, and signs out other sessions', async () => {
    const as = { email: 'eve@example.com', password: 'eves password of before' };
    await makeMember(service, 'developer', { ...as, name: 'Eve Castellanos' });
    const [window, other] = [
      await signedIn(browser, service, '/dashboard/account', { as, newSession: true }),
      await signedIn(browser, service, '/dashboard/account', { as, newSession: true }),
    ];
    const { page } = window;
    await page.getByText('Eve Castellanos, eve@example.com').waitFor();
    const sessions = page.getByRole('table', { name: 'Your sessions' });
    await sessions.getByText('This session').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'account');
    const fill = async (current: string, next: string, again = next) => {
      await page.getByLabel('Current password').fill(current);
      await page.getByLabel('New password', { exact: true }).fill(next);
      await page.getByLabel('Confirm new password').fill(again);
      await page.getByRole('button', { name: 'Change password' }).click();
    };
    await fill('not it at all', 'a new password of eve');
    await page.getByText('Current password is wrong.').waitFor();
    await fill(as.password, 'short');
    await page.getByText('Enter 12 to 256 characters.').waitFor();
    await fill(as.password, 'a new password of eve', 'another one');
    await page.getByText('The passwords do not match.').waitFor();
    await screenshot(page, 'account-fault');
    await fill(as.password, 'a new password of eve');
    await page.getByText('Password changed. You are signed out of all other sessions.').waitFor();
    await expect.poll(() => page.getByLabel('Current password').inputValue()).toBe('');
    await other.page.getByText('Your session has expired.').waitFor();
    expect(other.consoleErrors.filter((complaint) => complaint !== unauthorized)).toEqual([]);
    await signInAt(other.page, { ...as, password: 'a new password of eve' });
    expectQuiet(window);
    await Promise.all([window.close(), other.close()]);
  });

  it('lists the sessions, marks the current one, and signs out another', async () => {
    const as = { email: 'finn@example.com', password: 'finns own password' };
    await makeMember(service, 'viewer', { ...as, name: 'Finn' });
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const other = await signedIn(browser, service, '/dashboard/account', { as, newSession: true, userAgent });
    const window = await signedIn(browser, service, '/dashboard/account', { as, newSession: true });
    const { page } = window;
    const row = page.getByRole('row', { name: /Firefox on Linux/ });
    await row.getByRole('button', { name: 'Sign out Firefox on Linux' }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /This session/ }).waitFor();
    await other.page.getByText('Your session has expired.').waitFor();
    expectQuiet(window);
    await Promise.all([window.close(), other.close()]);
  });
});

describe('the audit log', () => {
  it('describes each action in a sentence, and filters by action, actor and subject in the URL', async () => {
    const as = { email: 'gil@example.com', password: 'gils own password' };
    await makeMember(service, 'admin', { ...as, name: 'Gil Navarro' });
    await service.graphql(
      'mutation ($input: SignInInput!) { signIn(input: $input) { __typename ... on SignInPayload { token } ... on Error { code message path } } }',
      { input: { email: as.email, password: 'not the password' } },
      { key: null },
    );
    const window = await signedIn(browser, service, '/dashboard/keys', { as });
    const { page } = window;
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('Server');
    await page.getByRole('button', { name: 'Runner' }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByLabel('I have stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Rotate Server' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByLabel('I have stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'Audit log' }).click();
    const log = page.getByRole('list', { name: 'Audit log' });
    await log.getByText('Gil Navarro rotated the key Server').waitFor();
    await log.getByText('Gil Navarro created the key Server').waitFor();
    await log.getByText('Eve Castellanos changed their password').waitFor();
    await log.getByText('Gil Navarro created the key Server').click();
    await log.getByText('"conversations:write"').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'audit');
    await log.getByRole('button', { name: 'Show all for this subject' }).first().click();
    await page.waitForURL('**/audit?subject=key_*');
    await log.getByText('Eve Castellanos changed their password').waitFor({ state: 'detached' });
    await expect.poll(() => log.getByRole('listitem').count()).toBe(2);
    await choose(page.getByLabel('Action'), 'api_key.rotated');
    await page.waitForURL('**/audit?subject=key_*&action=api_key.rotated');
    await log.getByText('Gil Navarro created the key Server').waitFor({ state: 'detached' });
    await page.reload();
    await log.getByText('Gil Navarro rotated the key Server').waitFor();
    await expect.poll(() => log.getByRole('listitem').count()).toBe(1);
    await choose(page.getByLabel('Actor'), 'Finn');
    await page.getByText('No entries match these filters.').waitFor();
    await page.getByLabel('Subject').fill('');
    await page.getByRole('button', { name: 'Filter' }).click();
    await choose(page.getByLabel('Action'), 'All');
    await log.getByText('Finn signed in').first().waitFor();
    await choose(page.getByLabel('Actor'), 'All');
    await choose(page.getByLabel('Action'), 'session.refused');
    await log.getByText('Failed sign-in for gil@example.com').waitFor();
    await choose(page.getByLabel('Action'), 'retention.set');
    await log.getByText(/set retention to 30 days/).waitFor();
    await choose(page.getByLabel('Action'), 'retention.swept');
    await log.getByText('Parley deleted 1 conversation older than 30 days').waitFor();
    await choose(page.getByLabel('Action'), 'All');
    await page.getByRole('link', { name: 'Older →' }).click();
    await page.waitForURL('**/audit?after=*');
    await page.getByRole('link', { name: '← Newer' }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('loads nothing for a user who is not signed in', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open('/dashboard/audit');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expectQuiet(window);
    await window.close();
  });
});

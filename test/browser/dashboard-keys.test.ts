import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
import { expectForgotten, takeSecret } from '../support/dashboard-secrets.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeMember } from '../support/tenants.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

const permissions = ['clipboard-read', 'clipboard-write'];

const TURN = { content: [{ type: 'text', text: 'Hello' }] };

/** The status of a turn with this key. */
const statusWith = async (key: string) =>
  (await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, { key, body: TURN })).status;

describe('the API keys page', () => {
  it('shows a new key once, then rotates and revokes it', async () => {
    const window = await signedIn(browser, service, '/dashboard/keys', { permissions });
    const { page } = window;
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a key for the live environment' });
    await dialog.getByLabel('Name').fill('Website backend');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByText('Select at least one scope.').waitFor();
    await dialog.getByRole('button', { name: 'Runner' }).click();
    await dialog.getByLabel('Requests per minute').fill('600');
    await expectAccessible(page);
    await screenshot(page, 'key-create');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('You cannot see it again').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'key-secret');
    const first = await takeSecret(page);
    await expectForgotten(page, first);
    const row = page.getByRole('row', { name: /Website backend/ });
    await expect.poll(() => row.textContent()).toContain(`sk_live_…${first.slice(-4)}`);
    await expect.poll(() => row.textContent()).toContain('conversations:read, conversations:write');
    await expect.poll(() => row.textContent()).toContain('600');
    expect(await statusWith(first)).toBe(200);
    expect((await service.send('GET', '/v1/resources', { key: first })).status).toBe(403);

    await page.getByRole('button', { name: 'Rotate Website backend' }).click();
    await page.getByText('stops working immediately').waitFor();
    await screenshot(page, 'key-rotate');
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByText('The previous secret no longer works').waitFor();
    const second = await takeSecret(page);
    await expectForgotten(page, second);
    expect([await statusWith(first), await statusWith(second)]).toEqual([401, 200]);

    await page.getByRole('button', { name: 'Revoke Website backend' }).click();
    await screenshot(page, 'key-revoke');
    await page.getByRole('button', { name: 'Revoke permanently' }).click();
    await row.getByText('Revoked', { exact: true }).waitFor();
    expect(await statusWith(second)).toBe(401);
    expect(await row.getByRole('button').count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'keys');
    expectQuiet(window);
    await window.close();
  });

  it('changes the name and the limit of a key, and shows an error at its field', async () => {
    const window = await signedIn(browser, service, '/dashboard/keys', { permissions });
    const { page } = window;
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('Reports');
    await page.getByRole('button', { name: 'Read only' }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await takeSecret(page);
    await page.getByRole('button', { name: 'Edit Reports' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('   ');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    expect(await dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Name').fill('Weekly reports');
    await dialog.getByLabel('Requests per minute').fill('30');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row', { name: /Weekly reports/ });
    await row.getByText('30', { exact: true }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('creates keys only for the selected environment', async () => {
    const window = await signedIn(browser, service, '/dashboard/keys?env=test', { permissions });
    const { page } = window;
    await page.getByText('Keys of the test environment').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Create a key for the test environment' }).waitFor();
    await page.getByLabel('Name').fill('Try-out');
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    expect(await takeSecret(page)).toMatch(/^sk_test_/);
    await page.getByRole('row', { name: /Try-out.*All/ }).waitFor();
    await choose(page.getByLabel('Environment'), 'live');
    await page.getByText('Keys of the live environment').waitFor();
    await page
      .getByRole('row', { name: /active/i })
      .first()
      .waitFor();
    expect(await page.getByText('Try-out').count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });

  it('is hidden from members without the scope keys:manage', async () => {
    const as = { email: 'dev@example.com', password: 'developers password' };
    await makeMember(service, 'developer', { ...as, name: 'Dev' });
    const window = await signedIn(browser, service, '/dashboard/keys', { as });
    const { page } = window;
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });
});

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashToken } from '../../src/domain/access/tokens.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
import { expectForgotten, takeSecret } from '../support/dashboard-secrets.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeKey, makeMember } from '../support/tenants.ts';
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
    const overlap = page.getByLabel('The current secret still works');
    await overlap.and(page.locator('button')).getByText('24 hours').waitFor();
    await choose(overlap, 'Not at all');
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

  it('restricts a key, shows what restricts it, and rotates it with an overlap', async () => {
    const window = await signedIn(browser, service, '/dashboard/keys', { permissions });
    const { page } = window;
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a key for the live environment' });
    await dialog.getByLabel('Name').fill('Partner');
    await dialog.getByRole('button', { name: 'Runner' }).click();
    await dialog.getByLabel('Expires').fill('2099-01-01T00:00');
    await dialog.getByLabel('IP ranges').fill('127.0.0.1\nnowhere');
    await dialog.getByRole('checkbox', { name: 'Demo agent' }).check();
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByText('must be an IP address').waitFor();
    await dialog.getByLabel('IP ranges').fill('127.0.0.1\n::1');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const first = await takeSecret(page);
    const row = page.getByRole('row', { name: /Partner/ });
    await row.getByText('only 2 IP ranges, 1 deployment').waitFor();
    await row.getByText('expires', { exact: false }).waitFor();
    expect(await statusWith(first)).toBe(200);

    await page.getByRole('button', { name: 'Edit Partner' }).click();
    const edit = page.getByRole('dialog');
    expect(await edit.getByLabel('IP ranges').inputValue()).toBe('127.0.0.1/32\n::1/128');
    await edit.getByLabel('IP ranges').fill('192.0.2.0/24');
    await edit.getByRole('button', { name: 'Save' }).click();
    await row.getByText('only 1 IP range, 1 deployment').waitFor();
    expect(await statusWith(first)).toBe(401);
    await page.getByRole('button', { name: 'Edit Partner' }).click();
    await edit.getByLabel('IP ranges').fill('');
    await edit.getByRole('button', { name: 'Save' }).click();
    await row.getByText('only 1 deployment').waitFor();

    await page.getByRole('button', { name: 'Rotate Partner' }).click();
    await choose(page.getByLabel('The current secret still works'), '1 hour');
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByText('The previous secret works until').waitFor();
    const second = await takeSecret(page);
    expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);
    await row.getByText('previous secret until').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('marks keys that nothing has used for 90 days', async () => {
    const key = await makeKey(service);
    const { prisma } = service.service.services.stores;
    const createdAt = new Date(Date.now() - 91 * 86_400_000);
    await prisma.apiKey.update({ where: { tokenHash: hashToken(key) }, data: { name: 'Forgotten', createdAt } });
    const window = await signedIn(browser, service, '/dashboard/keys', { permissions });
    const row = window.page.getByRole('row', { name: /Forgotten/ });
    await row.getByText('Unused for 90 days').waitFor();
    await expectAccessible(window.page);
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

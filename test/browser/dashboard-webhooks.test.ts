import type { Browser } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
import { expectForgotten, takeSecret } from '../support/dashboard-secrets.ts';
import { type Receiver, signedHeaders, startReceiver, withStatus } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';
import { makeEndpoint, makeEvent, settledDeliveries } from '../support/webhooks.ts';

let service: TestService;
let browser: Browser;
let receiver: Receiver;
beforeAll(async () => {
  [service, browser, receiver] = await Promise.all([startService(), launchBrowser(), startReceiver()]);
});
afterAll(async () => {
  await service?.close();
  await receiver?.close();
});

const permissions = ['clipboard-read', 'clipboard-write'];

describe('the webhook pages', () => {
  it('add an endpoint, show its secret once, and show its deliveries live', async () => {
    const window = await signedIn(browser, service, '/dashboard/webhooks', { permissions });
    const { page } = window;
    await page.getByText('No endpoints yet').waitFor();
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('not an address');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText(/^URL must be a URL without white space\./).waitFor();
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByLabel('Only these types').check();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('Select at least one type.').waitFor();
    await dialog.getByLabel('resource.created').check();
    await dialog.getByLabel('resource.deleted').check();
    await dialog.getByRole('group', { name: 'Runs' }).getByLabel('run.failed').check();
    await dialog.getByLabel('Description').fill('Keeps the warehouse in step with new and deleted records.');
    await expectAccessible(page);
    await screenshot(page, 'webhook-create');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('You cannot see it again').waitFor();
    await screenshot(page, 'webhook-secret');
    const secret = await takeSecret(page);
    await page.waitForURL('**/dashboard/webhooks/whk_*');
    await expectForgotten(page, secret);
    await page.getByText('No deliveries yet').waitFor();

    await page.getByRole('button', { name: 'Send test event' }).click();
    const deliveries = page.getByRole('list', { name: 'Deliveries' });
    await deliveries.getByText('Delivered', { exact: true }).waitFor();
    const [test] = await receiver.waitForCount(1);
    expect(test?.message.type).toBe('webhook.test');
    expect(() => new Webhook(secret).verify(test?.body ?? '', signedHeaders(test as never))).not.toThrow();

    await makeEvent(service, { name: 'Ann' });
    const created = deliveries.getByRole('listitem').filter({ hasText: 'resource.created' });
    await created.getByText('Delivered', { exact: true }).waitFor();
    await created.getByText('resource.created').click();
    await created.getByRole('row', { name: /200/ }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'webhook-endpoint');
    await created.getByRole('button', { name: 'Send again: resource.created' }).click();
    await created.getByRole('row', { name: /200/ }).nth(1).waitFor();
    const [, first, again] = await receiver.waitForCount(3);
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expectQuiet(window);
    await window.close();
  });

  it('filter deliveries by status, and show the next attempt and the last error', async () => {
    const { id } = await makeEndpoint(service, receiver.url, { description: 'Answers 503' });
    receiver.respondWith(withStatus(503));
    const window = await signedIn(browser, service, `/dashboard/webhooks/${id}`);
    const { page } = window;
    await page.getByRole('button', { name: 'Send test event' }).click();
    const item = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    // On a busy machine the second attempt, after 5 seconds, comes before the page shows the first.
    await item.getByText(/^\d attempts?$/).waitFor();
    await item.getByText('Pending').click();
    await item.getByText('Next attempt').waitFor();
    await item.getByRole('row', { name: /503/ }).first().waitFor();
    await screenshot(page, 'webhook-pending');
    await choose(page.getByLabel('Status'), 'Failed');
    await page.waitForURL('**?status=failed');
    await page.getByText('No deliveries match this status.').waitFor();
    await choose(page.getByLabel('Status'), 'Pending');
    await item.getByText('webhook.test').click();
    receiver.respondWith(withStatus(200));
    await item.getByRole('button', { name: 'Send now: webhook.test' }).click();
    await page.getByText('No deliveries match this status.').waitFor();
    await choose(page.getByLabel('Status'), 'Delivered');
    await item.getByText('Delivered', { exact: true }).waitFor();
    expect(await settledDeliveries(service, id, 1)).toMatchObject([{ status: 'DELIVERED' }]);
    expectQuiet(window);
    await window.close();
  });

  it('edit, disable, enable and delete an endpoint, and rotate its secret', async () => {
    receiver.respondWith(withStatus(200));
    const { id, secret: old } = await makeEndpoint(service, receiver.url);
    const window = await signedIn(browser, service, `/dashboard/webhooks/${id}`, { permissions });
    const { page } = window;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Description').fill('For the ledger');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('For the ledger').waitFor();

    await page.getByRole('button', { name: 'Disable' }).click();
    await dialog.getByText('are never sent to it').waitFor();
    await screenshot(page, 'webhook-disable');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Send test event' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Enable' }).click();
    await dialog.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Enabled', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await dialog.getByText('For 24 hours messages are signed with both secrets').waitFor();
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
    const secret = await takeSecret(page);
    await expectForgotten(page, secret);
    const before = receiver.received.length;
    await page.getByRole('button', { name: 'Send test event' }).click();
    const message = (await receiver.waitForCount(before + 1)).at(-1);
    for (const one of [old, secret]) {
      expect(() => new Webhook(one).verify(message?.body ?? '', signedHeaders(message as never))).not.toThrow();
    }

    await page.getByRole('button', { name: 'Delete' }).click();
    await screenshot(page, 'webhook-delete');
    await dialog.getByRole('button', { name: 'Delete permanently' }).click();
    await page.waitForURL('**/dashboard/webhooks');
    await page.getByRole('table', { name: 'Webhook endpoints' }).waitFor();
    expect(await page.getByText('For the ledger').count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'webhooks');
    expectQuiet(window);
    await window.close();
  });

  it('report an unknown endpoint', async () => {
    const window = await signedIn(browser, service, '/dashboard/webhooks/whk_00000000000000000000000000');
    await window.page.getByRole('heading', { name: 'Webhook endpoint not found' }).waitFor();
    expectQuiet(window);
    await window.close();
  });
});

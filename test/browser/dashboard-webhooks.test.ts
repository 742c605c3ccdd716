import type { Browser } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, launchBrowser, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { expectForgotten, takeSecret } from '../support/dashboard-secrets.ts';
import { type Receiver, signedHeaders, startReceiver, withStatus } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeEndpoint, makeEvent, settledDeliveries } from '../support/webhooks.ts';

let service: TestService;
let browser: Browser;
let receiver: Receiver;
beforeAll(async () => {
  [service, browser, receiver] = await Promise.all([startService(), launchBrowser(), startReceiver()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
  await receiver?.close();
});

const permissions = ['clipboard-read', 'clipboard-write'];

describe('the pages of webhooks', () => {
  it('add an endpoint whose secret is shown once, and show live what becomes of each message', async () => {
    const window = await signedIn(browser, service, '/dashboard/webhooks', { permissions });
    const { page } = window;
    await page.getByText('There are no endpoints').waitFor();
    await page.getByRole('button', { name: 'Add an endpoint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('not an address');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText(/^URL must be a URL without white space\./).waitFor();
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByLabel('Only these').check();
    await dialog.getByText('Choose one at least.').waitFor();
    await dialog.getByLabel('resource.created').check();
    await dialog.getByLabel('resource.deleted').check();
    await dialog.getByLabel('Description').fill('Keeps the warehouse in step with new and deleted records.');
    await expectAccessible(page);
    await screenshot(page, 'webhook-create');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('It is not shown again').waitFor();
    await screenshot(page, 'webhook-secret');
    const secret = await takeSecret(page);
    await page.waitForURL('**/dashboard/webhooks/whk_*');
    await expectForgotten(page, secret);
    await page.getByText('Nothing has been sent yet').waitFor();

    await page.getByRole('button', { name: 'Send a test' }).click();
    const deliveries = page.getByRole('list', { name: 'Deliveries' });
    await deliveries.getByText('Delivered', { exact: true }).waitFor();
    const [test] = await receiver.atLeast(1);
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
    const [, first, again] = await receiver.atLeast(3);
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expectQuiet(window);
    await window.close();
  });

  it('narrow deliveries to those that wait, and say when they are attempted next and why they failed', async () => {
    const { id } = await makeEndpoint(service, receiver.url, { description: 'Answers 503' });
    receiver.answer(withStatus(503));
    const window = await signedIn(browser, service, `/dashboard/webhooks/${id}`);
    const { page } = window;
    await page.getByRole('button', { name: 'Send a test' }).click();
    const item = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    await item.getByText('1 attempt', { exact: true }).waitFor();
    receiver.answer(withStatus(200));
    await item.getByText('Pending').click();
    await item.getByText('Next attempt').waitFor();
    await item.getByRole('row', { name: /503/ }).waitFor();
    await screenshot(page, 'webhook-pending');
    await page.getByLabel('Status').selectOption('Failed');
    await page.waitForURL('**?status=failed');
    await page.getByText('No delivery stands there.').waitFor();
    await page.getByLabel('Status').selectOption('Pending');
    await item.getByText('webhook.test').click();
    await item.getByRole('button', { name: 'Send now: webhook.test' }).click();
    await page.getByText('No delivery stands there.').waitFor();
    await page.getByLabel('Status').selectOption('Delivered');
    await item.getByText('Delivered', { exact: true }).waitFor();
    expect(await settledDeliveries(service, id, 1)).toMatchObject([{ status: 'delivered' }]);
    expectQuiet(window);
    await window.close();
  });

  it('edit an endpoint, disable and enable it, rotate its secret, and delete it', async () => {
    receiver.answer(withStatus(200));
    const { id, secret: old } = await makeEndpoint(service, receiver.url);
    const window = await signedIn(browser, service, `/dashboard/webhooks/${id}`, { permissions });
    const { page } = window;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Description').fill('For the ledger');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('For the ledger').waitFor();

    await page.getByRole('button', { name: 'Disable' }).click();
    await dialog.getByText('what happens meanwhile is never sent to it').waitFor();
    await screenshot(page, 'webhook-disable');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Send a test' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Enable' }).click();
    await dialog.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Enabled', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await dialog.getByText('For 24 hours messages are signed with the old one as well').waitFor();
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
    const secret = await takeSecret(page);
    await expectForgotten(page, secret);
    const before = receiver.received.length;
    await page.getByRole('button', { name: 'Send a test' }).click();
    const message = (await receiver.atLeast(before + 1)).at(-1);
    for (const one of [old, secret]) {
      expect(() => new Webhook(one).verify(message?.body ?? '', signedHeaders(message as never))).not.toThrow();
    }

    await page.getByRole('button', { name: 'Delete' }).click();
    await screenshot(page, 'webhook-delete');
    await dialog.getByRole('button', { name: 'Delete for ever' }).click();
    await page.waitForURL('**/dashboard/webhooks');
    await page.getByRole('table', { name: 'Webhook endpoints' }).waitFor();
    expect(await page.getByText('For the ledger').count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'webhooks');
    expectQuiet(window);
    await window.close();
  });

  it('say that there is no endpoint of an id', async () => {
    const window = await signedIn(browser, service, '/dashboard/webhooks/whk_00000000000000000000000000');
    await window.page
      .getByRole('alert')
      .getByText(/no .*endpoint/i)
      .waitFor();
    expectQuiet(window);
    await window.close();
  });
});

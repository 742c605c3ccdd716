import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';
import { makeEndpoint, makeEvent, settledDeliveries } from '../support/webhooks.ts';

let service: TestService;
let browser: Browser;
let receiver: Receiver;
beforeAll(async () => {
  const webhooks = { retriesMs: [], timeoutMs: 5_000, pollMs: 50 };
  [service, browser, receiver] = await Promise.all([startService({}, { webhooks }), launchBrowser(), startReceiver()]);
});
afterAll(async () => {
  await service?.close();
  await receiver?.close();
});

describe('the failures of a webhook endpoint', () => {
  it('are inspected and sent again after the receiver is fixed', async () => {
    receiver.respondWith((response) => {
      response.writeHead(500, { 'content-type': 'text/plain', 'x-trace': 'trace-42' });
      response.end('The database of the receiver is down.');
    });
    const { id } = await makeEndpoint(service, receiver.url, { description: 'Warehouse' });
    for (const name of ['Ann', 'Ben', 'Cem']) await makeEvent(service, { name });
    await settledDeliveries(service, id, 3);
    const window = await signedIn(browser, service, '/dashboard/webhooks');
    const { page } = window;
    const row = page.getByRole('table', { name: 'Webhook endpoints' }).getByRole('row', { name: /Warehouse/ });
    await row.getByText('0% of 3 delivered').waitFor();
    await row.getByText(/Last failure .*: The address responded with 500\./).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'webhook-health');

    await row.getByRole('link').click();
    const deliveries = page.getByRole('list', { name: 'Deliveries' });
    const oldest = deliveries.locator(':scope > li').last();
    await oldest.getByText('resource.created').click();
    await oldest.getByText('"name":"Ann"').waitFor();
    expect(await oldest.getByText('"name":"Ann"').textContent()).toBe(receiver.received[0]?.body);
    await oldest.getByText('The database of the receiver is down.').waitFor();
    await oldest.getByText(/x-trace: trace-42/).waitFor();
    await oldest.getByText(/webhook-id: evt_/).waitFor();
    expect(await oldest.getByText('webhook-signature').count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'webhook-inspection');

    receiver.respondWith((response) => void response.writeHead(200).end('Thanks'));
    await page.getByRole('button', { name: 'Replay' }).click();
    const dialog = page.getByRole('dialog');
    await expectAccessible(page);
    await screenshot(page, 'webhook-replay');
    await dialog.getByLabel('To').fill('2020-01-01T00:00');
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await dialog.getByText('The end must not be before the start.').waitFor();
    await dialog.getByLabel('To').fill('2100-01-01T00:00');
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Finished: 3 of 3 delivered').waitFor();
    const ids = receiver.received.map(({ message }) => message.id);
    expect(ids.slice(3)).toEqual(ids.slice(0, 3));
    await oldest.getByText('Thanks').waitFor();
    await page.getByText('50% of 6 delivered').waitFor();
    expectQuiet(window);
    await window.close();
  });
});
